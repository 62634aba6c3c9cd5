"""How well scores order one topic's labels: nDCG with a stated gain, three correlations (F22)."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.numbers import pearson

Floats = NDArray[np.float64]

GAINS = ("exponential", "linear")
"""What a label y gains: 2^y − 1, or y."""

DEPTHS = (5, 10, 15)


def gains(y: ArrayLike, how: str) -> Floats:
    """Gains of labels y ≥ 0 relative to the best one, float64[n] in [0, 1].

    `exponential` is (2^y − 1) / 2^(max y), which never overflows as 2^y − 1 does in single
    precision past y = 127 (F22's dense ranks reach it); `linear` is y / max y. A constant factor
    changes no nDCG. Raises ValueError for another gain or a negative label.
    """
    labels = np.asarray(y, np.float64)
    if how not in GAINS:
        raise ValueError(f"gain is {how!r}; allowed: {', '.join(GAINS)}")
    if labels.size and not labels.min() >= 0:
        raise ValueError(f"a label is {labels.min()}; allowed: 0 or more")
    top = float(labels.max(initial=0.0))
    if how == "linear":
        return labels / top if top > 0 else labels
    return np.asarray(np.exp2(labels - top) - np.exp2(-top))


def ndcg(s: ArrayLike, y: ArrayLike, k: int, gain: str = "exponential") -> float:
    """Σ_{i ≤ k} g(y_i) / log₂(1 + i) by falling s, over the same by falling y: 0 to 1.

    Equal scores stand by their place; 1 where there is nothing to gain.
    """
    g = gains(y, gain)
    weights = 1.0 / np.log2(2.0 + np.arange(min(k, len(g))))
    found = g[np.argsort(-np.asarray(s, np.float64), kind="stable")][:k]
    ideal = float(-np.sort(-g)[:k] @ weights)
    return float(found @ weights) / ideal if ideal > 0 else 1.0


def correlations(s: ArrayLike, y: ArrayLike) -> tuple[float, float, float]:
    """Pearson's r, Spearman's ρ, Kendall's τ-b; 0 where one of both is constant (F22)."""
    from scipy.stats import kendalltau, rankdata

    a, b = np.asarray(s, np.float64), np.asarray(y, np.float64)
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0, 0.0, 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tau = float(kendalltau(a, b).statistic)
    return pearson(a, b, 0.0), pearson(rankdata(a), rankdata(b), 0.0), tau
