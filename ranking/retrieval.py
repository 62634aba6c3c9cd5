"""Exact top-k retrieval: kernels for Σ max(0, A[tf] + B[length]) times the factors of Eq. 1.

`score_all` reads every posting and is the plain expression; `search_blocks` gives the same scores
and the same order from the few blocks of documents whose upper bound reaches the k-th best score,
and of those no more terms than it takes to see that no document of the block gets there.
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
TABLE = 64
"""Term frequencies below this have their score in a table."""
_SAFETY = 1.0 + 1e-9
_TINY = 1e-300
_GROUPS = 64
_STEPS = 4096
KEPT, ABOVE, EDGE = 0, 1, 2
"""Places in `Candidates.state`."""


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
    """Per query: where each term's postings of a block start, and what a block can reach."""

    starts: NDArray[np.int32]
    """int32[terms, blocks + 1], relative to the term's first posting."""
    ceilings: NDArray[np.float64]
    """float64[terms, blocks], the largest that the term adds to R in the block, or more."""
    boosts: NDArray[np.float64]
    """float64[blocks], the largest (1+ω_C·C)·(1+ω_Q·Q) in the block; not negative."""

    def bounds(self) -> NDArray[np.float64]:
        """float64[blocks], an upper bound of S in each block."""
        bounds: NDArray[np.float64] = self.ceilings.sum(axis=0) * self.boosts
        return bounds


class Candidates(NamedTuple):
    """Documents that may be among the k best, and how many have a score of each height.

    The scores from 0 to the highest bound are cut into equal steps. `edge` is the highest step with
    k candidates at or above it, so what stands below it is out.
    """

    scores: NDArray[np.float64]
    docs: NDArray[np.int32]
    counts: NDArray[np.int64]
    """int64[_STEPS], candidates of each step."""
    width: float
    state: NDArray[np.int64]
    """[candidates kept, candidates at or above the edge, edge]."""


@inlined
def term_score(tf, b, row, scale):  # type: ignore[no-untyped-def]
    """max(0, ln(1 + tf/(μP)) + ln(μ/(dl + μ))), the logarithms read from tables (H21)."""
    a = row[tf] if tf < row.size else math.log(1.0 + tf / scale)
    return max(0.0, a + b)


@kernel
def score_all(postings, terms, n):  # type: ignore[no-untyped-def]
    """R of every document, float64[n], and whether it has any query term, bool[n]."""
    R = np.zeros(n, np.float64)
    matched = np.zeros(n, np.bool_)
    for t in range(terms.begins.size):
        row, scale, weight = terms.A[t], terms.scale[t], terms.weights[t]
        for j in range(np.uint64(terms.begins[t]), np.uint64(terms.ends[t])):
            d = np.uint32(postings.docs[j])
            if d >= np.uint32(n):
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
def light_rows(postings, terms, t, starts, ceilings):  # type: ignore[no-untyped-def]
    """Block starts and ceilings of a term that has no row in the directory."""
    ceilings[:] = 0.0
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
        ceilings[block] = weight * best
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
def promising_order(bounds):  # type: ignore[no-untyped-def]
    """Blocks from high bounds to low, by counting sort into `_GROUPS` groups.

    Within a group they keep their order, so that neighbours are read one after the other.
    """
    top = bounds.max() * _SAFETY
    width = top / _GROUPS if top > 0.0 else 1.0
    counts = np.zeros(_GROUPS + 1, np.int64)
    groups = np.empty(bounds.size, np.int64)
    for b in range(bounds.size):
        i = _GROUPS - 1 - min(_GROUPS - 1, int(bounds[b] / width))
        groups[b] = i
        counts[i + 1] += 1
    for i in range(_GROUPS):
        counts[i + 1] += counts[i]
    order = np.empty(bounds.size, np.int64)
    for b in range(bounds.size):
        order[counts[groups[b]]] = b
        counts[groups[b]] += 1
    return order


