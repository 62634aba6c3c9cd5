"""Clusters of conclusions: weighted k-means (H21)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel

FULL_SIZE = 387_740
"""Arguments of args.me."""
FULL_K = 300
"""The number of their clusters that H21 chose by manual review."""

GROWTH = 0.38
"""Exponent with which the number of topics grows with the arguments; see `cluster_count`."""

MAX_ITERATIONS = 300
"""Lloyd's iterations at most; real conclusions take 20 to 60."""


@dataclass(frozen=True, slots=True)
class KMeansResult:
    """A partition of n rows into k clusters."""

    centroids: NDArray[np.float32]
    """float32[k, d], the weighted mean of each cluster's rows (not normalised)."""
    labels: NDArray[np.int32]
    """int32[n], the nearest centroid of each row."""
    inertia: float
    """Σ_i w_i ‖x_i − centroid of i's cluster‖²."""


def cluster_count(arguments: int, distinct: int, k: int) -> int:
    """The number of clusters for a corpus: k, or less where it is smaller than args.me.

    A cluster stands for a topic, and fewer arguments are about fewer topics: at most
    FULL_K · (arguments / FULL_SIZE)^GROWTH. The exponent is that of two corpora whose topics were
    counted: 321 arguments on 20 questions, 5,671 on 60. With many more clusters than topics, C
    tells the conclusions of one topic apart instead of the topics (docs/encoders.md has numbers).
    From args.me's size on, k alone decides. Never more than the `distinct` conclusions, never
    below 1 but for a corpus without conclusions.
    """
    if arguments < FULL_SIZE:
        k = min(k, round(FULL_K * (arguments / FULL_SIZE) ** GROWTH))
    return min(max(1, k), distinct)


def seed_centroids(
    X: NDArray[np.float32], k: int, weights: NDArray[np.float32], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Greedy k-means++ (Arthur & Vassilvitskii 2007): k rows of X, far from one another.

    Each next row is drawn with probability ∝ w_i · D²(x_i), D the distance to the nearest row
    chosen so far; of 2 + ⌊ln k⌋ draws the one that leaves the least Σ w_i D²(x_i) is kept.
    X is float32[n, d], weights float32[n] > 0. Fewer than k rows come back when X has fewer
    distinct ones; rows closer than a thousandth of the longest row count as equal (the distances
    of single precision end there).
    """
    squares = np.einsum("ij,ij->i", X, X)

    def distances(rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Squared distance of every row of X to these rows, float32[rows, n]."""
        found = squares - 2 * (X[rows] @ X.T) + squares[rows][:, None]
        found[found < 1e-6 * squares.max()] = 0  # rounding, not distance
        return np.asarray(found, np.float32)

    def draw(mass: NDArray[np.float32], times: int) -> NDArray[np.int64]:
        """Numbers of rows, int64[times], drawn with probability in proportion to mass."""
        cumulated = np.cumsum(mass, dtype=np.float64)
        drawn = np.searchsorted(cumulated, rng.random(times) * cumulated[-1], side="right")
        return np.asarray(np.minimum(drawn, len(X) - 1), np.int64)

    chosen = [int(draw(weights, 1)[0])]
    nearest = distances(np.array(chosen))[0]
    while len(chosen) < k and nearest.any():
        candidates = draw(weights * nearest, 2 + int(np.log(k)))
        remaining = np.minimum(distances(candidates), nearest)
        best = int(np.argmin(remaining @ weights))
        chosen.append(int(candidates[best]))
        nearest = remaining[best]
    return X[chosen]


def kmeans(
    X: NDArray[np.float32], k: int, weights: NDArray[np.float32] | None, seed: int
) -> KMeansResult:
    """Partition the rows of X, float32[n, d], into k clusters of least inertia (local optimum).

    Lloyd's iterations (scikit-learn) from greedy k-means++ seeds. A row of weight w counts as w
    equal rows; None means 1 each. The same arguments give the same bytes on one kind of
    processor, whatever the number of threads: the arithmetic runs in one thread, since sums that
    several threads add up depend on who comes first. There are fewer than k clusters when X has
    fewer distinct rows, and none when it is empty.

    Raises ValueError for k < 1, values that are not finite, or weights that are not positive.
    """
    w = np.ones(len(X), np.float32) if weights is None else np.asarray(weights, np.float32)
    _check(X, k, w)
    if not len(X):
        return KMeansResult(np.zeros((0, X.shape[1]), np.float32), np.zeros(0, np.int32), 0.0)
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        # small corpora often have fewer distinct conclusions than clusters, which is no fault
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = seed_centroids(X, min(k, len(X)), w, np.random.default_rng(seed))
        model = KMeans(len(start), init=start, n_init=1, max_iter=MAX_ITERATIONS, tol=0.0)
        model.fit(X, sample_weight=w)
    centroids = np.ascontiguousarray(model.cluster_centers_, np.float32)
    return KMeansResult(centroids, model.labels_.astype(np.int32), float(model.inertia_))


@kernel
def nearest_centroids(X, centroids):  # type: ignore[no-untyped-def]
    """The nearest centroid of each row, int32[n]; the first of several.

    X: float32[n, d]; centroids: float32[k, d], k from 1. Each row's sums are made alone, in one
    order and double precision: its label does not depend on the rows beside it.
    """
    across = np.ascontiguousarray(centroids.T).astype(np.float64)
    halves = np.zeros(len(centroids))
    for j in range(len(across)):
        halves += across[j] * across[j] / 2
    labels = np.empty(len(X), np.int32)
    for i in range(len(X)):
        near = -halves  # x·c − ‖c‖² / 2 is highest where ‖x − c‖² is least
        for j in range(len(across)):
            x = np.float64(X[i, j])
            for c in range(near.size):
                near[c] += x * across[j, c]
        labels[i] = np.argmax(near)
    return labels


def _check(X: NDArray[np.float32], k: int, weights: NDArray[np.float32]) -> None:
    if k < 1:
        raise ValueError(f"k is {k!r}; allowed: a whole number from 1")
    if X.ndim != 2 or weights.shape != (len(X),):
        raise ValueError(
            f"X has shape {X.shape}, weights {weights.shape}; allowed: (n, d) and (n,)"
        )
    if not np.isfinite(X).all():
        raise ValueError("X holds NaN or infinite values; allowed: finite numbers")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError("weights hold values that are not finite and above 0; allowed: (0, ∞)")
