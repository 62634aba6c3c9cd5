"""Correlation, the logistic function and min–max, against SciPy and by their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit
from scipy.stats import pearsonr

from argsearch.ranking.numbers import minmax, pearson, sigmoid

values = arrays(np.float64, st.integers(2, 20), elements=st.integers(-50, 50))


@given(a=values, seed=st.integers(0, 99))
def test_pearson_is_scipys(a: np.ndarray, seed: int) -> None:
    b = np.random.default_rng(seed).normal(size=len(a))
    if np.ptp(a) == 0:
        assert np.isnan(pearson(a, b))
        assert pearson(b, a, constant=0.0) == 0.0
    else:
        assert pearson(a, b) == pytest.approx(pearsonr(a, b)[0], abs=1e-12)


def test_pearson_of_what_cannot_be_compared() -> None:
    assert np.isnan(pearson([0.1, 0.1, 0.1], [1, 2, 3]))  # its mean is not 0.1 exactly
    for a, b in (([], []), ([1.0], [1.0, 2.0]), ([[1.0]], [[1.0]])):
        with pytest.raises(ValueError, match="both lists must have equal length > 0"):
            pearson(a, b)


def test_sigmoid_is_right_and_never_overflows() -> None:
    x = np.array([-1e6, -30.0, -1.0, 0.0, 2.0, 1e6])
    assert sigmoid(x) == pytest.approx(expit(x), abs=1e-15)


@given(x=values)
def test_minmax_is_a_straight_line_from_0_to_1(x: np.ndarray) -> None:
    found = minmax(x)
    if np.ptp(x) == 0:
        assert np.array_equal(found, x)
        return
    assert (found.min(), found.max()) == (0.0, 1.0)
    assert found * np.ptp(x) + x.min() == pytest.approx(x, abs=1e-12)


def test_minmax_passes_over_what_is_missing() -> None:
    assert minmax([np.nan, 2.0, 4.0]).tolist()[1:] == [0.0, 1.0]
    assert np.isnan(minmax([np.nan, 2.0, 4.0])[0])
    assert np.isnan(minmax([np.nan])).all()
    assert minmax([]).shape == (0,)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20))
def test_minmax_keeps_the_order_of_any_floats(x: list[float]) -> None:
    scaled = minmax(x, 0.0)
    assert np.isfinite(scaled).all()
    assert np.all(np.diff(scaled[np.argsort(x, kind="stable")]) >= 0)
    assert set(scaled) == ({0.0} if len(set(x)) == 1 else set(scaled))


def test_minmax_of_the_whole_range_of_floats() -> None:
    assert minmax([-1.7e308, 0.0, 1.7e308]).tolist() == [0.0, 0.5, 1.0]
    assert minmax([0.0, 5e-324]).tolist() == [0.0, 1.0]
    assert minmax([1e308, 1e308], 0.0).tolist() == [0.0, 0.0]
