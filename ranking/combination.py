"""Relevance × topical cluster × quality (H21 Eq. 1): the score and its explanation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.explanation import Explanation

COSINES = ("clipped", "shifted")
"""Readings of C: `clipped` = max(0, cos) in [0, 1]; `shifted` = 1 + cos in [0, 2] (H21)."""


def cluster_similarity(cos: ArrayLike, reading: str) -> NDArray[np.float64]:
    """C from the cosine between query and centroid, by one of the `COSINES` readings (H21).

    Raises ValueError for an unknown reading.
    """
    values = np.asarray(cos, dtype=np.float64)
    if reading == "clipped":
        return np.maximum(0.0, values)
    if reading == "shifted":
        return np.maximum(0.0, 1.0 + values)  # rounding may put a cosine a hair below -1
    raise ValueError(f"cosine is {reading!r}; allowed: {', '.join(COSINES)}")


def factor(omega: float, value: ArrayLike) -> NDArray[np.float64]:
    """One boosting factor of Eq. 1: 1 + ω·value."""
    return 1.0 + omega * np.asarray(value, dtype=np.float64)


def combine(
    R: ArrayLike, C: ArrayLike, Q: ArrayLike, omega_C: float, omega_Q: float
) -> NDArray[np.float64]:
    """S(q,d) = R(q,d) · (1 + ω_C·C(q,d)) · (1 + ω_Q·Q(d))   (H21 Eq. 1).

    R, C, Q broadcast against each other; R ≥ 0, C in [0, 2], Q in [0, 1]. A document without a
    conclusion has C = 0.
    """
    return np.asarray(R, dtype=np.float64) * factor(omega_C, C) * factor(omega_Q, Q)


def explain(
    R: Explanation, C: Explanation, Q: Explanation, omega_C: float, omega_Q: float
) -> Explanation:
    """The tree of Eq. 1 whose root is `combine(R.value, C.value, Q.value, ω_C, ω_Q)`."""
    score = float(combine(R.value, C.value, Q.value, omega_C, omega_Q))
    cluster = Explanation(
        float(factor(omega_C, C.value)),
        "cluster factor, 1 + w_cluster × C",
        (Explanation(omega_C, "w_cluster, weight of the topical cluster", symbol="ω_C"), C),
        "1 + ω_C·C",
    )
    quality = Explanation(
        float(factor(omega_Q, Q.value)),
        "quality factor, 1 + w_quality × Q",
        (Explanation(omega_Q, "w_quality, weight of the argument quality", symbol="ω_Q"), Q),
        "1 + ω_Q·Q",
    )
    return Explanation(
        score, "score, relevance × cluster factor × quality factor", (R, cluster, quality), "S"
    )
