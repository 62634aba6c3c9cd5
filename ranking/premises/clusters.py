"""Cluster claims or premises that have the same meaning, by their embeddings (D20).

The clustering is agglomerative, with average linkage over Euclidean distances (SciPy), and takes
O(n²) memory. Therefore k-means first splits the rows into pieces of at most `PIECE_ROWS` rows (the
paper splits its premises in 4). Rows of different pieces never share a cluster. The splits stay the
same when rows are added or removed, so one row never moves another. The paper does not state the
cut. This module cuts at a distance, or at a number of clusters that the pieces share. One distance
for all pieces would merge dense pieces: the largest of 10,900 clusters of 60,000 posts then had
3,278 members. If pieces share the number of clusters, the largest has 1,624 (paper: 1,867).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.clustering import kmeans, nearest_centroids
from argsearch.ranking.vectors import NOBODY

PIECE_ROWS = 6_000
"""Maximum number of rows in a piece; the distances of a full piece take 144 MB."""

SAMPLE = 40
"""Number of sampled rows per k-means centroid. More rows are slow and make little difference."""

COMPARE_ROWS = 128
"""Number of rows of a piece to compare with the rest at a time; this takes at most 51 MB."""

ROUNDING = 1e-4
"""Bound on the relative error of a squared distance in single precision, per sum of squares."""

ROWS_PER_CLUSTER = 5.5
"""Mean size of a cluster in the paper: 5.53 claims or 5.51 premises (D20)."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Progress = Callable[[int, int], None]
"""Callback that receives the number of rows processed and the total number of rows."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut of the tree, either at a distance or at a number of clusters, above 0."""

    distance: float | None = None
    count: int | None = None


def default_count(n: int) -> int:
    """Return the number of clusters that gives the paper's mean size: n / 5.5, at least 1 (D20)."""
    return max(1, round(n / ROWS_PER_CLUSTER))


@dataclass(frozen=True, slots=True)
class Splits:
    """Tree of k-means splits that divide rows into pieces. The first split divides all rows."""

    centroids: Floats
    """float32[c, d], the centroids of each split in turn."""
    numbers: NDArray[np.int32]
    """int32[c, 2]: the split of each centroid, and the split that divides its rows, or NOBODY."""


