"""Combine the scores of conclusions and premises into one ranking of pairs (left open by W22).

Symbols: i is the rank of a conclusion (from 0) among C, and j the rank of a premise in its list. P
is the length of the longest list of premises; s_c and s_p are the scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AggregatedPairs:
    """Pairs of a conclusion and a premise, best first."""

    i: NDArray[np.int64]
    """int64[n], the rank of each pair's conclusion."""
    j: NDArray[np.int64]
    """int64[n], the rank of the premise in its conclusion's list."""
    scores: Floats
    """float64[n], in descending order."""


FORMULAS = {
    "nested": "(conclusions - i) + (premises - j) / (premises + 1)",
    "rounds": "(premises - j) + (conclusions - i) / (conclusions + 1)",
    "product": "conclusion's score × premise's score, each at least 0",
    "mean": "(conclusion's score + premise's score) / 2",
}
"""Formula of each aggregation. `nested` lists conclusion by conclusion, `rounds` rank by rank."""


def aggregate(how: str, conclusions: Floats, premises: Floats, sizes: ArrayLike) -> AggregatedPairs:
    """Return all pairs of ranked conclusions and their ranked premises, best first.

    `conclusions` holds s_c, float64[C]; `premises` holds s_p, float64[n], one list after another;
    `sizes`, int[C], holds the lists' lengths. Ties go to the earlier conclusion, then premise. how:
    one of FORMULAS.
    """
    lengths = np.asarray(sizes, np.int64)
    i = np.repeat(np.arange(len(lengths)), lengths)
    j = np.arange(len(i)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    C, P = len(lengths), int(lengths.max(initial=0))
    s_c, s_p = conclusions[i], premises
    if how == "nested":
        scores = (C - i) + (P - j) / (P + 1)
    elif how == "rounds":
        scores = (P - j) + (C - i) / (C + 1)
    elif how == "product":
        scores = np.maximum(s_c, 0.0) * np.maximum(s_p, 0.0)
    else:
        scores = (s_c + s_p) / 2
    order = np.argsort(-scores, kind="stable")
    return AggregatedPairs(i[order], j[order], scores[order])
