"""The nearest neighbours of every row, exact or within cells, and hubness.

As in `argsearch.ranking.vectors`, block size and threads never change a byte.

Hubness (Radovanović, Nanopoulos & Ivanović 2010) is measured as r(x) of CSLS (Conneau et al. 2018):
the mean cosine of a row to its k nearest neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.clustering import kmeans
from argsearch.ranking.compiled import kernel
from argsearch.ranking.retrieval.selection import keep_largest
from argsearch.ranking.vectors import (
    MOST_DIMENSIONS,
    NOBODY,
    TILE_COLUMNS,
    TILE_ROWS,
    Quantised,
    norms,
    quantise,
)

CELL = 512
"""Average number of rows in a cell."""
CELL_SAMPLE = 64
"""Number of rows per cell to train the centroids with."""
PROBES = 32
"""Number of cells that a row is compared with, including its own."""
BELOW = -2.0
"""Cosine that fills the list of a row with fewer than k neighbours."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The k nearest neighbours of every row, nearest first. Ties go to the earlier row."""

    ids: NDArray[np.int32]
    """int32[n, k], the neighbours, excluding the row itself; NOBODY for a missing one."""
    cosines: NDArray[np.float32]
    """float32[n, k], in [−1, 1] up to rounding; BELOW for a missing neighbour."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A partition of rows by their nearest centroid."""

    order: NDArray[np.int64]
    """int64[n], the rows sorted by cell, ascending within each cell."""
    begins: NDArray[np.int64]
    """int64[cells + 1]: the rows of cell c are order[begins[c]:begins[c + 1]]."""
    near: NDArray[np.int64]
    """int64[cells, cells]; row i lists all cells by descending cosine of centroids, i first."""
    centroids: Quantised
    """The centroids that define the cells; they may come from other rows."""


def _checked(vectors: Quantised) -> Quantised:
    x, scales = vectors
    if x.dtype != np.int8 or x.ndim != 2 or x.shape[1] > MOST_DIMENSIONS:
        allowed = f"int8 of shape (n, d) with d up to {MOST_DIMENSIONS}"
        raise ValueError(f"rows must be {allowed}, not {x.dtype} of shape {x.shape}")
    if scales.shape != x.shape[:1]:
        raise ValueError(f"scales must have one value per row ({len(x)}), not {scales.shape}")
    return x, scales


Job = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Positions, in cell order, of some rows and of the rows to compare them with."""


def neighbours(
    vectors: Quantised,
    k: int,
    cells: Cells | None = None,
    probes: int = PROBES,
    workers: int = 1,
    progress: Callable[[int], None] = lambda _done: None,
) -> Neighbours:
    """Return the k nearest rows of every row, by cosine. Ties go to the lower row number.

    With `cells`, a row is compared only with the `probes` cells nearest to its own, which may miss
    some neighbours. A row of zeros has cosine 0 with every row. The number of `workers` does not
    change the result. `progress` receives the number of rows done. Raises ValueError unless rows
    are int8 of up to MOST_DIMENSIONS dimensions, each with a scale.
    """
    x, scales = _checked(vectors)
    n, found, one = len(x), no_neighbours(len(x), k), np.zeros((1, 1), np.int64)
    cells = cells or Cells(np.arange(n), np.array([0, n]), one, (x[:0], scales[:0]))
    # In cell order, the rows of a cell are contiguous.
    x, scales, order = x[cells.order], scales[cells.order], cells.order

    def compare(job: Job) -> int:
        """Compare some rows with others, and return the number of rows."""
        some, others = job
        rows = order[some]
        ids, cosines = found.ids[rows], found.cosines[rows]
        left = x[some].astype(np.float32)
        for begin in range(0, len(others), TILE_COLUMNS):
            right = others[begin : begin + TILE_COLUMNS]
            dots = left @ x[right].astype(np.float32).T
            both = scales[some], scales[right]
            _keep_nearest(dots, (rows, order[right]), both, (cosines, ids))
        found.ids[rows], found.cosines[rows] = ids, cosines
        return len(rows)

    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), ThreadPoolExecutor(workers) as pool:
        for done in accumulate(pool.map(compare, _jobs(cells, probes))):
            progress(done)
    return found


def no_neighbours(n: int, k: int) -> Neighbours:
    """Return lists of k empty slots for each of n rows."""
    return Neighbours(np.full((n, k), NOBODY, np.int32), np.full((n, k), BELOW, np.float32))


def _jobs(cells: Cells, probes: int) -> Iterator[Job]:
    """Yield blocks of rows, each with the rows to compare it with."""
    runs = [np.arange(*cells.begins[cell : cell + 2]) for cell in range(len(cells.begins) - 1)]
    for rows, near in zip(runs, cells.near, strict=True):
        others = np.concatenate([runs[other] for other in near[:probes]])
        for begin in range(0, len(rows), TILE_ROWS):
            yield rows[begin : begin + TILE_ROWS], others


@kernel
def _keep_nearest(dots, numbers, scales, nearest):  # type: ignore[no-untyped-def]
    """Insert a block's columns, except for each row's own, into the nearest-neighbour lists."""
    rows, others = numbers
    row_scale, other_scale = scales
    for i in range(dots.shape[0]):
        cosines, ids = nearest[0][i], nearest[1][i]
        for j in range(dots.shape[1]):
            cosine = (dots[i, j] * other_scale[j]) * row_scale[i]
            if cosine >= cosines[-1] and others[j] != rows[i]:
                keep_largest(cosines, ids, cosine, others[j])


def make_cells(vectors: Quantised, seed: int, cells: int | None = None) -> Cells:
    """Build cells of about CELL rows, or exactly `cells` cells, by k-means.

    k-means uses CELL_SAMPLE random rows per cell. On the same type of processor, the same arguments
    give the same cells. Rows of zeros go to the first cell. Raises ValueError as `neighbours` does.
    """
    x, scales = _checked(vectors)
    number = cells or max(1, round(len(x) / CELL))
    drawn = np.random.default_rng(seed).permutation(len(x))[: CELL_SAMPLE * number]
    sample = x[np.sort(drawn)].astype(np.float32) * scales[np.sort(drawn)][:, None]
    levels = quantise(kmeans(sample, number, None, seed).centroids)[0]
    return cells_of(vectors, (levels, norms(levels)))


def cells_of(vectors: Quantised, centroids: Quantised) -> Cells:
    """Assign each row to the cell of the nearest centroid by cosine. Ties go to the first cell.

    A row's cell does not depend on the other rows. Raises ValueError as `neighbours` does.
    """
    (x, _), (levels, scales) = _checked(vectors), _checked(centroids)
    wide = levels.astype(np.float32)
    labels = np.empty(len(x), np.int32)
    for begin in range(0, len(x), TILE_COLUMNS):
        dots = x[begin : begin + TILE_COLUMNS].astype(np.float32) @ wide.T
        labels[begin : begin + TILE_COLUMNS] = np.argmax(dots * scales, axis=1)
    alike = wide @ wide.T * scales * scales[:, None]
    np.fill_diagonal(alike, 2.0)
    order = np.argsort(labels, kind="stable")
    begins = np.searchsorted(labels[order], np.arange(len(levels) + 1))
    return Cells(order, begins, np.argsort(-alike, axis=1, kind="stable"), centroids)


def mean_of_nearest(cosines: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """Return r_k, the mean of the first k columns that are present; float32[n], 0 if none are."""
    first = np.asarray(cosines[:, :k], np.float64)
    there = first > BELOW
    count = np.maximum(1, there.sum(axis=1))
    return np.asarray(np.where(there, first, 0.0).sum(axis=1) / count, np.float32)
