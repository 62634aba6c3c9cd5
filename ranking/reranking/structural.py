"""Structural distance: how differently two sentences are built, from their tags alone (W22).

A sentence is its sequence of universal part-of-speech tags, here integer codes. Symbols: q, s =
the two sequences, |q|, |s| = their lengths, m = tags matched, t = half the matched tags that
stand in another order, rounded down.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.compiled import kernel


def similarity(distance: ArrayLike) -> NDArray[np.float64]:
    """sim = 1 − SD: the other reading of W22's R."""
    return np.asarray(1 - np.asarray(distance, np.float64))


def distances(q: ArrayLike, sentences: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """SD = 1 − sim of one sequence to each of many, in [0, 1], float64[n]   (W22).

    sim(q, s) = ⅓ (m/|q| + m/|s| + (m − t)/m), 0 where m = 0 (Jaro 1989): 1 for equal sequences, 0
    where one is empty. Where W22 is silent, t is rounded down and the window of ⌊max(|q|, |s|) /
    2⌋ − 1 tags, in which matched tags stand, is never below 0.

    q: int[|q|], sentences: int[|s|] each; O(|q| · window) a sentence.

    Raises ValueError for sequences that are not lists of whole numbers.
    """
    rows = [_codes(s) for s in sentences]
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    flat = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    return np.asarray(_distances(_codes(q), flat, starts))


def _codes(sequence: ArrayLike) -> NDArray[np.int64]:
    codes = np.asarray(sequence)
    if codes.ndim != 1 or (len(codes) and codes.dtype.kind not in "iu"):
        raise ValueError(
            f"tags have shape {codes.shape} and type {codes.dtype}; "
            "allowed: one list of whole numbers"
        )
    return codes.astype(np.int64)


@kernel
def _matches(q, s):  # type: ignore[no-untyped-def]
    """(m, t): each tag of q takes the first free equal one of s in the window."""
    reach = max(max(len(q), len(s)) // 2 - 1, 0)
    taken = np.zeros(len(s), np.bool_)
    of_q = np.empty(min(len(q), len(s)), np.int64)
    m = 0
    for i in range(len(q)):
        for j in range(max(0, i - reach), min(len(s), i + reach + 1)):
            if not taken[j] and s[j] == q[i]:
                taken[j] = True
                of_q[m] = q[i]
                m += 1
                break
    moved, k = 0, 0
    for j in range(len(s)):
        if taken[j]:
            moved += of_q[k] != s[j]
            k += 1
    return m, moved // 2


@kernel
def _distances(q, flat, starts):  # type: ignore[no-untyped-def]
    """SD of q to each stretch of `flat`."""
    out = np.empty(len(starts) - 1)
    for row in range(len(out)):
        s = flat[starts[row] : starts[row + 1]]
        m, t = _matches(q, s)
        out[row] = 1 - (m / len(q) + m / len(s) + (m - t) / m) / 3 if m else 1.0
    return out