@kernel
def score_block(postings, terms, blocks, block, need, R):  # type: ignore[no-untyped-def]
    """R of the documents of one block into R[BLOCK], -0.0 where none of the terms is.

    Terms in the order of `score_all`. False as soon as no document can reach an R of `need`.
    """
    rest = 0.0
    for t in range(terms.begins.size):
        rest += blocks.ceilings[t, block]
    R[:] = -0.0  # plus a score of 0.0 it is 0.0
    codes = postings.codes[block << BLOCK_BITS :]
    best = 0.0
    for t in range(terms.begins.size):
        row, scale, weight = terms.A[t], terms.scale[t], terms.weights[t]
        first = np.uint64(terms.begins[t] + blocks.starts[t, block])
        last = np.uint64(min(terms.ends[t], terms.begins[t] + blocks.starts[t, block + 1]))
        for j in range(first, last):
            i = np.uint64(postings.docs[j] & (BLOCK - 1))
            score = R[i] + weight * term_score(postings.tfs[j], terms.B[codes[i]], row, scale)
            R[i] = score
            best = max(best, score)
        rest -= blocks.ceilings[t, block]
        if (best + rest) * _SAFETY < need:
            return False
    return True


@kernel
def collect(R, block, need, factors, k, found):  # type: ignore[no-untyped-def]
    """Add a block's documents that may be among the k best to the candidates."""
    scores, docs, counts, width, state = found
    last = min(BLOCK, factors.clusters.size - (block << BLOCK_BITS))  # the last block is shorter
    for i in range(last):
        if R[i] < need or (R[i] == 0.0 and math.copysign(1.0, R[i]) < 0.0):
            continue
        d = (block << BLOCK_BITS) + i
        if factors.wanted != 0 and factors.stances[d] != factors.wanted:
            continue
        S = R[i] * factors.table[factors.clusters[d]]
        S *= 1.0 + factors.omega_Q * factors.quality[d]
        step = min(_STEPS - 1, int(S / width))
        if step >= state[EDGE]:
            scores[state[KEPT]] = S
            docs[state[KEPT]] = d
            counts[step] += 1
            state[KEPT] += 1
            state[ABOVE] += 1
            while state[ABOVE] - counts[state[EDGE]] >= k:
                state[ABOVE] -= counts[state[EDGE]]
                state[EDGE] += 1


@kernel
def sifted(found, room):  # type: ignore[no-untyped-def]
    """The candidates at or above the edge, in new arrays with room for `room` more."""
    scores = np.empty(found.state[ABOVE] + room, np.float64)
    docs = np.empty(scores.size, np.int32)
    size = 0
    for c in range(found.state[KEPT]):
        if min(_STEPS - 1, int(found.scores[c] / found.width)) >= found.state[EDGE]:
            scores[size], docs[size] = found.scores[c], found.docs[c]
            size += 1
    found.state[KEPT] = size
    return Candidates(scores, docs, found.counts, found.width, found.state)


@kernel
def search_blocks(postings, terms, blocks, factors, k):  # type: ignore[no-untyped-def]
    """The k best documents, and the few others of the k-th's step, in no order.

    Their scores are those of `select(score_all(…))`; only promising blocks are read.
    """
    bounds = np.zeros(blocks.boosts.size)
    for t in range(terms.begins.size):
        bounds += blocks.ceilings[t]
    bounds *= blocks.boosts
    width = max(bounds.max() * _SAFETY / _STEPS, _TINY)
    room = 2 * k + BLOCK
    found = Candidates(
        np.empty(room), np.empty(room, np.int32), np.zeros(_STEPS, np.int64), width,
        np.zeros(3, np.int64),
    )  # fmt: skip
    R = np.empty(BLOCK)
    for block in promising_order(bounds):
        least = found.state[EDGE] * width
        if bounds[block] * _SAFETY < least:
            continue
        need = least / (blocks.boosts[block] * _SAFETY) if least > 0.0 else 0.0
        if score_block(postings, terms, blocks, block, need, R):
            collect(R, block, need / _SAFETY, factors, k, found)
            if found.state[KEPT] + BLOCK > found.docs.size:
                found = sifted(found, room + found.state[ABOVE])
    found = sifted(found, 0)
    return found.scores, found.docs


@kernel
def add_documents(docs, n, bits):  # type: ignore[no-untyped-def]
    """Set document d's bit, bit d % 64 of bits[d / 64]; uint64[⌈n/64⌉]."""
    for j in range(docs.size):
        d = np.uint32(docs[j])
        if d < np.uint32(n):  # a damaged file must not write outside the array
            bits[d >> np.uint32(6)] |= np.uint64(1) << np.uint64(d & np.uint32(63))
