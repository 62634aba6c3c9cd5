"""Nearest neighbours of every row by cosine, and hubness: how near everything is to a row.

Rows are compared as `ranking.quantising` makes them: their dot products are whole numbers below
2^24, which float32 holds exactly. Blocks, threads and the order of sums change nothing, so the same
rows give the same bytes, and equal rows tie: the earlier comes first. A cosine is that of the
unit rows all but rounding (about 1e-3 at 256 dimensions), and may be so much above 1.

Hubness (Radovanović, Nanopoulos & Ivanović 2010) is measured as in CSLS (Conneau et al. 2018,
r(x)): the mean cosine of a row to its k nearest neighbours.
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
from argsearch.ranking.quantising import LEVELS

Quantised = tuple[NDArray[np.int8], NDArray[np.float32]]
"""Rows int8[n, d] and scales float32[n], row · scale of length 1 (or 0): `quantise` of units."""

WIDEST = (1 << 24) // LEVELS**2
"""Entries of a row whose dot products float32 still holds exactly."""
ROWS, COLUMNS = 512, 8192
"""Rows that are compared with so many others at a time; 25 MB a thread at 256 dimensions."""
CELL = 512
"""Rows of a cell, on average."""
TRAINED = 64
"""Rows a cell that its centroid is found from."""
PROBES = 32
"""Cells that a row is compared with, its own among them."""
NOBODY, BELOW = -1, -2.0
"""Number and cosine of a neighbour that is not there: a row has n − 1 others."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The k nearest of every row, nearest first; ties by the earlier row."""

    ids: NDArray[np.int32]
    """int32[n, k], without the row itself; NOBODY where there are fewer others."""
    cosines: NDArray[np.float32]
    """float32[n, k], in [−1, 1] but for rounding; BELOW where there are fewer others."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A partition of the rows by the nearest of a few centroids."""

    order: NDArray[np.int64]
    """int64[n], the rows cell after cell, in rising order within each."""
    begins: NDArray[np.int64]
    """int64[cells + 1]: cell c holds order[begins[c]:begins[c + 1]]."""
    near: NDArray[np.int64]
    """int64[cells, cells], all cells by the cosine of their centroids, a cell itself first."""

    def rows(self, cell: int) -> NDArray[np.int64]:
        """The rows of a cell."""
        return self.order[self.begins[cell] : self.begins[cell + 1]]


def _checked(vectors: Quantised) -> Quantised:
    x, scales = vectors
    if x.dtype != np.int8 or x.ndim != 2 or x.shape[1] > WIDEST:
        raise ValueError(
            f"rows are {x.dtype} of shape {x.shape}; allowed: int8 (n, d) with d up to {WIDEST}"
        )
    if scales.shape != x.shape[:1]:
        raise ValueError(f"scales have shape {scales.shape}; allowed: one of each of {len(x)} rows")
    return x, scales


def neighbours_plain(vectors: Quantised, k: int) -> Neighbours:
    """The definition, with all n² cosines at once: what `neighbours` is held to."""
    x, scales = _checked(vectors)
    found = _nothing(len(x), k)
    cosines = (x.astype(np.float32) @ x.astype(np.float32).T * scales) * scales[:, None]
    for row in range(len(x)):
        others = np.delete(np.arange(len(x)), row)
        nearest = others[np.argsort(-cosines[row, others], kind="stable")][:k]
        found.ids[row, : len(nearest)] = nearest
        found.cosines[row, : len(nearest)] = cosines[row, nearest]
    return found


def neighbours(
    vectors: Quantised,
    k: int,
    cells: Cells | None = None,
    probes: int = PROBES,
    workers: int = 1,
    progress: Callable[[int], None] = lambda _done: None,
) -> Neighbours:
    """The k nearest rows of every row, by cosine; ties by number.

    With `cells` a row is compared with those of the `probes` cells nearest to its own only, which
    may miss some. A row of zeros has cosine 0 to all. `workers` threads share the rows; their
    number changes nothing. `progress` hears how many rows are done. Raises ValueError for anything
    but int8 rows of up to WIDEST columns with a scale each, and for k, probes or workers below 1.
    """
    for name, value in (("k", k), ("probes", probes), ("workers", workers)):
        if value < 1:
            raise ValueError(f"{name} is {value!r}; allowed: a whole number from 1")
    x, scales = _checked(vectors)
    found = _nothing(len(x), k)

    def compare(job: tuple[NDArray[np.int64], NDArray[np.int64]]) -> int:
        """Hold some rows against others; returns how many rows they were."""
        rows, others = job
        ids, cosines = found.ids[rows], found.cosines[rows]
        left = x[rows].astype(np.float32)
        for begin in range(0, len(others), COLUMNS):
            right = others[begin : begin + COLUMNS]
            dots = left @ x[right].astype(np.float32).T
            _keep_nearest(dots, (rows, right), (scales[rows], scales[right]), (ids, cosines))
        found.ids[rows], found.cosines[rows] = ids, cosines
        return len(rows)

    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), ThreadPoolExecutor(workers) as pool:
        for done in accumulate(pool.map(compare, _jobs(len(x), cells, probes))):
            progress(done)
    return found


