"""Nearest neighbours: the blocked search against the definition, ties, and rows without others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking import neighbours as rooms
from ranking.neighbours import (
    BELOW,
    NOBODY,
    hubness,
    make_cells,
    mean_of_nearest,
    neighbours,
    neighbours_plain,
    quantized,
    row_scales,
)


@st.composite
def int_rows(draw):
    n, d = draw(st.integers(0, 14)), draw(st.integers(1, 3))
    few = st.integers(-3, 3) if draw(st.booleans()) else st.integers(-127, 127)
    rows = draw(st.lists(st.lists(few, min_size=d, max_size=d), min_size=n, max_size=n))
    return np.array(rows, np.int8).reshape(n, d)


def cloud(n, d, seed=0):
    rng = np.random.default_rng(seed)
    middles = rng.normal(0, 3, (6, d))
    return (middles[rng.integers(0, 6, n)] + rng.normal(0, 1, (n, d))).astype(np.float32)


def same(a, b):
    return a.ids.tobytes() == b.ids.tobytes() and a.cosines.tobytes() == b.cosines.tobytes()


@given(rows=int_rows(), k=st.integers(1, 16), workers=st.integers(1, 3))
def test_blocked_search_is_the_definition(rows, k, workers):
    assert same(neighbours(rows, k, workers=workers), neighbours_plain(rows, k))


@settings(max_examples=20)
@given(rows=int_rows(), k=st.integers(1, 5), block=st.integers(1, 5))
def test_blocks_change_nothing(rows, k, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rooms, "ROWS", block)
        patch.setattr(rooms, "COLUMNS", block + 1)
        small = neighbours(rows, k)
    assert same(small, neighbours(rows, k))


def test_by_hand():
    # Cosines of (4,3), (5,0), (0,5): .8, .6 and 0.
    found = neighbours(np.array([[4, 3], [5, 0], [0, 5]], np.int8), 2)
    assert found.ids.tolist() == [[1, 2], [0, 2], [0, 1]]
    np.testing.assert_allclose(found.cosines, [[0.8, 0.6], [0.8, 0.0], [0.6, 0.0]], atol=1e-6)
    means = [0.7, 0.4, 0.3]
    np.testing.assert_allclose(mean_of_nearest(found.cosines, 2), means, atol=1e-6)


def test_close_to_cosines_of_the_floats():
    x = cloud(300, 64)
    units = x / np.linalg.norm(x, axis=1, keepdims=True)
    exact = units.astype(np.float64) @ units.T.astype(np.float64)
    np.fill_diagonal(exact, -2)
    expected = -np.sort(-exact, axis=1)[:, :10]
    np.testing.assert_allclose(neighbours(x, 10).cosines, expected, atol=4e-3)
    np.testing.assert_allclose(hubness(x, 10), expected.mean(axis=1), atol=2e-3)


def test_equal_rows_tie_by_number():
    rows = np.tile(np.random.default_rng(1).integers(-99, 99, 256).astype(np.int8), (700, 1))
    found = neighbours(rows, 3)
    assert found.ids[0].tolist() == [1, 2, 3]
    assert found.ids[2].tolist() == [0, 1, 3]
    assert (found.ids[3:] == [0, 1, 2]).all()
    assert len(np.unique(found.cosines)) == 1


def test_the_same_bytes_twice_and_with_threads():
    x = cloud(1500, 32)
    cells = make_cells(x, 7, 12)
    again = make_cells(x, 7, 12)
    assert cells.order.tobytes() == again.order.tobytes()
    once = neighbours(x, 8, cells, 4)
    assert same(once, neighbours(x, 8, again, 4, workers=3))


def test_all_cells_are_the_exact_search():
    x = cloud(900, 16)
    cells = make_cells(x, 0, 9)
    assert sorted(cells.order) == list(range(900))
    assert same(neighbours(x, 5, cells, probes=9), neighbours(x, 5))


def test_few_cells_find_most_and_nothing_nearer():
    x = cloud(1200, 16)
    exact, some = neighbours(x, 10), neighbours(x, 10, make_cells(x, 0, 12), 3)
    assert (some.cosines <= exact.cosines).all()
    found = [len(set(a) & set(b)) for a, b in zip(exact.ids, some.ids, strict=True)]
    assert np.mean(found) > 8


@pytest.mark.parametrize("n", [0, 1, 2])
def test_hardly_any_rows(n):
    x = np.ones((n, 4), np.float32)
    found = neighbours(x, 3)
    assert found.ids.tolist() == [[], [[NOBODY] * 3], [[1, -1, -1], [0, -1, -1]]][n]
    assert (found.cosines == BELOW).sum() == [0, 3, 4][n]
    np.testing.assert_allclose(hubness(x, 3), [[], [0], [1, 1]][n], atol=1e-6)
    assert same(neighbours(x, 3, make_cells(x, 0)), found)


def test_zeros_and_opposites():
    rows = np.array([[0, 0], [3, 4], [-3, -4]], np.int8)
    found = neighbours(rows, 2)
    assert found.cosines[0].tolist() == [0, 0]
    assert found.ids[0].tolist() == [1, 2]
    np.testing.assert_allclose(found.cosines[1], [0, -1], atol=1e-6)
    np.testing.assert_allclose(mean_of_nearest(found.cosines, 2), [0, -0.5, -0.5], atol=1e-6)
    assert row_scales(rows).tolist() == pytest.approx([0, 0.2, 0.2])
    assert np.isfinite(make_cells(np.zeros((5, 3), np.float32), 0).order).all()


def test_rows_of_any_length_are_rounded_alike():
    assert quantized([[0.5, -1.0], [0.0, 0.0]]).tolist() == [[64, -127], [0, 0]]
    np.testing.assert_array_equal(quantized(cloud(5, 4)), quantized(cloud(5, 4) * 8))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: neighbours([[1.0]], 0), "k is 0; allowed: a whole number from 1"),
        (lambda: neighbours([[1.0]], 1, workers=0), "workers is 0"),
        (lambda: neighbours([[1.0]], 1, probes=-1), "probes is -1"),
        (lambda: neighbours([1.0], 1), r"vectors have shape \(1,\)"),
        (lambda: neighbours(np.zeros((1, 2000)), 1), "with d up to 1040"),
        (lambda: neighbours([[np.nan]], 1), "NaN or infinite"),
        (lambda: make_cells([[1.0]], 0, 0), "cells is 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
