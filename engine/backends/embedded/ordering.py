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
    sure, tied = first(order, most)
    parts = [(sure, len(sure)), (tied, min(len(tied), most - len(sure)))]
    found = [best(searcher, query, matched, docs[places], k) for places, k in parts]
    scores, chosen = (np.concatenate(several) for several in zip(*found, strict=True))
    key = order[np.searchsorted(docs, chosen)]
    page = np.lexsort((searcher.arrays.ids_ranks[chosen], -scores, key))[query.offset : most]
    return chosen[page], scores[page]


def best(
    searcher: Searcher, query: Query, matched: Matched, docs: NDArray[np.int32], k: int
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """The scores and numbers of the k best of some matching documents, as the search has them."""
    if not k:
        return np.zeros(0), np.zeros(0, np.int32)
    R, hit = searcher.relevance_of(query, matched, docs)
    scores, chosen = select_listed(docs, R, hit, searcher.factors(query), k)
    return scores, chosen
