"""Structural distance: by hand, and the library's against the paper's form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.reranking import structural
from tests.ranking import plain

TAGS = st.lists(st.integers(0, 16), max_size=30)
FEW = st.lists(st.integers(0, 2), max_size=12)  # many repetitions and transpositions


@pytest.mark.parametrize(
    ("q", "s", "expected"),
    [
        # All six match within ⌊6/2⌋ − 1 = 2; H and T change places: t = 1.
        ("MARTHA", "MARHTA", (6 / 6 + 6 / 6 + 5 / 6) / 3),
        ("DWAYNE", "DUANE", (4 / 6 + 4 / 5 + 4 / 4) / 3),
        ("DIXON", "DICKSONX", (4 / 5 + 4 / 8 + 4 / 4) / 3),
        ("AB", "BA", 0.0),  # the window is 0, so that nothing matches
        ("A", "A", 1.0),
        ("ABC", "ABC", 1.0),
        ("ABC", "XYZ", 0.0),
        ("", "ABC", 0.0),
        ("", "", 0.0),
        # Three of three matches stand in another order: t = ⌊3/2⌋ = 1.
        ("ABCDEF", "BCAXYZ", (3 / 6 + 3 / 6 + 2 / 3) / 3),
    ],
)
def test_by_hand(q, s, expected):
    q, s = [ord(c) for c in q], [ord(c) for c in s]
    assert structural.distances(q, [s]) == pytest.approx([1 - expected], abs=1e-12)


@given(q=st.one_of(TAGS, FEW), rows=st.lists(st.one_of(TAGS, FEW), max_size=6))
def test_the_librarys_is_the_papers(q, rows):
    expected = [plain.structural_distance(q, s) for s in rows]
    assert structural.distances(q, rows).tolist() == expected


def test_repeated_candidates_tie_and_none_gives_none():
    q = [7, 15, 7]
    assert len(set(structural.distances(q, [[7, 15]] * 3).tolist())) == 1
    assert structural.distances(q, []).tolist() == []
    assert structural.distances([], [[], [1]]).tolist() == [1, 1]


def test_narrow_codes_are_read_as_numbers():
    q = np.array([3, 7], np.int8)
    assert structural.distances(q, [q, np.array([7, 3], np.uint8)]).tolist() == [0, 1]


def test_similarity_is_the_rest():
    np.testing.assert_allclose(structural.similarity([0.0, 0.25, 1.0]), [1, 0.75, 0])
