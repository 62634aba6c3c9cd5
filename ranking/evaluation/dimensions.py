"""Quality dimensions together: the combined score, its principal components, correlations (G19)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.numbers import z_scores

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Components:
    """Principal components: share of variance [d] and loadings [d, d], a component a row."""

    explained: Floats
    loadings: Floats


def combined_quality(Z: ArrayLike, origin: float = -10.0) -> Floats:
    """Combined quality [n] of dimension scores Z [n, d]: z-normalised ‖z − (origin, …)‖₂ (G19)."""
    scores = _matrix(Z)
    return z_scores(np.sqrt(((scores - origin) ** 2).sum(axis=1)))


def principal_components(Z: ArrayLike) -> Components:
    """PCA of dimension scores Z [n, d], z-normalised first; each loading's sum is positive."""
    scores = _matrix(Z)
    X = np.column_stack([z_scores(column) for column in scores.T])
    _, singular, loadings = np.linalg.svd(X, full_matrices=False)
    variance = singular**2
    signs = np.where(loadings.sum(axis=1) < 0, -1.0, 1.0)
    return Components(variance / variance.sum(), loadings * signs[:, None])


def _matrix(Z: ArrayLike) -> Floats:
    scores = np.asarray(Z, dtype=np.float64)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(f"scores have the shape {scores.shape}; allowed: [items, dimensions]")
    return scores
