"""What is surveyed before a corpus is streamed: conclusions, all of them or an even share."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.building.surveying import Conclusions
from argsearch.indexer.corpus.argument import Argument, Premise
from argsearch.indexer.server.schema import digest_of, digest_text, shared

conclusions = st.lists(st.one_of(st.none(), st.text("ab ", max_size=4)), max_size=60)


@given(conclusions, st.integers(1, 20), st.randoms())
def test_a_share_follows_from_the_texts_alone(found, most, random) -> None:
    """Whatever the order and the runs: the same texts, each with all its documents."""
    one, other = Conclusions(most), Conclusions(most)
    one.add(found)
    shuffled = random.sample(found, len(found))
    for text in shuffled:
        other.add([text])
    assert one.counts == other.counts
    told = Counter(text for text in found if text and text.strip())
    assert one.arguments == other.arguments == told.total()
    assert len(one.counts) <= most
    assert all(told[text] == count for text, count in one.counts.items())
    if len(told) <= most:
        assert list(one.counts.items()) == list(told.items())


def test_a_share_is_about_half() -> None:
    found = Conclusions(1000)
    found.add(f"conclusion {i}" for i in range(5000))
    assert 500 < len(found.counts) <= 1000
    assert found.arguments == 5000


@given(st.lists(st.tuples(st.text("ab", max_size=3), st.integers(0, 3)), max_size=12))
def test_digests_are_summed_and_taken_out(said) -> None:
    digests = [digest_of(Argument(id, id, (Premise(id),)), cluster) for id, cluster in said]
    assert len(set(digests)) == len(set(said))
    text = digest_text(sum(digests))
    assert len(text) == 32
    assert int(digest_text(int(text, 16) - sum(digests)), 16) == 0


def test_groups_of_one_have_no_number() -> None:
    groups = np.array([0, 1, 0, 3, 3, 3], np.int32)
    assert shared(groups).tolist() == [0, -1, 0, 3, 3, 3]
