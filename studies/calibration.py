"""How well probabilities are calibrated, and how right the surest predictions are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Bin:
    """Predictions of one range of probability: how many, their mean, the share that is right."""

    low: float
    high: float
    count: int
    predicted: float
    right: float


def calibration(probabilities: Floats, right: NDArray[np.bool_], edges: Floats) -> list[Bin]:
    """The curve: for each range [edge, next edge) with a prediction, mean probability and truth.

    The last range takes its upper edge in.
    """
    bins = []
    for low, high in pairwise(edges):
        last = high == edges[-1]
        inside = (probabilities >= low) & (
            (probabilities <= high) if last else probabilities < high
        )
        if inside.any():
            mean, truth = probabilities[inside].mean(), right[inside].mean()
            bins.append(Bin(float(low), float(high), int(inside.sum()), float(mean), float(truth)))
    return bins


def calibration_error(bins: list[Bin]) -> float:
    """Σ_bins n_b/n · |predicted_b − right_b|, in [0, 1] (expected calibration error)."""
    total = sum(b.count for b in bins)
    return sum(b.count * abs(b.predicted - b.right) for b in bins) / max(1, total)


def surest(confidence: Floats, right: NDArray[np.bool_], share: float) -> float:
    """Share of right ones among the `share` of predictions with most confidence (ties: earlier)."""
    order = np.argsort(-confidence, kind="stable")
    kept = order[: max(1, round(share * len(order)))]
    return float(right[kept].mean())
