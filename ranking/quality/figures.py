"""Measures of how well the gate and the regression predict quality, and cross-validation folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.numbers import pearson

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LONG_ARGUMENT_WORDS = 100
"""Number of words above which an argument's length says little about its quality."""


@dataclass(frozen=True)
class GateFigures:
    """Measures of the gate's decisions: F1 of the class "argument", and balanced accuracy."""

    f1: float
    balanced_accuracy: float


@dataclass(frozen=True)
class RegressionFigures:
    """Measures of predicted quality in [0, 1]: mean squared error, R², r, and r over long texts."""

    mse: float
    r2: float
    pearson: float
    pearson_long: float


def gate_figures(actual: Flags, predicted: Flags) -> GateFigures:
    """Return F1 = 2TP / (2TP + FP + FN) and (TP/P + TN/N) / 2. Both classes must occur."""
    hits = float((actual & predicted).sum())
    wrong = float((actual != predicted).sum())
    negatives = ~actual
    recall = hits / actual.sum()
    specificity = float((negatives & ~predicted).sum()) / negatives.sum()
    return GateFigures(2 * hits / (2 * hits + wrong), float(recall + specificity) / 2)


def regression_figures(actual: Floats, predicted: Floats, words: Floats) -> RegressionFigures:
    """Return the measures of predictions that are clipped to [0, 1]. words: lengths of the texts.

    Pearson's r is 0 if all predictions are equal.
    """
    clipped = np.clip(predicted, 0.0, 1.0)
    mse = float(np.mean((clipped - actual) ** 2))
    long = words > LONG_ARGUMENT_WORDS
    far = pearson(actual[long], clipped[long], 0.0) if long.any() else 0.0
    near = pearson(actual, clipped, 0.0)
    return RegressionFigures(mse, 1.0 - mse / float(actual.var()), near, far)


def random_folds(positive: Flags, k: int, seed: int) -> NDArray[np.int64]:
    """Return a fold from 0 to k−1 for each item, shuffled and stratified by class."""
    rng = np.random.default_rng(seed)
    folds = np.empty(len(positive), dtype=np.int64)
    for members in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        folds[rng.permutation(members)] = np.arange(len(members)) % k
    return folds


def group_folds(groups: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return a fold 0 … k−1 for each item. Groups are never split; k groups give leave-one-out."""
    return np.unique(groups, return_inverse=True)[1].astype(np.int64) % k
