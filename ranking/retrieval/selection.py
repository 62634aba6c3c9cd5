"""Selection of the k largest: from an array, a stream, or scored documents (with a heap)."""

from __future__ import annotations

from heapq import heappush, heapreplace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.retrieval.scoring import combined


def largest(values: NDArray[np.floating], k: int) -> NDArray[np.int64]:
    """Return positions of the k largest finite values, largest first; ties go to the first."""
    finite = np.isfinite(values)
    k = min(k, int(finite.sum()))
    if not k:
        return np.zeros(0, np.int64)
    if not np.isfinite(values.max()):  # the partition sorts NaN to the top
        values = np.where(finite, values, -np.inf)
    least = np.partition(values, len(values) - k)[len(values) - k]
    places = np.flatnonzero(values >= least)
    return places[np.argsort(-values[places], kind="stable")][:k]


@kernel
def keep_largest(values, ids, value, id):  # type: ignore[no-untyped-def]
    """Insert a value into a descending list of the k largest; ties go to the smaller id."""
    place = len(values)
    while place > 0 and (
        values[place - 1] < value or (values[place - 1] == value and ids[place - 1] > id)
    ):
        place -= 1
    if place < len(values):
        for p in range(len(values) - 1, place, -1):
            values[p], ids[p] = values[p - 1], ids[p - 1]
        values[place], ids[place] = value, id


@kernel
def select(docs, R, factors, k):  # type: ignore[no-untyped-def]
    """Return the k best S of documents with relevance R, and their numbers, unsorted (H21 Eq. 1).

    Ties go to the first document by id.
    """
    best: list[Any] = [(0.0, 0, 0) for _ in range(0)]  # the compiler needs the type of an item
    for i in range(docs.size):
        d = docs[i]
        C_factor = factors.table[factors.clusters[d]]
        S = combined(R[i], C_factor, factors.omega_Q, factors.quality[d])
        item = S, -np.int64(factors.ranks[d]), np.int64(d)
        if len(best) < k:
            heappush(best, item)
        elif best[0] < item:
            heapreplace(best, item)
    scores, chosen = np.empty(len(best)), np.empty(len(best), np.int32)
    for i in range(len(best)):
        scores[i], _, chosen[i] = best[i]
    return scores, chosen
