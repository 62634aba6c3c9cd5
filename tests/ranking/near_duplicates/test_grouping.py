"""Groups of near-duplicates: against every pair compared, and inputs that set traps."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.near_duplicates.grouping import Rule, group
from argsearch.ranking.near_duplicates.shingles import Sketch
from tests.ranking.near_duplicates.documents import runs_of_five, sketch_of
from tests.ranking.plain import group_plain

RULES = st.builds(
    Rule, st.sampled_from([0.1, 0.3, 0.5, 0.55, 0.7, 0.9, 1.0]), st.sampled_from([1, 3, 8, 100])
)


@st.composite
def corpora(draw):
    """Documents that quote, repeat and mix each other, over few words."""
    rng = random.Random(draw(st.integers(0, 1 << 30)))
    words, documents = "abcdefgh"[: draw(st.integers(1, 8))], []
    for _ in range(draw(st.integers(0, 25))):
        text = rng.choices(words, k=rng.choice([0, 1, 3, 5, 6, 10, 20, 40]))
        for _ in range(rng.randrange(3)):
            if documents:
                quoted = rng.choice(documents)
                begin = rng.randrange(len(quoted) + 1) if rng.random() < 0.4 else 0
                text = rng.choice([quoted[begin:] + text, text + quoted[begin:], quoted[begin:]])
        documents.append(text)
    return documents


@given(documents=corpora(), rule=RULES)
def test_groups_are_those_of_every_pair_compared(documents, rule):
    sets = [runs_of_five(words) for words in documents]
    found = group(sketch_of(documents), rule)
    assert found.dtype == np.int32
    assert found.tolist() == group_plain(sets, rule)


_HELD, _MOST_OF_IT, _MORE_OF_IT = range(20), [*range(14), *range(90, 110)], [*range(5, 25)]


@pytest.mark.parametrize(
    ("documents", "groups"),
    [
        # the first of equals decides which document they follow
        ([_MOST_OF_IT, _HELD, _MORE_OF_IT, _HELD], [0, 0, 2, 0]),
        # of two that hold as much of a member, the larger stands for it
        ([[*range(40, 50), *range(15)], _HELD, [*range(5, 40)]], [0, 2, 2]),
    ],
)
def test_ties_among_those_that_may_stand_for_others(documents, groups):
    sizes = np.array([len(one) for one in documents], np.int32)
    sketched = Sketch(np.array([i for one in documents for i in sorted(one)], np.uint64), sizes)
    assert group(sketched).tolist() == groups


@pytest.mark.thorough
@pytest.mark.parametrize("size", range(1, 130))
def test_a_share_equal_to_the_threshold_is_enough(size):
    # .55 · 20 is 11.000000000000002 in floating point; 11 of 20 must do.
    for threshold in (0.07, 0.55, 0.7):
        least = next(k for k in range(1, size + 1) if k / size >= threshold)
        for common, near in ((least, True), (least - 1, False)):
            small = np.arange(1, size + 1, dtype=np.uint64) << np.uint64(50)
            apart = np.arange(200, 400, dtype=np.uint64) << np.uint64(50)
            large = np.concatenate([small[:common], apart])
            sketched = Sketch(
                np.concatenate([small, large]), np.array([size, len(large)], np.int32)
            )
            assert (group(sketched, Rule(threshold, 1)).tolist() == [1, 1]) is near


def fresh(rng: random.Random, words: int) -> list[str]:
    return [f"w{rng.randrange(10**9)}" for _ in range(words)]


def test_a_quoted_post_joins_its_reply_and_a_phrase_does_not():
    rng = random.Random(1)
    post, question = fresh(rng, 60), fresh(rng, 6)
    reply = post + fresh(rng, 300) + question
    assert group(sketch_of([post, reply, question])).tolist() == [1, 1, 2]


def test_empty_short_and_huge_documents():
    huge = fresh(random.Random(3), 12_000)
    documents = [[], ["yes"], huge, [], ["yes"], ["no"], huge[:9_000], huge[::-1], huge]
    assert group(sketch_of(documents)).tolist() == [0, 1, 2, 0, 1, 5, 2, 7, 2]


def test_equal_documents_are_one_group_in_linear_time():
    one = sketch_of([fresh(random.Random(4), 10)])
    many = Sketch(np.tile(one.shingles, 390_000), np.tile(one.sizes, 390_000))
    assert not group(many).any()  # every pair would take hours


@pytest.mark.thorough
@pytest.mark.parametrize(("own", "groups"), [(6, [0] * 10_000), (60, list(range(10_000)))])
def test_thousands_with_the_same_boilerplate_are_a_group_if_they_say_little_else(own, groups):
    rng = random.Random(5)
    common = fresh(rng, 60)
    found = group(sketch_of([common + fresh(rng, own) for _ in range(10_000)]))
    assert found.tolist() == groups


@pytest.mark.thorough
def test_boilerplate_and_a_quotation_leads_to_the_quoted_alone():
    rng = random.Random(7)
    common = fresh(rng, 60)
    posts = [common + fresh(rng, 60) for _ in range(5_000)]
    replies = [post[60:] + fresh(rng, 5) + common[:30] for post in posts]
    of = group(sketch_of(posts + replies)).tolist()
    assert of == [*range(5_000), *range(5_000)]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: group(Sketch(np.zeros(2, np.uint64), np.array([1], np.int32))), "to 2, not 1"),
        (lambda: group(Sketch(np.zeros(1, np.uint64), np.array([1, 0], np.int32))), "above 0"),
        (lambda: group(Sketch(np.zeros(1, np.uint64), np.array([2, -1], np.int32))), "above 0"),
    ],
)
def test_what_is_refused(make, said):
    with pytest.raises(ValueError, match=said):
        make()
