"""Fitting the feature model: a ridge regression of quality and a balanced logistic gate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.quality.figures import group_folds
from argsearch.ranking.quality.linear import (
    Linear,
    Standard,
    logistic,
    prior_shift,
    ridge,
    ridge_path,
    score,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ALPHAS = (100.0, 200.0, 300.0, 500.0, 1000.0)
"""Ridge penalties to choose from."""

INNER_FOLDS = 5
"""Groups of topics within which α is chosen, never looking at the held-out topics."""


@dataclass(frozen=True)
class SurfaceModel:
    """Gate and regressor over the same clipped, standardised features."""

    standard: Standard
    regressor: Linear
    gate: Linear
    shift: float
    """Log odds of an argument in the judgements, which the balanced gate leaves out."""
    alpha: float

    def score(self, X: Floats) -> tuple[Floats, Floats]:
        """(balanced logit of being an argument, predicted quality), float64[n] each, unclipped."""
        scores = score(X, self.standard, (self.gate, self.regressor))
        return scores[:, 0], scores[:, 1]


def _choose_alpha(Z: Floats, y: Floats, topics: NDArray[np.int64]) -> float:
    """The α of the least squared error over groups of topics; the middle one for a single topic."""
    folds = group_folds(topics, min(INNER_FOLDS, len(np.unique(topics))))
    if len(np.unique(folds)) < 2:
        return ALPHAS[len(ALPHAS) // 2]
    losses = np.zeros(len(ALPHAS))
    for fold in np.unique(folds):
        out = folds == fold
        for i, fitted in enumerate(ridge_path(Z[~out], y[~out], ALPHAS)):
            errors = Z[out] @ fitted.weights + fitted.bias - y[out]
            losses[i] += float(errors @ errors)
    return ALPHAS[int(losses.argmin())]


def fit_surface(
    X: Floats, is_argument: Flags, y: Floats, topics: NDArray[np.int64]
) -> SurfaceModel:
    """Fit on features X[n, k]; quality y in [0, 1] is read for the arguments only.

    α has the least squared error over `INNER_FOLDS` groups of topics of these very items; the gate
    is penalised alike, C = 1/α.
    """
    standard = Standard.of(X)
    Z = standard(X)
    good = Z[is_argument], y[is_argument]
    alpha = _choose_alpha(*good, topics[is_argument])
    gate, regressor = logistic(Z, is_argument, 1.0 / alpha), ridge(*good, alpha)
    return SurfaceModel(standard, regressor, gate, prior_shift(is_argument), alpha)
