"""Claims, or premises, that mean the same: agglomerative clusters of their embeddings (D20).

Average linkage over Euclidean distances, by SciPy. It takes O(n²) memory, so the rows are first
split by k-means into pieces of at most `PIECE_ROWS` (the paper splits its premises in 4); rows of
two pieces never meet in a cluster. Where rows come and go the splits stay, so that one row moves no
other to another piece. The paper names no cut: here it is a distance, or a number of clusters, of
which each piece has its share. (One common distance for that number would let dense pieces run
together: the largest of 10,900 clusters of 60,000 posts had 3,278 members, with shares 1,624; the
paper's largest had 1,867.)
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
"""Rows of a piece at most: 144 MB of distances."""

SAMPLE = 40
"""Rows per k-means centroid that are looked at: more change the split little, and cost much."""

COMPARE_ROWS = 128
"""Rows that are compared at once with the others of a piece: 51 MB at most, where all are alike."""

ROUNDING = 1e-4
"""Of two rows' squares: more than single precision loses of their distance's square."""

ROWS_PER_CLUSTER = 5.5
"""Mean size of a cluster in the paper: 5.53 claims, 5.51 premises (D20)."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Progress = Callable[[int, int], None]
"""Is told (rows done, rows in all)."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where the tree is cut: at a distance, or where so many clusters are left.

    Raises ValueError unless exactly one of the two is given and positive.
    """

    distance: float | None = None
    count: int | None = None

    def __post_init__(self) -> None:
        value = self.distance if self.count is None else self.count
        if (self.distance is None) == (self.count is None) or value is None or not value > 0:
            raise ValueError(
                f"distance is {self.distance}, count {self.count}; allowed: one of them, above 0"
            )


def default_count(n: int) -> int:
    """The number of clusters that gives the paper's mean size: n / 5.5, at least 1 (D20)."""
    return max(1, round(n / ROWS_PER_CLUSTER))


@dataclass(frozen=True, slots=True)
class Splits:
    """How rows are split into pieces: by the nearest of some centroids, and what is nearest to one
    again by those of a further split. The first split is of all rows."""

    centroids: Floats
    """float32[c, d], split after split."""
    numbers: NDArray[np.int32]
    """int32[c, 2], the split that each centroid is of, and the split of what is nearest to it or
    NOBODY."""


def make_splits(X: Floats, limit: int = PIECE_ROWS, seed: int = 0) -> Splits:
    """Splits by k-means, into pieces of at most `limit` rows where it can tell rows apart."""
    found = [np.zeros((0, X.shape[1]), np.float32)]
    numbers, waiting = list[list[int]](), [(np.arange(len(X), dtype=np.int64), NOBODY)]
    while waiting:
        rows, above = waiting.pop()
        if len(rows) <= limit:
            continue
        k = -(-2 * len(rows) // limit)
        step = max(1, len(rows) // (SAMPLE * k))
        centroids = kmeans(np.ascontiguousarray(X[rows[::step]]), k, None, seed).centroids
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
    """The nearest centroid of some rows, int64[m]; what is beside a row does not matter to it."""
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
    """The centroid at which each row's last split ends, int64[n]; 0 where there is no split."""
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
    """Rows of X by the splits, at most `limit` together, each ascending.

    A piece too large is split again; rows that k-means cannot tell apart are cut by their order.
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
    """The cluster of each row of X, float32[n, d], as int32[n], numbered by their first rows.

    With `cut.count`, at most so many clusters (SciPy's `maxclust`; fewer where distances tie),
    shared out over the pieces by their rows, but one a piece at least. For n ≤ limit these are
    SciPy's own clusters. `workers` threads, two at most as each has its distances in memory, share
    the pieces, each of which one clusters: their number changes no label. splits: None are made.

    Raises ValueError for values that are not finite, or a limit below 2.
    """
    from threadpoolctl import threadpool_limits

    if X.ndim != 2 or limit < 2 or not np.isfinite(X).all():
        raise ValueError(f"X {X.shape} or limit {limit}; allowed: finite rows, a limit from 2")
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
    """The clusters of one piece by average linkage, Euclidean: int64[m] from 0.

    No merge farther than the distance, or at most so many clusters (fewer where merges tie).
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
    """Whether rows are within the distance, bool[n, m]; a little too many are."""
    own, other = (np.einsum("ij,ij->i", each, each) * (1 - ROUNDING) for each in (X, Y))
    return np.asarray(own[:, None] - 2 * (X @ Y.T) <= distance**2 - other)


def _linked(X: NDArray[np.float64], at: float, by: str) -> Ints:
    """SciPy's clusters."""
    from scipy.cluster.hierarchy import fcluster, linkage

    if len(X) < 2:
        return np.zeros(len(X), np.int64)
    tree = linkage(X, "average", "euclidean")
    return np.asarray(fcluster(tree, at, by), np.int64) - 1


def _within_reach(X: Floats, distance: float) -> Ints:
    """Rows that a chain of distances up to `distance` joins have one number, int64[m] from 0.

    A mean of distances is no less than the least of them, so that no cluster below the cut reaches
    beyond such a group, and the groups' trees are those of all rows. A little too many are joined.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    labels, left, groups = np.arange(len(X)), np.arange(len(X)), len(X)
    # Rows of the largest group come last: among themselves there is nothing more to join.
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
    """The cut of each piece: the same distance, or its share of the clusters, at least one."""
    if cut.count is None:
        return [cut] * len(sizes)
    ends = np.round(np.cumsum([0, *sizes]) * (cut.count / max(1, sum(sizes))))
    return [Cut(count=max(1, int(share))) for share in np.diff(ends)]


def in_order(labels: Ints) -> NDArray[np.int32]:
    """The same clusters, numbered by the first row of each, int32[n]."""
    _, first, places = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int32)
    number[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    return np.asarray(number[places], np.int32)