def _nothing(n: int, k: int) -> Neighbours:
    return Neighbours(np.full((n, k), NOBODY, np.int32), np.full((n, k), BELOW, np.float32))


def _jobs(
    n: int, cells: Cells | None, probes: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Blocks of rows, each with the rows to compare it with."""
    if cells is None:
        everything = np.arange(n)
        for begin in range(0, n, ROWS):
            yield everything[begin : begin + ROWS], everything
        return
    for cell in range(len(cells.begins) - 1):
        rows = cells.rows(cell)
        others = np.concatenate([cells.rows(other) for other in cells.near[cell, :probes]])
        for begin in range(0, len(rows), ROWS):
            yield rows[begin : begin + ROWS], others


@kernel
def _keep_nearest(dots, numbers, scales, nearest):  # type: ignore[no-untyped-def]
    """Put the rows of a block that are nearer than those kept in their places, worst out."""
    rows, others = numbers
    row_scale, other_scale = scales
    ids, cosines = nearest
    k = ids.shape[1]
    for i in range(dots.shape[0]):
        floor = cosines[i, k - 1]
        for j in range(dots.shape[1]):
            cosine = (dots[i, j] * other_scale[j]) * row_scale[i]
            if cosine < floor or others[j] == rows[i]:
                continue
            place = k
            while place > 0 and (
                cosines[i, place - 1] < cosine
                or (cosines[i, place - 1] == cosine and ids[i, place - 1] > others[j])
            ):
                place -= 1
            if place == k:
                continue
            for p in range(k - 1, place, -1):
                ids[i, p], cosines[i, p] = ids[i, p - 1], cosines[i, p - 1]
            ids[i, place], cosines[i, place] = others[j], cosine
            floor = cosines[i, k - 1]


def make_cells(vectors: Quantised, seed: int, cells: int | None = None) -> Cells:
    """Cells of about CELL rows (or so many cells), by k-means on TRAINED random rows for each.

    The same arguments give the same cells on one kind of processor. Rows of zeros go to the first
    cell. Raises ValueError as `neighbours` does, and for cells below 1.
    """
    x, scales = _checked(vectors)
    if cells is not None and cells < 1:
        raise ValueError(f"cells is {cells!r}; allowed: a whole number from 1")
    number = cells or max(1, round(len(x) / CELL))
    drawn = np.random.default_rng(seed).permutation(len(x))[: TRAINED * number]
    sample = x[np.sort(drawn)].astype(np.float32) * scales[np.sort(drawn)][:, None]
    centroids = kmeans(sample, number, None, seed).centroids
    units = _units(centroids)
    labels = np.zeros(len(x), np.int64)
    for begin in range(0, len(x) if len(units) else 0, COLUMNS):
        block = x[begin : begin + COLUMNS].astype(np.float32)
        labels[begin : begin + COLUMNS] = np.argmax(block @ units.T, axis=1)
    alike = units @ units.T
    np.fill_diagonal(alike, 2.0)
    counts = np.bincount(labels, minlength=len(units)) if len(units) else np.zeros(0, np.int64)
    begins = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    near = np.argsort(-alike, axis=1, kind="stable")
    return Cells(np.argsort(labels, kind="stable"), begins, near)


def _units(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    out: NDArray[np.float32] = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return out


def mean_of_nearest(cosines: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """r_k: the mean of the first k columns that are there; float32[n], 0 for a row alone."""
    first = np.asarray(cosines[:, :k], np.float64)
    there = first > BELOW
    count = np.maximum(1, there.sum(axis=1))
    return np.asarray(np.where(there, first, 0.0).sum(axis=1) / count, np.float32)


def hubness(vectors: Quantised, k: int) -> NDArray[np.float32]:
    """r_k(x): each row's mean cosine to its k nearest other rows, float32[n].

    Raises ValueError as `neighbours` does.
    """
    return mean_of_nearest(neighbours(vectors, k).cosines, k)
