"""The field of conclusions: postings over the distinct ones, which documents share.

A document's text is its premises, a space and its conclusion, and a space ends a token; so the
premises' frequencies and lengths are the text's less the conclusion's and need no arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.build.collect import Collected
from argsearch.indexer.build.inversion import count_terms, invert


@dataclass(frozen=True, slots=True)
class ConclusionField:
    """The arrays `conclusion_…` of `argsearch.indexer.format.arrays`, by the same names."""

    docs: NDArray[np.int32]
    lengths: NDArray[np.int32]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    tfs: NDArray[np.unsignedinteger]


def conclusion_field(
    collected: Collected, order: NDArray[np.int32], remap: NDArray[np.int32]
) -> ConclusionField:
    """The postings of a corpus' distinct conclusions.

    order: int32[n] old number of each new document, those with one conclusion together; remap:
    int32[V], row of each of `collected.terms`.
    """
    from argsearch.indexer.analysis.batch import tokenize

    of = collected.conclusion_of[order]
    firsts = np.concatenate([[0], np.flatnonzero(np.diff(of)) + 1])
    none = len(collected.conclusions)
    numbers = np.where(of[firsts] < 0, none, of[firsts]).astype(np.int32)
    batch = tokenize([*collected.conclusions, ""])
    begins, ids, tfs = count_terms(batch.ids, batch.offsets, len(batch.terms))
    known = np.array([remap[collected.terms[term]] for term in batch.terms], np.int32)
    df = np.bincount(known[ids], minlength=len(remap))
    starts = np.concatenate([[0], np.cumsum(df)]).astype(np.int64)
    out = (
        np.empty(len(ids), np.int32),
        np.empty(len(ids), np.min_scalar_type(int(tfs.max(initial=0)))),
    )
    invert(numbers, (begins, ids, tfs), known, starts[:-1].copy(), out)
    return ConclusionField(
        docs=np.append(firsts, len(of)).astype(np.int32),
        lengths=np.diff(batch.offsets)[numbers].astype(np.int32),
        starts=starts,
        rows=out[0],
        tfs=out[1],
    )
