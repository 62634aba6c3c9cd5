"""Making postings from tokens: term counts, inversion, and the directory of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.checked import release
from argsearch.ranking.compiled import kernel
from argsearch.ranking.retrieval.blocks import BLOCK_BITS
from argsearch.ranking.retrieval.scoring import term_score

RESIDENT_BYTES = 1 << 26
"""Maximum number of bytes of a file that are kept in memory while it is read."""


@kernel
def count_terms(ids, offsets, vocabulary):  # type: ignore[no-untyped-def]
    """Return each text's distinct terms, in order of first occurrence, and their frequencies.

    ids: int32[tokens], the term of each token; offsets: int64[n + 1], where each text begins.
    Returns starts int64[n + 1], terms int32[pairs] and tfs int32[pairs].
    """
    slot = np.full(vocabulary, -1, np.int32)
    starts = np.zeros(offsets.size, np.int64)
    terms = np.empty(ids.size, np.int32)
    tfs = np.empty(ids.size, np.int32)
    end = 0
    for d in range(offsets.size - 1):
        begin = end
        for j in range(offsets[d], offsets[d + 1]):
            term = ids[j]
            if slot[term] < begin:
                slot[term] = end
                terms[end] = term
                tfs[end] = 1
                end += 1
            else:
                tfs[slot[term]] += 1
        starts[d + 1] = end
    return starts, terms[:end].copy(), tfs[:end].copy()


@kernel
def tally(term_ids, tfs, rows, df, ttf, known):  # type: ignore[no-untyped-def]
    """Add a chunk's counts to df and ttf; return the largest term frequency.

    term_ids, tfs: int32[pairs]; rows: row of df and ttf (int64, updated) for each of the chunk's
    terms. The array `known`, int32[pairs], receives the row of each pair.
    """
    most = 0
    for j in range(term_ids.size):
        row = rows[term_ids[j]]
        known[j] = row
        df[row] += 1
        ttf[row] += tfs[j]
        most = max(most, tfs[j])
    return most


@kernel
def gather(order, forward, places, out):  # type: ignore[no-untyped-def]
    """Copy the terms of some documents from a forward index to positions in `out`.

    order: int32[n], the documents' numbers in `forward`, (starts, terms, tfs). places: int64[n],
    where each document's terms begin in `out`, (terms, tfs).
    """
    starts, terms, tfs = forward
    terms_out, tfs_out = out
    for i in range(order.size):
        at = places[i]
        for j in range(starts[order[i]], starts[order[i] + 1]):
            terms_out[at] = terms[j]
            tfs_out[at] = tfs[j]
            at += 1


def reordered(
    order: NDArray[np.int32], forward: tuple[NDArray[Any], ...]
) -> tuple[NDArray[Any], ...]:
    """Return a forward index in memory, (starts, terms, tfs), of some documents in another order.

    order: int32[n], the documents' numbers in `forward`, which may be on disk. It is read
    sequentially, RESIDENT_BYTES bytes at a time.
    """
    starts, terms, tfs = forward
    begins = np.append(0, np.cumsum(starts[order + 1] - starts[order]))
    out = np.empty(begins[-1], np.int32), np.empty(begins[-1], np.int32)
    for some in np.array_split(np.argsort(order), 1 + terms.nbytes // RESIDENT_BYTES):
        gather(order[some], forward, begins[some], out)
        release(terms)
        release(tfs)
    return begins, *out


@kernel
def invert(first, forward, remap, cursor, out):  # type: ignore[no-untyped-def]
    """Scatter a forward index into postings.

    `forward` is (starts, terms, tfs) of the documents numbered from `first`; `out` is (docs, tfs).
    `remap` has each term's row, and `cursor`, int64[rows], each row's next position (updated).
    """
    starts, terms, tfs = forward
    docs_out, tfs_out = out
    for d in range(starts.size - 1):
        for j in range(starts[d], starts[d + 1]):
            row = remap[terms[j]]
            at = cursor[row]
            docs_out[at] = first + d
            tfs_out[at] = tfs[j]
            cursor[row] = at + 1


@kernel
def block_row(docs, tfs, codes, tables, starts, bounds):  # type: ignore[no-untyped-def]
    """Compute one term's row of the block directory.

    docs, tfs: the term's postings; codes: length codes; tables: (row of A, μP, B). Fills `starts`,
    int32[blocks + 1], and `bounds`, float32[blocks], with each block's largest score rounded up.
    """
    row, scale, B = tables
    bounds[:] = 0.0
    filled = 0
    for j in range(docs.size):
        block = docs[j] >> BLOCK_BITS
        for b in range(filled, block + 1):
            starts[b] = j
        filled = max(filled, block + 1)
        score = term_score(tfs[j], codes[docs[j]], row, scale, B)
        if score > bounds[block]:
            bounds[block] = np.nextafter(np.float32(score), np.float32(np.inf))
    starts[filled:] = docs.size
