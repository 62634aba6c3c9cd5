"""Ridge regression of quality and a balanced logistic gate, over clipped, standardised features."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.quality.figures import group_folds

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ALPHAS = (100.0, 200.0, 300.0, 500.0, 1000.0)
"""The ridge penalties α to choose from."""

INNER_FOLDS = 5
"""Number of groups of training topics for choosing a penalty."""


@dataclass(frozen=True)
class Standard:
    """A standardisation that clips to the training range, centres and scales; float64[k] each."""

    low: Floats
    high: Floats
    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, X: Floats) -> Standard:
        """Compute the range, mean and standard deviation (1 if constant) of X[n, k] by column."""
        scale = X.std(axis=0)
        return cls(X.min(axis=0), X.max(axis=0), X.mean(axis=0), np.where(scale > 0, scale, 1.0))

    def __call__(self, X: Floats) -> Floats:
        """Return (clip(X, low, high) − mean) / scale."""
        return (np.clip(X, self.low, self.high) - self.mean) / self.scale

    def stacked(self) -> Floats:
        """Return low, high, mean, and scale, float64[4, k]."""
        return np.stack([self.low, self.high, self.mean, self.scale])


@dataclass(frozen=True)
class Linear:
    """w·x + b over standardised features, with weights float64[k]."""

    weights: Floats
    bias: float


@dataclass(frozen=True)
class GatedModel:
    """A gate and a regressor over the same standardised features, and optionally over terms."""

    standard: Standard
    gate: Linear
    regressor: Linear
    shift: float
    """Log odds that a judged text is an argument; the balanced gate leaves this term out."""
    penalty: float
    words: Floats = field(default_factory=lambda: np.zeros((2, 0)))
    """float64[2, terms], the weights of each term in the gate and in the regressor."""

    def score(self, X: Floats) -> Floats:
        """Return the balanced logit of being an argument, and the quality, float64[n, 2]."""
        return score(X, self.standard, (self.gate, self.regressor))


def ridge(X: Floats, y: Floats, alpha: float) -> Linear:
    """Return argmin ‖y − Xw − b‖² + α‖w‖² for standardised X[n, k]. The bias has no penalty."""
    return ridge_path(X, y, (alpha,))[0]


def ridge_path(X: Floats, y: Floats, alphas: tuple[float, ...]) -> list[Linear]:
    """Fit `ridge` for several α, computing XᵀX and Xᵀy only once."""
    mean, centre = float(y.mean()), X.mean(axis=0)
    centred = X - centre
    gram, moment = centred.T @ centred, centred.T @ (y - mean)
    fitted = []
    for alpha in alphas:
        weights = np.linalg.solve(gram + alpha * np.eye(X.shape[1]), moment)
        fitted.append(Linear(weights, mean - float(centre @ weights)))
    return fitted


def logistic(X: Floats, positive: Flags, C: float) -> Linear:
    """Fit a balanced logistic regression with scikit-learn's C. w·x + b > 0 means positive.

    Both classes have equal weight in training, so a threshold of 0 maximises balanced accuracy.
    """
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=C, class_weight="balanced", max_iter=5000).fit(X, positive)
    return Linear(fitted.coef_[0].astype(np.float64), float(fitted.intercept_[0]))


def prior_shift(positive: Flags) -> float:
    """Return log(positives / negatives), which corrects a balanced logit for the class ratio."""
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
    """Return w·standard(x) + b for every model: float64[n, len(models)].

    Sums have a fixed order, so a row's score does not depend on other rows, batches, or threads.
    """
    out = np.empty((len(X), len(models)))
    parts = (standard.low, standard.high, standard.mean, standard.scale)
    weights = np.stack([model.weights for model in models])
    _score(X, parts, weights, np.array([model.bias for model in models]), out)
    return out


def choose_penalty(
    penalties: Sequence[float],
    topics: NDArray[np.int64],
    losses: Callable[[Flags], Sequence[float]],
) -> float:
    """Return the penalty with the least cross-validated squared error over groups of topics.

    For a single topic, use the middle penalty. losses: each penalty's held-out squared error.
    """
    folds = group_folds(topics, min(INNER_FOLDS, len(np.unique(topics))))
    if len(np.unique(folds)) < 2:
        return penalties[len(penalties) // 2]
    total = np.zeros(len(penalties))
    for fold in np.unique(folds):
        total += losses(folds == fold)
    return penalties[int(total.argmin())]


def fit_surface(X: Floats, is_argument: Flags, y: Floats, topics: NDArray[np.int64]) -> GatedModel:
    """Fit both models on features X[n, k]. The quality y in [0, 1] is used only for arguments.

    Cross-validation over `INNER_FOLDS` groups of topics chooses the α with the least squared error.
    The gate has the same penalty, C = 1/α.
    """
    standard = Standard.of(X)
    Z = standard(X)
    good, values = Z[is_argument], y[is_argument]

    def losses(out: Flags) -> list[float]:
        """Return each α's squared error on the held-out arguments."""
        fitted = ridge_path(good[~out], values[~out], ALPHAS)
        errors = [good[out] @ one.weights + one.bias - values[out] for one in fitted]
        return [float(error @ error) for error in errors]

    alpha = choose_penalty(ALPHAS, topics[is_argument], losses)
    gate, regressor = logistic(Z, is_argument, 1.0 / alpha), ridge(good, values, alpha)
    return GatedModel(standard, gate, regressor, prior_shift(is_argument), alpha)
