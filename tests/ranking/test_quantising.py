"""Vectors in one byte a dimension: how far they may be off, and their dot products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from argsearch.ranking.vectors import LARGEST_LEVEL, cosines, quantise

ROWS = arrays(
    np.float32,
    array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12),
    elements=st.floats(-4.0, 4.0, width=32),
)


@given(ROWS)
def test_no_component_is_off_by_more_than_half_a_level(x: np.ndarray) -> None:
    rows, scales = quantise(x)
    assert rows.dtype == np.int8
    assert np.abs(rows.astype(int)).max() <= LARGEST_LEVEL
    error = np.abs(rows * scales[:, None] - x)
    assert (error <= scales[:, None] * 0.5001 + 1e-30).all()


def test_zeros_stay_zeros() -> None:
    rows, scales = quantise(np.zeros((2, 3), np.float32))
    assert not rows.any()
    assert not scales.any()
    assert cosines(np.ones(3), rows, scales).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("bad", [[[np.nan]], [[np.inf, 1.0]], [1.0]])
def test_what_is_no_row_of_numbers_is_refused(bad: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"vectors must .*not \(1,"):
        quantise(bad)


@given(ROWS, st.integers(0, 2**32 - 1))
def test_cosines_are_those_of_the_rows(x: np.ndarray, seed: int) -> None:
    """Whose scale makes them unit vectors: of the query, any length will do."""
    rows, scales = quantise(x)
    query = np.random.default_rng(seed).normal(size=x.shape[1])
    wanted = (rows * scales.astype(np.float64)[:, None]) @ query / np.linalg.norm(query)
    np.testing.assert_allclose(cosines(query, rows, scales), wanted, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(cosines(9 * query, rows, scales), wanted, rtol=1e-6, atol=1e-6)
