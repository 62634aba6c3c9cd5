"""The search by blocks: only documents are scored whose block can reach the k-th best score."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.retrieval.bits import has
from argsearch.ranking.retrieval.scoring import combined, reached, term_score

BLOCK_BITS = 7
"""A block is 2^BLOCK_BITS consecutive documents."""
BLOCK = 1 << BLOCK_BITS
SAFETY = 1.0 + 1e-9
"""What bounds are raised by, for they are sums in another order than scores."""
_GROUPS = 64
_TINY = 1e-300
_STEPS = 4096
FEW_ELIGIBLE = 12
"""Eligible documents of a block up to which they are scored one by one."""
CANDIDATE_COUNT, COUNT_ABOVE_EDGE, EDGE = range(3)
"""Places in `Candidates.state`."""


class BlockBounds(NamedTuple):
    """Per query: where each term's postings of a block start, and what a block can reach."""

    starts: NDArray[np.int32]
    """int32[terms, blocks + 1], relative to the term's first posting."""
    ceilings: NDArray[np.float64]
    """float64[terms, blocks], the largest that the term adds to R in the block, or more."""
    boosts: NDArray[np.float64]
    """float64[blocks], the largest (1+ω_C·C)·(1+ω_Q·Q) in the block; not negative."""


@kernel
def light_rows(postings, terms, t, starts, ceilings):  # type: ignore[no-untyped-def]
    """Block starts and ceilings, for a weight of one, of a term that is not in the directory."""
    ceilings[:] = 0.0
    begin, end = terms.begins[t], terms.ends[t]
    row, scale = terms.A[t], terms.scale[t]
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
        ceilings[block] = best
    starts[filled:] = end - begin


@kernel
def factor_bounds(spans, span_clusters, span_quality, table, omega_Q):  # type: ignore[no-untyped-def]
    """The largest (1+ω_C·C)·(1+ω_Q·Q) of each block, from the clusters that it holds; ω_Q ≥ 0."""
    bounds = np.zeros(spans.size - 1, np.float64)
    for b in range(bounds.size):
        for s in range(spans[b], spans[b + 1]):
            f = combined(1.0, table[span_clusters[s]], omega_Q, span_quality[s])
            bounds[b] = max(bounds[b], f)
    return bounds


@kernel
def promising_order(bounds):  # type: ignore[no-untyped-def]
    """Blocks from high bounds to low, by counting sort into `_GROUPS` groups.

    Within a group they keep their order, so that neighbours are read one after the other.
    """
    top = bounds.max() * SAFETY
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
def some_eligible(eligible, block):  # type: ignore[no-untyped-def]
    """Whether any document of a block is in a set of bits."""
    first = block << (BLOCK_BITS - 6)
    for word in range(first, min(first + (BLOCK >> 6), eligible.size)):  # the last may be shorter
        if eligible[word] != np.uint64(0):
            return True
    return False


@kernel
def score_bounds(blocks, factors):  # type: ignore[no-untyped-def]
    """float64[blocks], an upper bound of S in each block; 0 where no document may be an answer."""
    bounds = np.zeros(blocks.boosts.size)
    for t in range(blocks.ceilings.shape[0]):
        bounds += blocks.ceilings[t]
    bounds *= blocks.boosts
    if factors.filtered:
        for block in range(bounds.size):
            if not some_eligible(factors.eligible, block):
                bounds[block] = 0.0
    return bounds


class BlockCandidates(NamedTuple):
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
        if (best + rest) * SAFETY < need:
            return False
    return True


@kernel
def list_eligible(eligible, block, listed):  # type: ignore[no-untyped-def]
    """Places in a block of documents that may be answers into listed[FEW_ELIGIBLE]; their number.

    More than FEW_ELIGIBLE are not listed.
    """
    size = 0
    first = block << (BLOCK_BITS - 6)
    for w in range(first, min(first + (BLOCK >> 6), eligible.size)):
        word, at = eligible[w], (w - first) << 6
        while word != np.uint64(0):
            if word & np.uint64(255) != np.uint64(0):
                for bit in range(8):
                    if (word >> np.uint64(bit)) & np.uint64(1) != np.uint64(0):
                        if size < FEW_ELIGIBLE:
                            listed[size] = at + bit
                        size += 1
            word >>= np.uint64(8)
            at += 8
    return size


