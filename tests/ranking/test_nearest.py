"""Nearest sentences: the blocks and heaps give what sorting all of them gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking import vectors as module
from argsearch.ranking.vectors import (
    SentenceRows,
    nearest,
    norms,
    sentence_cosines,
    similarities,
)
from tests.ranking.plain import nearest_plain


def rows(n: int, d: int, seed: int, spread: int = 30) -> SentenceRows:
    """Random sentences, few distinct levels and zeros among them, so that there are ties."""
    random = np.random.default_rng(seed)
    levels = random.integers(-2, 3, (n, d)).astype(np.int8) * 42
    levels[random.random(n) < 0.1] = 0
    return SentenceRows(levels, norms(levels), random.integers(0, spread, n).astype(np.int32))


@given(st.integers(0, 12), st.integers(0, 60), st.integers(1, 7), st.integers(0, 9999),
       st.sampled_from([0.0, 1.0, 1.75, 4.0]))  # fmt: skip
def test_equal_to_sorting_all(queries: int, candidates: int, k: int, seed: int, factor: float):
    asked, given_ = rows(queries, 4, seed, 8), rows(candidates, 4, seed + 1)
    before = module.TILE_ROWS, module.TILE_COLUMNS
    module.TILE_ROWS, module.TILE_COLUMNS = 5, 16  # several blocks
    try:
        found = nearest(asked, given_, k, factor)
    finally:
        module.TILE_ROWS, module.TILE_COLUMNS = before
    for q, expected in enumerate(nearest_plain(asked, given_, k, factor)):
        n = len(expected)
        assert found.rows[q].tolist() == [s for s, _ in expected] + [-1] * (k - n)
        assert found.cosines[q, :n] == pytest.approx([cos for _, cos in expected], abs=1e-12)
        assert not found.cosines[q, n:].any()


def test_the_largest_levels_are_exact():
    """Single precision adds the largest dot product that is allowed without rounding."""
    d = module.MOST_DIMENSIONS
    levels = np.full((2, d), 127, np.int8)
    levels[1, -1] = 126
    one = SentenceRows(levels, norms(levels), np.ones(2, np.int32))
    found = nearest(one[np.array([0])], one, 2, 0.0)
    assert found.rows[0].tolist() == [0, 1]
    exact = (
        127 * (127 * (d - 1) + 126) / np.sqrt(float(127**2 * d) * float(127**2 * (d - 1) + 126**2))
    )
    assert found.cosines[0, 1] == pytest.approx(exact, rel=3e-7)


def test_unequal_dimensions_are_refused():
    with pytest.raises(ValueError, match="vectors must .*not 4 and 5"):
        nearest(rows(2, 4, 0), rows(2, 5, 1), 1, 1.0)


def test_similarities_are_the_cosines_of_each_with_each():
    some = rows(9, 5, 3)
    found = similarities(some)
    assert found.tolist() == found.T.tolist()
    for i in range(9):
        assert found[i] == pytest.approx(sentence_cosines(some[np.array([i])], some))
    assert similarities(rows(0, 5, 0)).shape == (0, 0)


def test_similarities_of_too_many_dimensions_are_refused():
    with pytest.raises(ValueError, match="vectors must have at most 1040 dimensions, not 1041"):
        similarities(rows(2, 1041, 0))
