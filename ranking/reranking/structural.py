"""Structural distance: how differently two sentences are built, from their tags alone (W22).

A sentence is its sequence of universal part-of-speech tags, here integer codes. Symbols: q, s =
the two sequences, |q|, |s| = their lengths, m = tags matched, t = half the matched tags that
stand in another order, rounded down.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rapidfuzz.distance import Jaro


def similarity(distance: ArrayLike) -> NDArray[np.float64]:
    """sim = 1 − SD: the other reading of W22's R."""
    return np.asarray(1 - np.asarray(distance, np.float64))


def distances(q: ArrayLike, sentences: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """SD = 1 − sim of one sequence to each of many, in [0, 1], float64[n]   (W22).

    sim(q, s) = ⅓ (m/|q| + m/|s| + (m − t)/m), 0 where m = 0 (Jaro 1989): 1 for equal sequences, 0
    where one is empty. Where W22 is silent, t is rounded down and the window of ⌊max(|q|, |s|) /
    2⌋ − 1 tags, in which matched tags stand, is never below 0.

    q: int[|q|], sentences: int[|s|] each.

    Raises ValueError for sequences that are not lists of whole numbers.
    """
    own, others = _codes(q), [_codes(s) for s in sentences]
    # q goes second: its tags take the first free equal one of s, and the other way round t differs.
    # Two empty sequences are alike to rapidfuzz, and as far apart as can be to W22.
    return np.array([Jaro.distance(s, own) if s and own else 1.0 for s in others], np.float64)


def _codes(sequence: ArrayLike) -> list[int]:
    codes = np.asarray(sequence)
    if codes.ndim != 1 or (len(codes) and codes.dtype.kind not in "iu"):
        raise ValueError(
            f"tags have shape {codes.shape} and type {codes.dtype}; "
            "allowed: one list of whole numbers"
        )
    found: list[int] = codes.tolist()
    return found
