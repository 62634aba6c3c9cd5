"""The scores of a topic (F22): dense ranks, training lists that span their range, ensembles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.numbers import minmax

Floats = NDArray[np.float64]

LENGTH = 12
"""Number of items per training list (F22)."""
SCALINGS = ("minmax", "none")
"""Scalings of each model's scores in a topic: `minmax` to 0…1, or `none`. F22 states neither."""


def dense_ranks(scores: ArrayLike) -> NDArray[np.int64]:
    """Return dense ranks, int64[n]: 1 for the lowest score, equal for ties, without gaps (F22).

    Raises ValueError if a score is not finite.
    """
    values = np.asarray(scores, np.float64)
    if not np.isfinite(values).all():
        raise ValueError("scores must be finite numbers, but some are not")
    return np.unique(values, return_inverse=True)[1].astype(np.int64).reshape(-1) + 1


def spanning_lists(scores: ArrayLike, length: int = LENGTH) -> list[NDArray[np.int64]]:
    """Split a topic's items into lists that each span the whole range of scores (F22).

    The items are sorted, best first and ties by position, and cut into `length` slices whose sizes
    differ by at most one. List i takes the i-th item of every slice that has one. So every item is
    in exactly one list, and only the last list may be shorter. length: at least 2.
    """
    best_first = np.argsort(-np.asarray(scores, np.float64), kind="stable")
    slices = np.array_split(best_first, length)
    longest = len(slices[0])
    return [
        np.array([part[i] for part in slices if i < len(part)], np.int64) for i in range(longest)
    ]


def topic_lists(
    scores: ArrayLike, topics: ArrayLike, length: int = LENGTH
) -> list[NDArray[np.int64]]:
    """Return the `spanning_lists` of every topic in sorted order, as positions in `scores` [n]."""
    values, names = np.asarray(scores, np.float64), np.asarray(topics)
    found = []
    for topic in np.unique(names):
        own = np.flatnonzero(names == topic)
        found += [own[some] for some in spanning_lists(values[own], length)]
    return found


def by_topic(values: ArrayLike, topics: ArrayLike, change: Callable[[Floats], ArrayLike]) -> Floats:
    """Apply `change` to each topic's values [n]. Return results in input order, float64[n]."""
    numbers, names = np.asarray(values, np.float64), np.asarray(topics)
    out = np.empty(len(numbers))
    for topic in np.unique(names):
        out[names == topic] = change(numbers[names == topic])
    return out


def ensemble(scores: ArrayLike, topics: ArrayLike, scaling: str = "minmax") -> NDArray[np.float64]:
    """Return the mean of the scores [m, n] that m models give to each item, float64[n]   (F22).

    `minmax` first scales each model's scores within each topic [n]. A model that gives all items of
    a topic the same score contributes ½. scaling: one of SCALINGS.
    """
    given = np.asarray(scores, np.float64)
    if scaling == "none":
        return np.asarray(given.mean(axis=0))
    scaled = [by_topic(row, topics, lambda own: minmax(own, 0.5)) for row in given]
    return np.asarray(np.array(scaled).mean(axis=0))
