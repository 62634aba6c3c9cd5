"""Structural distance: how differently two sentences are built, going only by their tags (W22).

A sentence is a sequence of universal part-of-speech tags, given as integer codes. Symbols: q, s =
the two sequences; |q|, |s| = their lengths; m = matched tags; t = half the number of matched tags
in a different order, rounded down.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rapidfuzz.distance import Jaro


def similarity(distance: ArrayLike) -> NDArray[np.float64]:
    """Return sim = 1 − SD, the other interpretation of R in W22."""
    return np.asarray(1 - np.asarray(distance, np.float64))


def distances(q: ArrayLike, sentences: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """Return SD = 1 − sim of one sequence and each of many, in [0, 1], float64[n]   (W22).

    Jaro's sim(q, s) = ⅓ (m/|q| + m/|s| + (m − t)/m), or 0 if m = 0 (1989). It is 1 for equal
    sequences and 0 if either is empty. W22 does not state two details: t is rounded down, and the
    matching window of ⌊max(|q|, |s|) / 2⌋ − 1 tags is at least 0.

    Args: q: int[|q|], sentences: int[|s|] each.
    """
    own, others = np.asarray(q).tolist(), [np.asarray(s).tolist() for s in sentences]
    # q must be second: its tags take the first free match in s, and swapping would change t. For
    # rapidfuzz two empty sequences are equal, but in W22 they have the maximum distance.
    return np.array([Jaro.distance(s, own) if s and own else 1.0 for s in others], np.float64)
