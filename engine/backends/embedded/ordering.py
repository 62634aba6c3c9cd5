"""All matches in the order of a column: scores are computed of those alone that can be shown."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.query import Query
from engine.sorting import Sort, first, keys
from indexer.layout.columns import Values

Scores = Callable[[NDArray[np.int32]], NDArray[np.float64]]
"""S of matching documents, ascending, float64[n]."""


def ordered(
    docs: NDArray[np.int32],
    query: Query,
    by: tuple[Values, Sort],
    scores_of: Scores,
    ranks: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """A page of the matching documents `docs` (ascending) by a column, and their scores.

    Equal ones stand by score, then id (`ranks`, of every document); those without a value last.
    """
    (values, sort), most = by, query.offset + query.k
    order = keys(values.array[docs], values.column, sort.falling)
    near = first(order, most)
    docs, order = docs[near], order[near]
    scores = scores_of(docs)
    best = np.lexsort((ranks[docs], -scores, order))[query.offset : most]
    return docs[best], scores[best]
