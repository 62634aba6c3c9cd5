"""Nearest neighbours: the blocked search against the definition, ties, and rows without others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.ranking import neighbours as rooms
from argsearch.ranking.neighbours import (
    BELOW,
    Cells,
    cells_of,
    make_cells,
    mean_of_nearest,
    neighbours,
)
from argsearch.ranking.vectors import NOBODY, quantise
from tests.ranking.plain import neighbours_plain


@st.composite
def int_rows(draw):
    n, d = draw(st.integers(0, 14)), draw(st.integers(1, 3))
    few = st.integers(-3, 3) if draw(st.booleans()) else st.integers(-127, 127)
    rows = draw(st.lists(st.lists(few, min_size=d, max_size=d), min_size=n, max_size=n))
    return np.array(rows, np.int8).reshape(n, d)


def exact(rows):
    """Rows as they are, with the scales that make them units."""
    rows = np.asarray(rows, np.int8)
    norms = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1))
    return rows, np.divide(1, norms, out=np.zeros(len(rows)), where=norms > 0).astype(np.float32)


def cloud(n, d, seed=0):
    rng = np.random.default_rng(seed)
    middles = rng.normal(0, 3, (6, d))
    x = middles[rng.integers(0, 6, n)] + rng.normal(0, 1, (n, d))
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


def same(a, b):
    return a.ids.tobytes() == b.ids.tobytes() and a.cosines.tobytes() == b.cosines.tobytes()


@given(
    rows=int_rows(),
    k=st.integers(1, 16),
    workers=st.integers(1, 3),
    block=st.sampled_from([2, 512]),
)
def test_blocked_search_is_the_definition(rows, k, workers, block):
    rows = exact(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rooms, "TILE_ROWS", block)
        patch.setattr(rooms, "TILE_COLUMNS", block + 1)
        found = neighbours(rows, k, workers=workers)
    assert same(found, neighbours_plain(rows, k))


@settings(max_examples=20)
@given(rows=int_rows(), k=st.integers(1, 5), block=st.integers(1, 5), seed=st.integers(0, 99))
def test_ties_go_to_the_earlier_row_in_whatever_cell_it_is(rows, k, block, seed):
    """Rows are compared cell by cell, so that an earlier one may come after a full list."""
    rng, n = np.random.default_rng(seed), len(rows)
    labels = rng.integers(0, 3, n)
    order, begins = np.argsort(labels, kind="stable"), np.searchsorted(np.sort(labels), range(4))
    near = np.array([rng.permutation(3) for _ in range(3)])
    rows = exact(rows)
    cells = Cells(order, begins, near, (rows[0][:0], rows[1][:0]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rooms, "TILE_ROWS", block)
        patch.setattr(rooms, "TILE_COLUMNS", block + 1)
        found = neighbours(rows, k, cells)
    assert same(found, neighbours_plain(rows, k))


def test_of_equal_centroids_the_first_has_the_rows_in_rising_order():
    rows = exact([[3, 4], [0, 0], [1, 1], [4, 3]])
    cells = cells_of(rows, exact([[1, 1]] * 3))
    assert (cells.order.tolist(), cells.begins.tolist()) == ([0, 1, 2, 3], [0, 4, 4, 4])
    assert cells.near.tolist() == [[0, 1, 2], [1, 0, 2], [2, 0, 1]]


def test_the_same_bytes_twice_and_with_threads():
    x = quantise(cloud(1500, 32))
    cells = make_cells(x, 7, 12)
    again = make_cells(x, 7, 12)
    assert cells.order.tobytes() == again.order.tobytes()
    once = neighbours(x, 8, cells, 4)
    assert same(once, neighbours(x, 8, again, 4, workers=3))


def test_all_cells_are_the_exact_search():
    x = quantise(cloud(900, 16))
    cells = make_cells(x, 0, 9)
    assert sorted(cells.order) == list(range(900))
    assert same(neighbours(x, 5, cells, probes=9), neighbours(x, 5))


def test_few_cells_find_most_and_nothing_nearer():
    x = quantise(cloud(1200, 16))
    full, some = neighbours(x, 10), neighbours(x, 10, make_cells(x, 0, 12), 3)
    assert (some.cosines <= full.cosines).all()
    found = [len(set(a) & set(b)) for a, b in zip(full.ids, some.ids, strict=True)]
    assert np.mean(found) > 8


@pytest.mark.parametrize("n", [0, 1, 2])
def test_hardly_any_rows(n):
    x = quantise(np.full((n, 4), 0.5))
    found = neighbours(x, 3)
    assert found.ids.tolist() == [[], [[NOBODY] * 3], [[1, -1, -1], [0, -1, -1]]][n]
    assert (found.cosines == BELOW).sum() == [0, 3, 4][n]
    np.testing.assert_allclose(mean_of_nearest(found.cosines, 3), [[], [0], [1, 1]][n], atol=1e-6)
    assert same(neighbours(x, 3, make_cells(x, 0)), found)


def test_progress_counts_every_row():
    heard = []
    neighbours(quantise(cloud(1100, 4)), 2, progress=heard.append)
    assert heard == [512, 1024, 1100]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: neighbours((np.ones((1, 1)), np.ones(1)), 1), r"rows must be int8 of shape \(n"),
        (lambda: neighbours(exact(np.zeros((1, 2000))), 1), "with d up to 1040"),
        (lambda: neighbours((np.ones((2, 1), np.int8), np.ones(1)), 1), r"scales must .*not"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
