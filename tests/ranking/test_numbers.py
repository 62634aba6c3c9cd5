"""Min–max scaling, against scikit-learn's and by its laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import MinMaxScaler

from ranking.numbers import minmax

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def test_by_hand():
    assert minmax([3.0, 1.0, 2.0]).tolist() == [1.0, 0.0, 0.5]


@given(st.lists(st.integers(-1000, 1000).map(lambda i: i / 8), min_size=1, max_size=20))
def test_equals_scikit_learn(values):
    theirs = MinMaxScaler().fit_transform(np.array(values)[:, None])[:, 0]
    np.testing.assert_allclose(minmax(values), theirs, atol=1e-12)


@given(st.lists(FINITE, max_size=20))
def test_keeps_the_order_within_0_and_1(values):
    scaled = minmax(values)
    assert np.isfinite(scaled).all()
    order = np.argsort(values, kind="stable")
    assert np.all(np.diff(scaled[order]) >= 0)
    if len(set(values)) > 1:
        assert (scaled.min(), scaled.max()) == (0, 1)


@pytest.mark.parametrize("values", [[], [5.0], [0.0, -0.0], [1e308, 1e308]])
def test_one_value_scales_to_zero(values):
    assert minmax(values).tolist() == [0.0] * len(values)


def test_the_whole_range_of_floats():
    assert minmax([-1.7e308, 0.0, 1.7e308]).tolist() == [0.0, 0.5, 1.0]
    assert minmax([0.0, 5e-324]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("values", [[np.nan], [1.0, np.inf], [[1.0]], 3.0])
def test_what_is_no_list_of_numbers_is_named(values):
    with pytest.raises(ValueError, match="allowed"):
        minmax(values)
