"""How the scores of a conclusion and of its premise make one rank (W22 leaves it open).

Symbols: i = a conclusion's place (from 0) among C, j = a premise's place among its conclusion's,
P = the longest list of premises, s_c and s_p = their scores.
"""

from __future__ import annotations

from collections.abc import Sequence
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


def nested(i: ArrayLike, j: ArrayLike, C: int, P: int) -> Floats:
    """(C − i) + (P − j)/(P + 1): the best conclusion first with all its premises, then the next."""
    return np.asarray((C - np.asarray(i)) + (P - np.asarray(j)) / (P + 1))


def rounds(i: ArrayLike, j: ArrayLike, C: int, P: int) -> Floats:
    """(P − j) + (C − i)/(C + 1): every conclusion with its best premise, then with its second."""
    return np.asarray((P - np.asarray(j)) + (C - np.asarray(i)) / (C + 1))


def product(s_c: ArrayLike, s_p: ArrayLike) -> Floats:
    """max(0, s_c) · max(0, s_p)."""
    return np.asarray(np.maximum(s_c, 0.0) * np.maximum(s_p, 0.0), np.float64)


def mean(s_c: ArrayLike, s_p: ArrayLike) -> Floats:
    """(s_c + s_p) / 2."""
    return np.asarray((np.asarray(s_c, np.float64) + np.asarray(s_p, np.float64)) / 2)


FORMULAS = {
    "nested": "(conclusions - i) + (premises - j) / (premises + 1)",
    "rounds": "(premises - j) + (conclusions - i) / (conclusions + 1)",
    "product": "conclusion's score × premise's score, each at least 0",
    "mean": "(conclusion's score + premise's score) / 2",
}
"""Every way, in words."""


def aggregate(how: str, conclusions: Floats, premises: Sequence[Floats]) -> AggregatedPairs:
    """All pairs of ranked conclusions and each one's ranked premises, best first.

    conclusions: s_c, float64[C]; premises: s_p of each conclusion's list. Ties go to the earlier
    conclusion, then to its earlier premise.

    Raises ValueError for a way that `FORMULAS` lacks, or lists that do not fit.
    """
    if how not in FORMULAS:
        raise ValueError(f"aggregation is {how!r}; allowed: {', '.join(FORMULAS)}")
    if len(premises) != len(conclusions):
        raise ValueError(
            f"premises has {len(premises)} lists; allowed: one for each of {len(conclusions)}"
        )
    sizes = [len(one) for one in premises]
    i = np.repeat(np.arange(len(sizes)), sizes)
    j = np.concatenate([np.arange(size) for size in sizes] or [np.zeros(0, np.int64)])
    C, P = len(sizes), max(sizes, default=0)
    if how in ("nested", "rounds"):
        scores = (nested if how == "nested" else rounds)(i, j, C, P)
    else:
        s_p = np.concatenate(premises) if sizes else np.zeros(0)
        scores = (product if how == "product" else mean)(conclusions[i], s_p)
    order = np.argsort(-scores, kind="stable")
    return AggregatedPairs(i[order], j[order], scores[order])
