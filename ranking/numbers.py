"""Pearson correlation, logistic function, min–max scaling, z-scores and percentiles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.errors import either

Floats = NDArray[np.float64]

QUALITY_READINGS = ("absolute", "rank", "z")
"""Readings of Q: the value itself, its rank among the candidates, or its z-score among them."""


def pearson(a: ArrayLike, b: ArrayLike, constant: float = float("nan")) -> float:
    """Return Pearson's r of two arrays [n], −1 to 1, or `constant` if either has no variance.

    Raises ValueError if the arrays differ in length or are empty.
    """
    x, y = (np.asarray(v, dtype=np.float64) for v in (a, b))
    if x.shape != y.shape or x.ndim != 1 or not x.size:
        raise ValueError(f"both lists must have equal length > 0, not {x.shape} and {y.shape}")
    if x.min() == x.max() or y.min() == y.max():
        return constant
    x, y = x - x.mean(), y - y.mean()
    norm = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / norm if norm > 0 else constant


def sigmoid(x: ArrayLike) -> Floats:
    """Return σ(x) = 1 / (1 + e^−x), in [0, 1], without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * np.asarray(x, dtype=np.float64))))


def minmax(x: ArrayLike, constant: float | None = None) -> Floats:
    """Return (x − min) / (max − min), in [0, 1], over the finite values of x [n]; NaN stays NaN.

    The order is preserved. If all values are equal, they are returned unchanged, or as `constant`
    if it is given.
    """
    values = np.asarray(x, dtype=np.float64)
    known = values[np.isfinite(values)]
    if not known.size or known.max() == known.min():
        return values if constant is None else np.where(np.isfinite(values), constant, values)
    low, high = known.min(), known.max()
    if max(abs(low), abs(high)) > np.finfo(np.float64).max / 2:
        values, low, high = values / 2, low / 2, high / 2  # keeps max − min finite
    return np.asarray((values - low) / (high - low))


def z_scores(x: ArrayLike, mask: NDArray[np.bool_] | None = None) -> Floats:
    """Return (x − mean) / standard deviation, both taken over x[mask]; constant values become 0."""
    values = np.asarray(x, dtype=np.float64)
    over = values if mask is None else values[mask]
    if not over.size:
        return values
    if over.min() == over.max():
        return values - float(over[0])
    return (values - float(over.mean())) / float(over.std())


def percentile_ranks(Q: ArrayLike) -> Floats:
    """Return (candidates of lower Q + ½ · others of equal Q) / (n − 1), float64[n] in [0, 1].

    This is the share of the other candidates with a lower Q, where ties count as half. A single
    candidate gets ½. The mean is always ½.
    """
    values = np.asarray(Q, np.float64)
    if len(values) < 2:
        return np.full(len(values), 0.5)
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, "left")
    to = np.searchsorted(ordered, values, "right")
    return np.asarray((below + 0.5 * (to - below - 1)) / (len(values) - 1))


def percentiles(Q: ArrayLike, reading: str) -> Floats:
    """Return Q relative to the candidates' Q [n], float64[n] in [0, 1].

    The reading `absolute` is Q, `rank` is `percentile_ranks`, and `z` is σ(1.702·z), which is close
    to the normal distribution function at z. Raises ValueError for an unknown reading.
    """
    if reading == "absolute":
        return np.asarray(Q, np.float64)
    if reading == "rank":
        return percentile_ranks(Q)
    if reading == "z":
        return sigmoid(1.702 * z_scores(Q))
    raise ValueError(f"reading must be {either(QUALITY_READINGS)}, not {reading!r}")
