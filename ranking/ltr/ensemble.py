"""Several models' scores as one: their mean, scaled or as they are (F22)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.numbers import minmax

SCALINGS = ("minmax", "none")
"""`minmax`: each model's scores of a topic from 0 to 1; `none`: as they are. F22 states neither."""


def ensemble(scores: ArrayLike, topics: ArrayLike, scaling: str = "minmax") -> NDArray[np.float64]:
    """The mean of m models' scores [m, n] of each item, float64[n]   (F22).

    `minmax` scales each model's scores within each topic [n] first; a model that scores all items
    of a topic alike says nothing there (½). Raises ValueError for another scaling or no model.
    """
    given, names = np.asarray(scores, np.float64), np.asarray(topics)
    if scaling not in SCALINGS:
        raise ValueError(f"scaling is {scaling!r}; allowed: {', '.join(SCALINGS)}")
    if given.ndim != 2 or not len(given):
        raise ValueError(f"scores have the shape {given.shape}; allowed: models × items")
    if scaling == "none":
        return np.asarray(given.mean(axis=0))
    scaled = np.empty_like(given)
    for topic in np.unique(names):
        own = names == topic
        scaled[:, own] = [minmax(row, 0.5) for row in given[:, own]]
    return np.asarray(scaled.mean(axis=0))
