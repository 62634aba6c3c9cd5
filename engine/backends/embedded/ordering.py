"""All matches in the order of a column: scores are computed of those alone that can be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.query import Query
from engine.sorting import Sort, first, keys
from ranking.retrieval import members, select_listed

if TYPE_CHECKING:
    from engine.backends.embedded.searching import Matched, Searcher


def ordered(
    searcher: Searcher, query: Query, matched: Matched, sort: Sort
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """A page of documents in the order of a column, and their scores.

    Equal ones stand by score, then id; those without a value come last.
    """
    values = searcher.columns[sort.column]
    docs, most = members(searcher.matching(query)), query.offset + query.k
    order = keys(values.array[docs], values.column, sort.falling)
    near = first(order, most)
    docs, order = docs[near], order[near]
    scores = scores_of(searcher, query, matched, docs)
    best = np.lexsort((searcher.arrays.ids_ranks[docs], -scores, order))[query.offset : most]
    return docs[best], scores[best]


def scores_of(
    searcher: Searcher, query: Query, matched: Matched, docs: NDArray[np.int32]
) -> NDArray[np.float64]:
    """S of matching documents, ascending, float64[n], as the search has them to the bit."""
    found, places = select_listed(
        docs, *searcher.relevance_of(query, matched, docs), searcher.factors(query), len(docs)
    )
    scores = np.zeros(len(docs))
    scores[np.searchsorted(docs, places)] = found
    return scores
