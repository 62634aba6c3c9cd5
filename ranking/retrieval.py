"""Exact top-k retrieval: kernels for Σ max(0, A[tf] + B[length]) times the factors of Eq. 1.

`score_all` reads every posting and is the plain expression; `search_blocks` gives the same scores
and the same order from the few blocks of documents whose upper bound reaches the k-th best score.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking.compiled import inlined, kernel

BLOCK_BITS = 7
"""A block is 2^BLOCK_BITS consecutive documents."""
BLOCK = 1 << BLOCK_BITS
TABLE = 256
"""Term frequencies below this have their score in a table."""
_SAFETY = 1.0 + 1e-9
_BUCKETS = 1024


class Postings(NamedTuple):
    """A field's postings: documents and term frequencies, each term's run sorted by document."""

    docs: NDArray[np.int32]
    tfs: NDArray[np.unsignedinteger]
    codes: NDArray[np.integer]
    """Each document's length code: an index into `Terms.B`."""


class Terms(NamedTuple):
    """A query's distinct terms: their runs in the postings and their score tables."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    weights: NDArray[np.float64]
    """How often the query has the term."""
    A: NDArray[np.float64]
    """ln(1 + tf/(μP)) for tf < TABLE, float64[terms, TABLE]."""
    scale: NDArray[np.float64]
    """μP of each term, for the frequencies beyond the table."""
    B: NDArray[np.float64]
    """ln(μ/(dl + μ)) by length code."""


class Factors(NamedTuple):
    """The query-independent half of Eq. 1, and its weights for this query (H21)."""

    clusters: NDArray[np.integer]
    """Each document's cluster; the last row of `table` stands for none."""
    table: NDArray[np.float64]
    """1 + ω_C·C of each cluster, float64[n_clusters + 1]."""
    quality: NDArray[np.float32]
    omega_Q: float
    ranks: NDArray[np.int32]
    """Each document's position in the order of ids: the tie-breaker."""
    stances: NDArray[np.uint8]
    wanted: int
    """The stance code asked for; 0 takes every document."""


class Blocks(NamedTuple):
    """Per query: where each term's postings of a block start, and each block's upper bound."""

    starts: NDArray[np.int32]
    """int32[terms, blocks + 1], relative to the term's first posting."""
    bounds: NDArray[np.float64]
    """float64[blocks], an upper bound of S in the block."""


@inlined
def term_score(tf, b, row, scale):  # type: ignore[no-untyped-def]
    """max(0, ln(1 + tf/(μP)) + ln(μ/(dl + μ))), the logarithms read from tables (H21)."""
    a = row[tf] if tf < TABLE else math.log(1.0 + tf / scale)
    return max(0.0, a + b)


@kernel
def score_all(postings, terms, n):  # type: ignore[no-untyped-def]
    """R of every document, float64[n], and whether it has any query term, bool[n]."""
    R = np.zeros(n, np.float64)
    matched = np.zeros(n, np.bool_)
    for t in range(terms.begins.size):
        row, scale, weight = terms.A[t], terms.scale[t], terms.weights[t]
        for j in range(terms.begins[t], terms.ends[t]):
            d = postings.docs[j]
            if d >= n or d < 0:
                continue  # a damaged file must not write outside the array
            R[d] += weight * term_score(postings.tfs[j], terms.B[postings.codes[d]], row, scale)
            matched[d] = True
    return R, matched


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
    """Put a document into the heap of the best (worst at the root); returns the heap's new size."""
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
    """The k best of S = R·(1+ω_C·C)·(1+ω_Q·Q) among the matched, in no order (H21 Eq. 1)."""
    scores = np.empty(k, np.float64)
    docs = np.empty(k, np.int32)
    size = 0
    for d in range(R.size):
        if matched[d] and (factors.wanted == 0 or factors.stances[d] == factors.wanted):
            S = R[d] * factors.table[factors.clusters[d]]
            S *= 1.0 + factors.omega_Q * factors.quality[d]
            if size < k or scores[0] <= S:
                size = offer(scores, docs, size, S, d, factors.ranks)
    return scores[:size], docs[:size]


