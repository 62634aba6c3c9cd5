"""Ridge regression of quality and a logistic gate over standardised, clipped features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Standard:
    """Features clipped to the range seen in training, then centred and scaled: float64[k] each."""

    low: Floats
    high: Floats
    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, X: Floats) -> Standard:
        """The range, mean and standard deviation (1 where constant) of the columns of X[n, k]."""
        scale = X.std(axis=0)
        return cls(X.min(axis=0), X.max(axis=0), X.mean(axis=0), np.where(scale > 0, scale, 1.0))

    def __call__(self, X: Floats) -> Floats:
        """(clip(X, low, high) − mean) / scale."""
        return (np.clip(X, self.low, self.high) - self.mean) / self.scale

    def stacked(self) -> Floats:
        """low, high, mean and scale, float64[4, k]."""
        return np.stack([self.low, self.high, self.mean, self.scale])


@dataclass(frozen=True)
class Linear:
    """w·x + b over standardised features: weights float64[k]."""

    weights: Floats
    bias: float


def ridge(X: Floats, y: Floats, alpha: float) -> Linear:
    """argmin ‖y − Xw − b‖² + α‖w‖² for standardised X[n, k]; the bias is not shrunk."""
    return ridge_path(X, y, (alpha,))[0]


def ridge_path(X: Floats, y: Floats, alphas: tuple[float, ...]) -> list[Linear]:
    """`ridge` for several α, sharing the products XᵀX and Xᵀy."""
    mean, centre = float(y.mean()), X.mean(axis=0)
    centred = X - centre
    gram, moment = centred.T @ centred, centred.T @ (y - mean)
    fitted = []
    for alpha in alphas:
        weights = np.linalg.solve(gram + alpha * np.eye(X.shape[1]), moment)
        fitted.append(Linear(weights, mean - float(centre @ weights)))
    return fitted


def logistic(X: Floats, positive: NDArray[np.bool_], C: float) -> Linear:
    """Balanced logistic regression with scikit-learn's C: w·x + b > 0 means positive.

    Both classes weigh the same in training, so 0 is the threshold of the best balanced accuracy.
    """
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=C, class_weight="balanced", max_iter=5000).fit(X, positive)
    return Linear(fitted.coef_[0].astype(np.float64), float(fitted.intercept_[0]))


def prior_shift(positive: NDArray[np.bool_]) -> float:
    """log(positives / negatives): added to a balanced logit, it gives back the real shares."""
    return math.log(positive.sum() / (~positive).sum())


@kernel
def _score(X: Any, standard: Any, weights: Any, biases: Any, out: Any) -> None:
    low, high, mean, scale = standard
    for i in range(X.shape[0]):
        for m in range(weights.shape[0]):
            total = biases[m]
            for j in range(X.shape[1]):
                x = min(max(X[i, j], low[j]), high[j])
                total += weights[m, j] * ((x - mean[j]) / scale[j])
            out[i, m] = total


def score(X: Floats, standard: Standard, models: tuple[Linear, ...]) -> Floats:
    """w·standard(x) + b for every model: float64[n, len(models)].

    Sums run in one fixed order, so a row's score depends on no other row, batch or thread.
    """
    out = np.empty((len(X), len(models)))
    parts = (standard.low, standard.high, standard.mean, standard.scale)
    weights = np.stack([model.weights for model in models])
    _score(X, parts, weights, np.array([model.bias for model in models]), out)
    return out
