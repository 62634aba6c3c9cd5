"""Choose settings that are best over topics, and score them on held-out topics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Choose = Callable[[NDArray[np.float64]], int]
"""Function that takes scores [cells, topics, …] and returns the number of the chosen cell."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Scores of topics under settings that were chosen on other topics."""

    values: NDArray[np.float64]
    """float64[topics, …]: each topic's scores in the cell that was chosen on the other folds."""
    chosen: NDArray[np.int64]
    """int64[topics]: the number of the cell chosen for each topic."""


def folds(topics: int, count: int = 0, seed: int = 0) -> NDArray[np.int64]:
    """Return the fold of each topic, int64[topics]. If the count is 0, each topic is a fold.

    Fold sizes differ by at most one; the seed shuffles the topics. topics: at least two. count: 0,
    or from 2 to the number of topics.
    """
    if count == 0:
        return np.arange(topics)
    return np.random.default_rng(seed).permutation(np.arange(topics) % count)


def best_mean(scores: NDArray[np.float64]) -> int:
    """Return the cell of `scores` [cells, topics] with the largest mean; ties go to the first."""
    return int(np.argmax(_over_topics(scores)))


def best_safe(gains: NDArray[np.float64]) -> int:
    """Return the cell with the largest mean gain among the cells that don't lose on any measure.

    gains: [cells, topics, measures], differences from a baseline. If every cell loses on some
    measure, return the cell whose largest loss is the smallest.
    """
    means = _over_topics(gains)
    worst = means.min(axis=1)
    return int(np.argmax(np.where(worst >= 0, means.mean(axis=1), worst - 1e6)))


def held_out(scores: ArrayLike, fold: NDArray[np.int64], choose: Choose) -> HeldOut:
    """Score each topic in the cell that `choose` selects using the other folds' topics.

    scores: [cells, topics, …]; NaN marks a topic for which a measure is undefined.
    """
    values = np.asarray(scores, dtype=np.float64)
    chosen = np.zeros(fold.size, np.int64)
    for part in np.unique(fold):
        chosen[fold == part] = choose(values[:, fold != part])
    return HeldOut(values[chosen, np.arange(fold.size)], chosen)


def _over_topics(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return means over axis 1, ignoring NaN. A cell in which no topic is defined gets −∞."""
    defined = ~np.isnan(scores)
    counts = defined.sum(axis=1)
    sums = np.where(defined, scores, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), -np.inf)