@kernel
def light_rows(postings, terms, t, starts, bounds):  # type: ignore[no-untyped-def]
    """Block starts of a term without a row in the directory; adds its maxima to `bounds`."""
    begin, end = terms.begins[t], terms.ends[t]
    row, scale, weight = terms.A[t], terms.scale[t], terms.weights[t]
    filled, j = 0, begin
    while j < end:
        block = postings.docs[j] >> BLOCK_BITS
        for b in range(filled, block + 1):
            starts[b] = j - begin
        filled = block + 1
        best = 0.0
        while j < end and postings.docs[j] >> BLOCK_BITS == block:
            b_len = terms.B[postings.codes[postings.docs[j]]]
            best = max(best, term_score(postings.tfs[j], b_len, row, scale))
            j += 1
        bounds[block] += weight * best
    starts[filled:] = end - begin


@kernel
def factor_bounds(spans, span_clusters, span_quality, table, omega_Q):  # type: ignore[no-untyped-def]
    """The largest (1+ω_C·C)·(1+ω_Q·Q) of each block, from the clusters that it holds; ω_Q ≥ 0."""
    bounds = np.zeros(spans.size - 1, np.float64)
    for b in range(bounds.size):
        for s in range(spans[b], spans[b + 1]):
            f = table[span_clusters[s]] * (1.0 + omega_Q * span_quality[s])
            bounds[b] = max(bounds[b], f)
    return bounds


@kernel
def bucket_order(bounds):  # type: ignore[no-untyped-def]
    """Blocks from the highest bound to the lowest, by counting sort over `_BUCKETS` values."""
    top = bounds.max() * _SAFETY
    width = top / _BUCKETS if top > 0.0 else 1.0
    counts = np.zeros(_BUCKETS + 1, np.int64)
    bucket = np.empty(bounds.size, np.int64)
    for b in range(bounds.size):
        i = _BUCKETS - 1 - min(_BUCKETS - 1, int(bounds[b] / width))
        bucket[b] = i
        counts[i + 1] += 1
    for i in range(_BUCKETS):
        counts[i + 1] += counts[i]
    order = np.empty(bounds.size, np.int64)
    for b in range(bounds.size):
        order[counts[bucket[b]]] = b
        counts[bucket[b]] += 1
    return order, bucket, width


@kernel
def score_block(postings, terms, starts, block, R, matched):  # type: ignore[no-untyped-def]
    """R of the documents of one block into R[BLOCK]; terms in the query's order, as `score_all`."""
    R[:] = 0.0
    matched[:] = False
    for t in range(terms.begins.size):
        row, scale, weight = terms.A[t], terms.scale[t], terms.weights[t]
        first = terms.begins[t] + starts[t, block]
        for j in range(first, terms.begins[t] + starts[t, block + 1]):
            d = postings.docs[j]
            i = d & (BLOCK - 1)
            R[i] += weight * term_score(postings.tfs[j], terms.B[postings.codes[d]], row, scale)
            matched[i] = True


@kernel
def search_blocks(postings, terms, blocks, factors, k):  # type: ignore[no-untyped-def]
    """The k best documents, as `select(score_all(…))` gives them, reading only promising blocks."""
    scores = np.empty(k, np.float64)
    docs = np.empty(k, np.int32)
    R = np.empty(BLOCK, np.float64)
    matched = np.empty(BLOCK, np.bool_)
    order, bucket, width = bucket_order(blocks.bounds)
    size = 0
    for place in range(order.size):
        block = order[place]
        if size == k:
            if (_BUCKETS - bucket[block]) * width * _SAFETY < scores[0]:
                break
            if blocks.bounds[block] * _SAFETY < scores[0]:
                continue
        score_block(postings, terms, blocks.starts, block, R, matched)
        base = block << BLOCK_BITS
        for i in range(BLOCK):
            if matched[i]:
                d = base + i
                if factors.wanted == 0 or factors.stances[d] == factors.wanted:
                    S = R[i] * factors.table[factors.clusters[d]]
                    S *= 1.0 + factors.omega_Q * factors.quality[d]
                    if size < k or scores[0] <= S:
                        size = offer(scores, docs, size, S, d, factors.ranks)
    return scores[:size], docs[:size]


@kernel
def count_matches(postings, terms, n, stances, wanted):  # type: ignore[no-untyped-def]
    """How many documents have any of the terms (and the stance asked for)."""
    seen = np.zeros(n, np.bool_)
    total = 0
    for t in range(terms.begins.size):
        for j in range(terms.begins[t], terms.ends[t]):
            d = postings.docs[j]
            if 0 <= d < n and not seen[d]:
                seen[d] = True
                total += wanted == 0 or stances[d] == wanted
    return total
