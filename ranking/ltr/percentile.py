"""How a document's quality stands among the candidates of its question: a rank or a z-score."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.numbers import sigmoid, z_scores

READINGS = ("absolute", "rank", "z")
"""Q as it is, its rank among the candidates, or its z-score among them."""

Floats = NDArray[np.float64]


def percentile_ranks(Q: ArrayLike) -> Floats:
    """(candidates of lower Q + ½ of those of equal Q) / (n − 1), float64[n] in [0, 1].

    The share of the others that a candidate is better argued than, ties half; ½ for n = 1. The
    mean is ½ whatever Q is.
    """
    values = np.asarray(Q, np.float64)
    if len(values) < 2:
        return np.full(len(values), 0.5)
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, "left")
    to = np.searchsorted(ordered, values, "right")
    return np.asarray((below + 0.5 * (to - below - 1)) / (len(values) - 1))


def percentiles(Q: ArrayLike, reading: str) -> Floats:
    """Q read against the candidates Q [n], float64[n] in [0, 1].

    absolute: Q; rank: `percentile_ranks`; z: σ(1.702·z), near the share of a normal distribution
    below z.
    Raises ValueError for another reading.
    """
    if reading == "absolute":
        return np.asarray(Q, np.float64)
    if reading == "rank":
        return percentile_ranks(Q)
    if reading == "z":
        return sigmoid(1.702 * z_scores(Q))
    raise ValueError(f"reading is {reading!r}; allowed: {', '.join(READINGS)}")