@kernel
def score_few(postings, terms, blocks, place, listed, R):  # type: ignore[no-untyped-def]
    """`score_block` of the listed documents alone: each is looked for in the terms' postings.

    place: (block, need); listed: where in the block they are, ascending.
    """
    block, need = place
    rest = 0.0
    for t in range(terms.begins.size):
        rest += blocks.ceilings[t, block]
    R[:] = -0.0
    best = 0.0
    for t in range(terms.begins.size):
        row, scale, weight = terms.A[t], terms.scale[t], terms.weights[t]
        j = terms.begins[t] + blocks.starts[t, block]
        last = min(terms.ends[t], terms.begins[t] + blocks.starts[t, block + 1])
        for i in listed:
            d = (block << BLOCK_BITS) + i
            j = reached(postings.docs, j, last, d)
            if j >= last:
                break
            if postings.docs[j] == d:
                b = terms.B[postings.codes[d]]
                R[i] = R[i] + weight * term_score(postings.tfs[j], b, row, scale)
                best = max(best, R[i])
        rest -= blocks.ceilings[t, block]
        if (best + rest) * SAFETY < need:
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
        if factors.filtered and not has(factors.eligible[d >> 6], d):
            continue
        C_factor = factors.table[factors.clusters[d]]
        S = combined(R[i], C_factor, factors.omega_Q, factors.quality[d])
        step = min(_STEPS - 1, int(S / width))
        if step >= state[EDGE]:
            scores[state[CANDIDATE_COUNT]] = S
            docs[state[CANDIDATE_COUNT]] = d
            counts[step] += 1
            state[CANDIDATE_COUNT] += 1
            state[COUNT_ABOVE_EDGE] += 1
            while state[COUNT_ABOVE_EDGE] - counts[state[EDGE]] >= k:
                state[COUNT_ABOVE_EDGE] -= counts[state[EDGE]]
                state[EDGE] += 1


@kernel
def sifted(found, room):  # type: ignore[no-untyped-def]
    """The candidates at or above the edge, in new arrays with room for `room` more."""
    scores = np.empty(found.state[COUNT_ABOVE_EDGE] + room, np.float64)
    docs = np.empty(scores.size, np.int32)
    size = 0
    for c in range(found.state[CANDIDATE_COUNT]):
        if min(_STEPS - 1, int(found.scores[c] / found.width)) >= found.state[EDGE]:
            scores[size], docs[size] = found.scores[c], found.docs[c]
            size += 1
    found.state[CANDIDATE_COUNT] = size
    return BlockCandidates(scores, docs, found.counts, found.width, found.state)


@kernel
def search_blocks(postings, terms, blocks, factors, k):  # type: ignore[no-untyped-def]
    """The k best documents, and the few others of the k-th's step, in no order.

    Their scores are those of `select(score_all(…))`; only promising blocks are read.
    """
    bounds = score_bounds(blocks, factors)
    width = max(bounds.max() * SAFETY / _STEPS, _TINY)
    room = 2 * k + BLOCK
    found = BlockCandidates(
        np.empty(room), np.empty(room, np.int32), np.zeros(_STEPS, np.int64), width,
        np.zeros(3, np.int64),
    )  # fmt: skip
    R, listed = np.empty(BLOCK), np.empty(FEW_ELIGIBLE, np.int64)
    for block in promising_order(bounds):
        least = found.state[EDGE] * width
        if bounds[block] * SAFETY < least:
            continue
        size = list_eligible(factors.eligible, block, listed) if factors.filtered else BLOCK
        if size == 0:
            continue
        need = least / (blocks.boosts[block] * SAFETY) if least > 0.0 else 0.0
        if size <= FEW_ELIGIBLE:
            whole = score_few(postings, terms, blocks, (block, need), listed[:size], R)
        else:
            whole = score_block(postings, terms, blocks, block, need, R)
        if whole:
            collect(R, block, need / SAFETY, factors, k, found)
            if found.state[CANDIDATE_COUNT] + BLOCK > found.docs.size:
                found = sifted(found, room + found.state[COUNT_ABOVE_EDGE])
    found = sifted(found, 0)
    return found.scores, found.docs
