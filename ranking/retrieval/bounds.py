"""Blocks of documents, and what the best document of a block can reach at most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.retrieval.factors import combined
from argsearch.ranking.retrieval.scoring import term_score

BLOCK_BITS = 7
"""A block is 2^BLOCK_BITS consecutive documents."""
BLOCK = 1 << BLOCK_BITS
SAFETY = 1.0 + 1e-9
"""What bounds are raised by, for they are sums in another order than scores."""
_GROUPS = 64


class BlockBounds(NamedTuple):
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
