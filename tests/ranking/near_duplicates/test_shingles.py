"""Shingles: as many as there are distinct runs of five words, the same wherever they are cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.near_duplicates.shingles import sketch, term_hashes
from tests.ranking.near_duplicates.documents import runs_of_five, sketch_of

DOCUMENTS = st.lists(st.lists(st.sampled_from("abc"), max_size=30), max_size=8)


def parts(sketched):
    return (
        np.split(sketched.shingles, np.cumsum(sketched.sizes)[:-1]) if len(sketched.sizes) else []
    )


@pytest.mark.thorough
@given(documents=DOCUMENTS)
def test_numbers_stand_for_runs_one_to_one(documents):
    number_of: dict[tuple[str, ...], int] = {}
    for words, numbers in zip(documents, parts(sketch_of(documents)), strict=True):
        runs = runs_of_five(words)
        assert len(numbers) == len(runs)
        assert (numbers[1:] > numbers[:-1]).all()
        for run in runs:
            alone = sketch_of([list(run)]).shingles
            assert number_of.setdefault(run, int(alone[0])) in numbers
    assert len(set(number_of.values())) == len(number_of)


@given(documents=DOCUMENTS, cut=st.integers(0, 8))
def test_chunks_number_their_terms_alone(documents, cut):
    whole, one, two = (sketch_of(part) for part in (documents, documents[:cut], documents[cut:]))
    assert np.concatenate([one.shingles, two.shingles]).tolist() == whole.shingles.tolist()
    assert np.concatenate([one.sizes, two.sizes]).tolist() == whole.sizes.tolist()


def test_hashes_are_the_same_in_every_process():
    # FNV-1a, then MurmurHash3's finaliser, of "argument" and "é": computed apart with Python's ints
    def plain(term: bytes) -> int:
        h, m = 0xCBF29CE484222325, (1 << 64) - 1
        for byte in term:
            h = (h ^ byte) * 0x100000001B3 & m
        h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD & m
        h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53 & m
        return h ^ h >> 33

    terms = [b"argument", "é".encode(), b""]
    assert term_hashes(terms).tolist() == [plain(term) for term in terms]


@pytest.mark.parametrize(
    ("offsets", "said"), [([0, 3], "offsets must go from 0"), ([0, 2, 1, 2], "must not decrease")]
)
def test_what_does_not_fit_is_refused(offsets, said):
    with pytest.raises(ValueError, match=said):
        sketch([b"a"], [0, 0], offsets)
