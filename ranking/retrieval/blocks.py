"""Block search: score only documents in blocks that can reach the k-th best score."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.retrieval.bits import has
from argsearch.ranking.retrieval.scoring import combined, term_score

BLOCK_BITS = 7
"""log2 of the number of consecutive documents per block."""
BLOCK = 1 << BLOCK_BITS
SAFETY = 1.0 + 1e-9
"""Safety factor on bounds, which are summed in a different order from scores."""
_GROUPS = 4  # more would follow the bounds closer, but read the postings less in sequence
_TINY = 1e-300
_STEPS = 4096
CANDIDATE_COUNT, COUNT_ABOVE_EDGE, EDGE = range(3)
"""Places in `Candidates.state`."""


class BlockBounds(NamedTuple):
    """Per query: where each term's postings start in each block, and each block's upper bounds."""

    starts: NDArray[np.int32]
    """int32[terms, blocks + 1], relative to the term's first posting."""
    ceilings: NDArray[np.float64]
    """float64[terms, blocks], upper bound of what the term adds to R in the block."""
    boosts: NDArray[np.float64]
    """float64[blocks], the largest (1+ω_C·C)·(1+ω_Q·Q) in the block; not negative."""


@kernel
def light_rows(postings, terms, t, starts, ceilings):  # type: ignore[no-untyped-def]
    """Compute starts and ceilings of a term without precomputed block rows, for weight 1."""
    ceilings[:] = 0.0
    begin, end = terms.begins[t], terms.ends[t]
    row, scale, B = terms.A[t], terms.scale[t], terms.B
    filled, j = 0, begin
    while j < end:
        block = postings.docs[j] >> BLOCK_BITS
        for b in range(filled, block + 1):
            starts[b] = j - begin
        filled = block + 1
        best = 0.0
        while j < end and postings.docs[j] >> BLOCK_BITS == block:
            code = postings.codes[postings.docs[j]]
            best = max(best, term_score(postings.tfs[j], code, row, scale, B))
            j += 1
        ceilings[block] = best
    starts[filled:] = end - begin


@kernel
def factor_bounds(spans, span_clusters, span_quality, table, omega_Q):  # type: ignore[no-untyped-def]
    """Return the largest (1+ω_C·C)·(1+ω_Q·Q) of each block, over its clusters; ω_Q ≥ 0."""
    bounds = np.zeros(spans.size - 1, np.float64)
    for b in range(bounds.size):
        for s in range(spans[b], spans[b + 1]):
            f = combined(1.0, table[span_clusters[s]], omega_Q, span_quality[s])
            bounds[b] = max(bounds[b], f)
    return bounds


@kernel
def promising_order(bounds):  # type: ignore[no-untyped-def]
    """Return blocks by descending bound, counting-sorted into `_GROUPS` groups.

    Blocks keep their order within a group, so that neighbours are read consecutively.
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
    """Return whether a bitset contains any document of a block."""
    first = block << (BLOCK_BITS - 6)
    for word in range(first, min(first + (BLOCK >> 6), eligible.size)):  # the last is shorter
        if eligible[word] != np.uint64(0):
            return True
    return False


@kernel
def score_bounds(blocks, factors):  # type: ignore[no-untyped-def]
    """Return an upper bound of S per block, float64[blocks]; 0 if no document is eligible."""
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
    """Candidates for the k best documents, and a histogram of their scores.

    The scores from 0 to the highest bound are divided into equal steps. `edge` is the highest step
    with k candidates at or above it; candidates below it are discarded.
    """

    scores: NDArray[np.float64]
    docs: NDArray[np.int32]
    counts: NDArray[np.int32]
    """int32[_STEPS], number of candidates per step."""
    width: float
    state: NDArray[np.int64]
    """[candidates stored, candidates at or above the edge, edge]."""


@kernel
def score_block(postings, terms, blocks, block, need, R):  # type: ignore[no-untyped-def]
    """Write R of one block's documents to R[BLOCK], -0.0 for documents without a query term.

    Terms are in the order of `score_all`. Returns False once no document can reach an R of `need`.
    """
    rest = 0.0
    for t in range(terms.begins.size):
        rest += blocks.ceilings[t, block]
    R[:] = -0.0  # -0.0 marks a document without terms: adding a score of 0.0 gives 0.0
    codes = postings.codes[block << BLOCK_BITS :]
    best = 0.0
    for t in range(terms.begins.size):
        row, scale, B, weight = terms.A[t], terms.scale[t], terms.B, terms.weights[t]
        first = np.uint64(terms.begins[t] + blocks.starts[t, block])
        last = np.uint64(min(terms.ends[t], terms.begins[t] + blocks.starts[t, block + 1]))
        for j in range(first, last):
            i = np.uint64(postings.docs[j] & (BLOCK - 1))
            score = term_score(postings.tfs[j], codes[i], row, scale, B)
            R[i] += weight * score
            best = max(best, R[i])
        rest -= blocks.ceilings[t, block]
        if (best + rest) * SAFETY < need:
            return False
    return True


@kernel
def collect(R, block, need, factors, k, found):  # type: ignore[no-untyped-def]
    """Add to the candidates those documents of a block that can be among the k best."""
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
    """Copy the candidates at or above the edge to new arrays with room for `room` more."""
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
    """Return the k best documents, unsorted, and all others in the same score step as the k-th.

    The scores equal those of `select(score_all(…))`; only promising blocks are read.
    """
    bounds = score_bounds(blocks, factors)
    width = max(bounds.max() * SAFETY / _STEPS, _TINY)
    room = 2 * k + BLOCK
    found = BlockCandidates(
        np.empty(room), np.empty(room, np.int32), np.zeros(_STEPS, np.int32), width,
        np.zeros(3, np.int64),
    )  # fmt: skip
    R = np.empty(BLOCK)
    for block in promising_order(bounds):
        least = found.state[EDGE] * width
        if bounds[block] * SAFETY < least:
            continue
        if factors.filtered and not some_eligible(factors.eligible, block):
            continue
        need = least / (blocks.boosts[block] * SAFETY) if least > 0.0 else 0.0
        if score_block(postings, terms, blocks, block, need, R):
            collect(R, block, need / SAFETY, factors, k, found)
            if found.state[CANDIDATE_COUNT] + BLOCK > found.docs.size:
                found = sifted(found, room + found.state[COUNT_ABOVE_EDGE])
    found = sifted(found, 0)
    return found.scores, found.docs
