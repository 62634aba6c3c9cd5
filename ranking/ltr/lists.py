"""What F22 trains on: dense ranks of a topic's scores, and lists that span their range."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

LENGTH = 12
"""Items of a training list (F22)."""


def dense_ranks(scores: ArrayLike) -> NDArray[np.int64]:
    """int64[n], 1 for the lowest score; equal scores share a rank, none is left out (F22).

    Raises ValueError for a score that is not finite.
    """
    values = np.asarray(scores, np.float64)
    if not np.isfinite(values).all():
        raise ValueError("a score is not finite; allowed: finite scores")
    return np.unique(values, return_inverse=True)[1].astype(np.int64).reshape(-1) + 1


def spanning_lists(scores: ArrayLike, length: int = LENGTH) -> list[NDArray[np.int64]]:
    """A topic's items in lists that each span the whole range of scores (F22).

    The items, best first (equal ones by their place), are cut into `length` slices whose sizes
    differ by at most one; list i takes the i-th item of every slice that has one. So each item is
    in one list, and only the last list may be shorter. Raises ValueError for length < 2.
    """
    if length < 2:
        raise ValueError(f"length is {length}; allowed: 2 or more")
    best_first = np.argsort(-np.asarray(scores, np.float64), kind="stable")
    slices = np.array_split(best_first, length)
    longest = len(slices[0])
    return [
        np.array([part[i] for part in slices if i < len(part)], np.int64) for i in range(longest)
    ]


def topic_lists(
    scores: ArrayLike, topics: ArrayLike, length: int = LENGTH
) -> list[NDArray[np.int64]]:
    """`spanning_lists` of every topic, as places in `scores` [n]; topics [n] in sorted order."""
    values, names = np.asarray(scores, np.float64), np.asarray(topics)
    found = []
    for topic in np.unique(names):
        own = np.flatnonzero(names == topic)
        found += [own[some] for some in spanning_lists(values[own], length)]
    return found


def within_topics(values: ArrayLike, topics: ArrayLike) -> NDArray[np.int64]:
    """`dense_ranks` within each topic, int64[n]."""
    numbers, names = np.asarray(values, np.float64), np.asarray(topics)
    out = np.zeros(len(numbers), np.int64)
    for topic in np.unique(names):
        out[names == topic] = dense_ranks(numbers[names == topic])
    return out
