"""dcf: how many of its claim's premises a premise beats on a dimension of quality (D20)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Beats = Callable[[int, int], bool]
"""Whether the first premise beats the second."""

Wins = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
"""Whether each premise of the first list beats its partner in the second: bool[m]."""

BLOCK = 1 << 16
"""Comparisons asked for at a time; bounds memory, changes no count."""


def dcf_plain(premises: Sequence[int], beats: Beats) -> list[int]:
    """dcf(p, c, d) = |{p′ : p′ of c's premises of p's stance, p beats p′ on d}|   (D20).

    premises: those of one claim and one stance. Any classifier will do; it need not be
    transitive, nor decide for either side.
    """
    return [sum(p != other and beats(p, other) for other in premises) for p in premises]


def dcf(premises: NDArray[np.int64], starts: NDArray[np.int64], wins: Wins) -> NDArray[np.int64]:
    """`dcf_plain` of every group, int64[n], by all ordered pairs: Σ n_g·(n_g − 1) comparisons.

    premises: int64[n] by group; group g is premises[starts[g]:starts[g + 1]].
    """
    counts = np.zeros(len(premises), np.int64)
    for first, last in pairwise(starts.tolist()):
        size = last - first
        step = max(1, BLOCK // max(1, size))
        for row in range(0, size, step):
            rows = np.arange(row, min(row + step, size))
            a, b = np.repeat(rows, size), np.tile(np.arange(size), len(rows))
            a, b = a[a != b], b[a != b]
            if not len(a):
                continue
            won = wins(premises[first + a], premises[first + b])
            counts[first : first + size] += np.bincount(a[won], minlength=size)
    return counts


def dcf_by_score(scores: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """`dcf_plain` of every group where p beats p′ exactly when p's score is higher, int64[n].

    A model that is linear in the difference of two premises' features, sign(w·(x − x′)), is of
    this kind: w·x is the score, and dcf the rank from below. O(n log n) in place of Σ n_g². Equal
    scores beat neither way. scores: float64[n] by group, finite.

    Raises ValueError for a score that is not finite.
    """
    if not np.isfinite(scores).all():
        raise ValueError("scores hold NaN or infinite values; allowed: finite numbers")
    group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((scores, group))
    place = np.arange(len(scores))
    by_group, by_score = group[order], scores[order]
    first = np.ones(len(scores), bool)
    first[1:] = (by_group[1:] != by_group[:-1]) | (by_score[1:] != by_score[:-1])
    below = np.maximum.accumulate(np.where(first, place, 0)) - starts[by_group]
    counts = np.empty(len(scores), np.int64)
    counts[order] = below
    return counts
