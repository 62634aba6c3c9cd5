"""Selection of the k largest: from an array, a stream, or scored documents (with a heap)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel
from argsearch.ranking.retrieval.bits import has
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


@inlined
def _worse(s, r, s2, r2):  # type: ignore[no-untyped-def]
    return s < s2 or (s == s2 and r > r2)


@kernel
def _sift_down(scores, docs, ranks, size):  # type: ignore[no-untyped-def]
    i = 0
    s, d = scores[0], docs[0]
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        right = child + 1
        if right < size and _worse(
            scores[right], ranks[docs[right]], scores[child], ranks[docs[child]]
        ):
            child = right
        if not _worse(scores[child], ranks[docs[child]], s, ranks[d]):
            break
        scores[i], docs[i] = scores[child], docs[child]
        i = child
    scores[i], docs[i] = s, d


@kernel
def offer(scores, docs, size, score, doc, ranks):  # type: ignore[no-untyped-def]
    """Offer a document to a heap of the best documents (worst at the root); return its new size."""
    if size < scores.size:
        i = size
        while i > 0:
            parent = (i - 1) >> 1
            if not _worse(score, ranks[doc], scores[parent], ranks[docs[parent]]):
                break
            scores[i], docs[i] = scores[parent], docs[parent]
            i = parent
        scores[i], docs[i] = score, doc
        return size + 1
    if _worse(scores[0], ranks[docs[0]], score, ranks[doc]):
        scores[0], docs[0] = score, doc
        _sift_down(scores, docs, ranks, size)
    return size


@kernel
def select(R, matched, factors, k):  # type: ignore[no-untyped-def]
    """Return the k best S among matched, eligible documents, unsorted (H21 Eq. 1)."""
    scores = np.empty(k, np.float64)
    docs = np.empty(k, np.int32)
    size = 0
    for d in range(R.size):
        if matched[d] and (not factors.filtered or has(factors.eligible[d >> 6], d)):
            C_factor = factors.table[factors.clusters[d]]
            S = combined(R[d], C_factor, factors.omega_Q, factors.quality[d])
            if size < k or scores[0] <= S:
                size = offer(scores, docs, size, S, d, factors.ranks)
    return scores[:size], docs[:size]


@kernel
def select_listed(listed, R, matched, factors, k):  # type: ignore[no-untyped-def]
    """Run `select` on listed documents, with R and `matched` from `score_listed`."""
    scores = np.empty(min(k, listed.size), np.float64)
    docs = np.empty(scores.size, np.int32)
    size = 0
    for i in range(listed.size):
        if matched[i]:
            d = listed[i]
            C_factor = factors.table[factors.clusters[d]]
            S = combined(R[i], C_factor, factors.omega_Q, factors.quality[d])
            if size < scores.size or scores[0] <= S:
                size = offer(scores, docs, size, S, d, factors.ranks)
    return scores[:size], docs[:size]
