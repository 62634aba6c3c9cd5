"""Significance of means: bootstrap intervals, paired tests, and Holm's correction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

_ROWS = 1 << 22


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval [low, high] for a mean."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Result of a paired test: the mean difference, its statistic, and the two-sided p-value."""

    difference: float
    statistic: float
    p: float


def bootstrap_interval(
    values: ArrayLike, samples: int = 10_000, level: float = 0.95, seed: int = 0
) -> Interval:
    """Return the percentile bootstrap interval of the mean of `values` [n] (G19: n = 10,000, 95 %).

    The level is in (0, 1). Raises ValueError if there are no values.
    """
    x = np.asarray(values, dtype=np.float64)
    if not x.size:
        raise ValueError("values must be a list of at least one number, but is empty")
    rng = np.random.default_rng(seed)
    step = max(1, _ROWS // x.size)
    means = [
        x[rng.integers(0, x.size, (min(step, samples - start), x.size))].mean(axis=1)
        for start in range(0, samples, step)
    ]
    tail = (1 - level) / 2
    low, high = np.quantile(np.concatenate(means), [tail, 1 - tail])
    return Interval(float(low), float(high))


def paired_t(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test the hypothesis mean(a − b) = 0 with Student's paired t test, two-sided.

    If all differences are equal, the variance is 0; p is then 1 if all differences are 0, else 0.
    """
    d = _differences(a, b)
    mean = float(d.mean())
    if d.size < 2:
        return PairedTest(mean, float("nan"), float("nan"))
    if d.min() == d.max():
        return PairedTest(mean, float(np.copysign(np.inf, mean)) if mean else 0.0, float(mean == 0))
    from scipy.special import stdtr

    t = mean / (float(d.std(ddof=1)) / np.sqrt(d.size))
    return PairedTest(mean, float(t), float(2 * stdtr(d.size - 1, -abs(t))))


def randomisation(a: ArrayLike, b: ArrayLike, samples: int = 100_000, seed: int = 0) -> PairedTest:
    """Test mean(a − b) = 0 with Fisher's paired randomisation test, two-sided, by flipping signs.

    The test is exact if `samples` is at least 2^n, the number of sign patterns. Otherwise patterns
    are sampled with a seed, and p = (extreme + 1) / (samples + 1) is never 0.
    """
    d = _differences(a, b)
    observed = float(d.mean())
    # Flipping a zero changes nothing and would only double the number of patterns.
    d = d[d != 0]
    n = d.size
    # The tolerance for rounding makes sure that the observed pattern counts as extreme.
    limit = abs(float(d.sum())) * (1 - 1e-12)
    if n < 60 and 2**n <= samples:
        patterns = np.arange(2**n, dtype=np.int64)
        sums = np.zeros(2**n)
        for bit, value in enumerate(d):
            sums += np.where(patterns >> bit & 1, value, -value)
        return PairedTest(observed, observed, float((np.abs(sums) >= limit).mean()))
    rng = np.random.default_rng(seed)
    extreme, step = 0, max(1, _ROWS // n)
    for start in range(0, samples, step):
        signs = rng.integers(0, 2, (min(step, samples - start), n), dtype=np.int8)
        extreme += int((np.abs((2.0 * signs - 1.0) @ d) >= limit).sum())
    return PairedTest(observed, observed, (extreme + 1) / (samples + 1))


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Return Holm's adjusted p-values [m]: adjusted_(i) = max_{j≤i} min(1, (m−j+1) p_(j)).

    NaN, the p of a test that could not be computed, stays NaN and does not count towards m.
    """
    values = np.asarray(p, dtype=np.float64)
    adjusted = values.copy()
    rows = np.flatnonzero(~np.isnan(values))
    order = rows[np.argsort(values[rows], kind="stable")]
    steps = np.minimum(1.0, values[order] * np.arange(order.size, 0, -1))
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def _differences(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1 or not x.size:
        raise ValueError(f"both lists must have equal length > 0, not {x.shape} and {y.shape}")
    return x - y