def make_splits(
    X: Floats, limit: int = PIECE_ROWS, seed: int = 0, first: int = 0, starts: int = 1
) -> Splits:
    """Build splits by k-means into pieces of at most `limit` rows, if k-means can separate them.

    If `first` is not 0, the first split has this many pieces. The best of `starts` runs is used.
    """
    found = [np.zeros((0, X.shape[1]), np.float32)]
    numbers, waiting = list[list[int]](), [(np.arange(len(X), dtype=np.int64), NOBODY)]
    while waiting:
        rows, above = waiting.pop()
        whole = first if above == NOBODY else 0
        if len(rows) <= (0 if whole else limit):
            continue
        k = whole or -(-2 * len(rows) // limit)
        step = 1 if whole else max(1, len(rows) // (SAMPLE * k))
        sample = np.ascontiguousarray(X[rows[::step]])
        tried = (kmeans(sample, k, None, seed + start) for start in range(starts))
        centroids = min(tried, key=lambda one: one.inertia).centroids
        labels = _nearest(X, rows, centroids)
        if (labels == labels[0]).all():
            continue
        own, begin = len(found) - 1, len(numbers)
        if above != NOBODY:
            numbers[above][1] = own
        found.append(centroids)
        numbers += [[own, NOBODY] for _ in centroids]
        waiting += [(rows[labels == c], begin + c) for c in range(len(centroids))]
    return Splits(np.concatenate(found), np.array(numbers, np.int32).reshape(-1, 2))


def _nearest(X: Floats, rows: Ints, centroids: Floats) -> Ints:
    """Return each row's nearest centroid, int64[m], independent of the other rows."""
    squares = np.einsum("ij,ij->i", centroids, centroids)
    labels = np.empty(len(rows), np.int64)
    for start in range(0, len(rows), PIECE_ROWS):
        block = X[rows[start : start + PIECE_ROWS]]
        far = squares - 2 * (block @ centroids.T)
        near = np.argmin(far, axis=1)
        least = far[np.arange(len(block)), near]
        close = least + ROUNDING * (np.einsum("ij,ij->i", block, block) + squares.max())
        doubtful = np.flatnonzero((far <= close[:, None]).sum(axis=1) > 1)
        near[doubtful] = nearest_centroids(block[doubtful], centroids)
        labels[start : start + PIECE_ROWS] = near
    return labels


def _leaves(X: Floats, splits: Splits) -> Ints:
    """Return the centroid at which each row's last split ends, int64[n]; 0 without splits."""
    found, (own, below) = np.zeros(len(X), np.int64), splits.numbers.T
    waiting = [(np.arange(len(X), dtype=np.int64), 0)] if len(own) else []
    while waiting:
        rows, split = waiting.pop()
        begin, end = np.searchsorted(own, [split, split + 1]).tolist()
        found[rows] = begin + _nearest(X, rows, splits.centroids[begin:end])
        again = begin + np.flatnonzero(below[begin:end] != NOBODY)
        waiting += [(rows[found[rows] == c], int(below[c])) for c in again]
    return found


def pieces(X: Floats, splits: Splits, limit: int = PIECE_ROWS, seed: int = 0) -> list[Ints]:
    """Split the rows of X into pieces of at most `limit` rows, each ascending.

    A piece that is too large is split again. Rows that k-means cannot separate are split in order.
    """
    leaves = _leaves(X, splits)
    order, done = np.argsort(leaves, kind="stable"), list[Ints]()
    for rows in np.split(order, np.flatnonzero(np.diff(leaves[order])) + 1):
        if len(rows) > limit:
            own = make_splits(X[rows], limit, seed)
            again = pieces(X[rows], own, limit, seed) if len(own.numbers) else None
            parts = np.array_split(np.arange(len(rows)), -(-len(rows) // limit))
            done += [rows[part] for part in again or parts]
        elif len(rows):
            done.append(rows)
    return sorted(done, key=lambda part: int(part[0]))


def clusters(
    X: Floats,
    cut: Cut,
    limit: int = PIECE_ROWS,
    seed: int = 0,
    progress: Progress | None = None,
    workers: int = 1,
    splits: Splits | None = None,
) -> NDArray[np.int32]:
    """Return the cluster of each row of X, float32[n, d], as int32[n], numbered by first row.

    `cut.count` is a maximum (SciPy's `maxclust`; ties give fewer clusters). The pieces share this
    number of clusters in proportion to their sizes, at least one each. For n ≤ limit, the clusters
    are those of SciPy. At most two of the `workers` threads run at once, because of their memory.
    Threads do not change the labels. Splits are built if not given.

    Raises ValueError if a value is not finite or if limit < 2.
    """
    from threadpoolctl import threadpool_limits

    if X.ndim != 2 or limit < 2 or not np.isfinite(X).all():
        raise ValueError(f"X must be finite (n, d) and limit at least 2, not {X.shape} and {limit}")
    labels, used, done = np.empty(len(X), np.int64), 0, 0
    pool = ThreadPoolExecutor(min(workers, 2))
    try:
        with threadpool_limits(1):
            splits = splits or make_splits(X, limit, seed)
            parts = pieces(X, splits, limit, seed)
            cuts = _shared_out(cut, list(map(len, parts)))
            made = pool.map(lambda rows, own: _labels(X[rows], own), parts, cuts)
            for rows, found in zip(parts, made, strict=True):
                labels[rows] = found + used
                used, done = used + int(found.max()) + 1, done + len(rows)
                if progress:
                    progress(done, len(X))
    finally:
        pool.shutdown(cancel_futures=True)
    return in_order(labels)


def _labels(X: Floats, cut: Cut) -> Ints:
    """Return clusters of X by average linkage over Euclidean distances, from 0, int64[m].

    Merging stops at the cut's distance, or at `cut.count` clusters (fewer if there are ties).
    """
    if cut.count is not None:
        return _linked(X.astype(np.float64), cut.count, "maxclust")
    assert cut.distance is not None
    groups, used = _within_reach(X, cut.distance), 0
    labels = np.arange(len(X))
    ends = np.cumsum(np.bincount(groups))[:-1]
    for rows in np.split(np.argsort(groups, kind="stable"), ends):
        found = _linked(X[rows].astype(np.float64), cut.distance, "distance")
        labels[rows] = found + used
        used += int(found.max()) + 1
    return labels


def _are_near(X: Floats, Y: Floats, distance: float) -> NDArray[np.bool_]:
    """Return True for rows within the distance, bool[n, m], with a few false positives."""
    own, other = (np.einsum("ij,ij->i", each, each) * (1 - ROUNDING) for each in (X, Y))
    return np.asarray(own[:, None] - 2 * (X @ Y.T) <= distance**2 - other)


def _linked(X: NDArray[np.float64], at: float, by: str) -> Ints:
    from scipy.cluster.hierarchy import fcluster, linkage

    if len(X) < 2:
        return np.zeros(len(X), np.int64)
    return np.asarray(fcluster(linkage(X, "average", "euclidean"), at, by), np.int64) - 1


def _within_reach(X: Floats, distance: float) -> Ints:
    """Group rows that chains of distances up to `distance` connect; labels are int64[m], from 0.

    A mean distance is at least the smallest one, so a cluster below the cut lies in one group.
    Below the cut, the trees of the groups equal that of all rows. False positives may join groups.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    labels, left, groups = np.arange(len(X)), np.arange(len(X)), len(X)
    # Rows of the largest group come last, because they need not be joined with each other.
    while (apart := labels[left] != np.bincount(labels[left], minlength=1).argmax()).any():
        block = left[apart][:COMPARE_ROWS]
        near = _are_near(X[block], X[left], distance)
        near &= labels[block, None] != labels[left]
        one, other = np.nonzero(near)
        ends = labels[block][one], labels[left][other]
        graph = coo_array((np.ones(len(one), np.bool_), ends), (groups, groups))
        groups, merged = connected_components(graph, directed=False)
        labels, left = merged[labels], np.setdiff1d(left, block, assume_unique=True)
    return np.asarray(labels, np.int64)


def _shared_out(cut: Cut, sizes: list[int]) -> list[Cut]:
    """Return each piece's cut: the common distance, or its share of the clusters, at least 1."""
    if cut.count is None:
        return [cut] * len(sizes)
    ends = np.round(np.cumsum([0, *sizes]) * (cut.count / max(1, sum(sizes))))
    return [Cut(count=max(1, int(share))) for share in np.diff(ends)]


def in_order(labels: Ints) -> NDArray[np.int32]:
    """Renumber clusters in the order of their first rows, int32[n]."""
    _, first, places = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int32)
    number[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    return np.asarray(number[places], np.int32)
