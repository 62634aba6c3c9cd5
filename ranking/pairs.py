"""How the scores of a conclusion and of its premise make one rank (W22 leaves it open).

Symbols: i = a conclusion's place (from 0) among C, j = a premise's place among its conclusion's,
P = the longest list of premises, s_c and s_p = their scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AggregatedPairs:
    """Pairs, best first."""

    i: NDArray[np.int64]
    """int64[n], the place of each pair's conclusion."""
    j: NDArray[np.int64]
    """int64[n], the place of its premise in the conclusion's list."""
    scores: Floats
    """float64[n], never rising."""


FORMULAS = {
    "nested": "(conclusions - i) + (premises - j) / (premises + 1)",
    "rounds": "(premises - j) + (conclusions - i) / (conclusions + 1)",
    "product": "conclusion's score × premise's score, each at least 0",
    "mean": "(conclusion's score + premise's score) / 2",
}
"""Every way, in words: `nested` puts the best conclusion with all its premises first, then the
next; `rounds` every conclusion with its best premise, then with its second."""


def aggregate(how: str, conclusions: Floats, premises: Floats, sizes: ArrayLike) -> AggregatedPairs:
    """All pairs of ranked conclusions and each one's ranked premises, best first.

    conclusions: s_c, float64[C]; premises: s_p, float64[n], each conclusion's list after the other,
    of these sizes, int[C]. Ties go to the earlier conclusion, then to its earlier premise.

    Raises ValueError for a way that `FORMULAS` lacks, or lists that do not fit.
    """
    if how not in FORMULAS:
        raise ValueError(f"aggregation is {how!r}; allowed: {', '.join(FORMULAS)}")
    lengths = np.asarray(sizes, np.int64)
    if len(lengths) != len(conclusions):
        raise ValueError(
            f"premises has {len(lengths)} lists; allowed: one for each of {len(conclusions)}"
        )
    if lengths.sum() != len(premises):
        raise ValueError(f"premises has {len(premises)} scores; allowed: {lengths.sum()} by sizes")
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
