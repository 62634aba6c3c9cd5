"""Weighted k-means clustering of conclusions (H21)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel

FULL_SIZE = 387_740
"""Number of arguments in args.me."""
FULL_K = 300
"""Number of clusters for args.me, which H21 chose by manual review."""

GROWTH = 0.38
"""Exponent of the number of arguments in the number of topics (see `cluster_count`)."""

MAX_ITERATIONS = 300
"""Maximum number of Lloyd iterations. Real conclusions need 20 to 60 iterations."""


@dataclass(frozen=True, slots=True)
class KMeansResult:
    """A partition of n rows into k clusters."""

    centroids: NDArray[np.float32]
    """float32[k, d], the weighted mean of each cluster's rows (not normalised)."""
    labels: NDArray[np.int32]
    """int32[n], the nearest centroid of each row."""
    inertia: float
    """Sum of squared distances to the centroids: Σ_i w_i ‖x_i − centroid of i's cluster‖²."""


def cluster_count(arguments: int, distinct: int, k: int) -> int:
    """Return the number of clusters for a corpus: k, or fewer if it is smaller than args.me.

    A cluster stands for a topic, and fewer arguments cover fewer topics. The limit is FULL_K ·
    (arguments / FULL_SIZE)^GROWTH. The exponent fits two corpora: 321 arguments on 20 questions,
    and 5,671 on 60. With far more clusters than topics, C would separate conclusions within a topic
    (docs/encoders.md). For corpora as large as args.me, only k counts. The result is at most
    `distinct`, the number of distinct conclusions, and at least 1 unless that is 0.
    """
    if arguments < FULL_SIZE:
        k = min(k, round(FULL_K * (arguments / FULL_SIZE) ** GROWTH))
    return min(max(1, k), distinct)


def seed_centroids(
    X: NDArray[np.float32], k: int, weights: NDArray[np.float32], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Choose k rows of X, far from one another, by greedy k-means++ (Arthur & Vassilvitskii 2007).

    Each further row is drawn with probability ∝ w_i · D²(x_i), where D is the distance to the
    nearest chosen row. The best of 2 + ⌊ln k⌋ draws, with the least Σ w_i D²(x_i), is kept. X:
    float32[n, d]; weights: float32[n] > 0. If X has fewer than k distinct rows, fewer rows are
    returned. Rows closer than a thousandth of the longest row count as equal, because single
    precision cannot tell them apart.
    """
    squares = np.einsum("ij,ij->i", X, X)

    def distances(rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the squared distance of every row of X to the given rows, float32[rows, n]."""
        found = squares - 2 * (X[rows] @ X.T) + squares[rows][:, None]
        found[found < 1e-6 * squares.max()] = 0  # rounding, not distance
        return np.asarray(found, np.float32)

    def draw(mass: NDArray[np.float32], times: int) -> NDArray[np.int64]:
        """Draw row numbers, int64[times], with probability proportional to mass."""
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
    """Partition the rows of X, float32[n, d], into k clusters of low inertia (local optimum).

    Runs Lloyd's algorithm (scikit-learn) from greedy k-means++ seeds. A row of weight w counts as w
    equal rows; None means weight 1. On the same type of processor, the same arguments always give
    the same bytes. The arithmetic runs in a single thread because the order of a multi-threaded sum
    varies. If X has fewer than k distinct rows, there are fewer clusters, and none if X is empty.
    k is at least 1, and weights are above 0. Raises ValueError if a value is not finite.
    """
    w = np.ones(len(X), np.float32) if weights is None else np.asarray(weights, np.float32)
    if not len(X):
        return KMeansResult(np.zeros((0, X.shape[1]), np.float32), np.zeros(0, np.int32), 0.0)
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        # Small corpora often have fewer distinct conclusions than clusters, which is not an error.
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = seed_centroids(X, min(k, len(X)), w, np.random.default_rng(seed))
        model = KMeans(len(start), init=start, n_init=1, max_iter=MAX_ITERATIONS, tol=0.0)
        model.fit(X, sample_weight=w)
    centroids = np.ascontiguousarray(model.cluster_centers_, np.float32)
    return KMeansResult(centroids, model.labels_.astype(np.int32), float(model.inertia_))


@kernel
def nearest_centroids(X, centroids):  # type: ignore[no-untyped-def]
    """Return the nearest centroid of each row, int32[n]. Ties go to the first centroid.

    X: float32[n, d]; centroids: float32[k, d], k ≥ 1. The sums of a row use double precision and a
    fixed order, so its label does not depend on the other rows.
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
