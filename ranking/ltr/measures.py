"""Measures of one topic's ranking: nDCG with a choice of gain, and three correlations (F22)."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.numbers import pearson

Floats = NDArray[np.float64]

GAINS = ("exponential", "linear")
"""Names of the gain functions for a label y: 2^y − 1 or y."""

DEPTHS = (5, 10, 15)


def gains(y: ArrayLike, how: str) -> Floats:
    """Return the gains of labels y ≥ 0 relative to the best label's, float64[n] in [0, 1].

    `exponential` is (2^y − 1) / 2^(max y). Plain 2^y − 1 would overflow single precision past y =
    127, which F22's dense ranks reach. `linear` is y / max y. A constant factor does not change
    nDCG. Raises ValueError for a negative label.
    """
    labels = np.asarray(y, np.float64)
    if labels.size and not labels.min() >= 0:
        raise ValueError(f"labels must be at least 0, but one is {labels.min()}")
    top = float(labels.max(initial=0.0))
    if how == "linear":
        return labels / top if top > 0 else labels
    return np.asarray(np.exp2(labels - top) - np.exp2(-top))


def ndcg(s: ArrayLike, y: ArrayLike, k: int, gain: str = "exponential") -> float:
    """Return Σ_{i ≤ k} g(y_i) / log₂(1 + i) by descending s, divided by the same by descending y.

    Equal scores keep their order. The result is in [0, 1], and 1 if there is nothing to gain.
    """
    g = gains(y, gain)
    weights = 1.0 / np.log2(2.0 + np.arange(min(k, len(g))))
    found = g[np.argsort(-np.asarray(s, np.float64), kind="stable")][:k]
    ideal = float(-np.sort(-g)[:k] @ weights)
    return float(found @ weights) / ideal if ideal > 0 else 1.0


def correlations(s: ArrayLike, y: ArrayLike) -> tuple[float, float, float]:
    """Return Pearson's r, Spearman's ρ, and Kendall's τ-b; 0 if either input is constant (F22)."""
    from scipy.stats import kendalltau, rankdata

    a, b = np.asarray(s, np.float64), np.asarray(y, np.float64)
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0, 0.0, 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tau = float(kendalltau(a, b).statistic)
    return pearson(a, b, 0.0), pearson(rankdata(a), rankdata(b), 0.0), tau
