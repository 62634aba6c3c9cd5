"""Checks that an index's arrays can be read safely; `argsearch verify` checks the rest.

Opening an index does not compute checksums for files over 1 MiB. Whatever such files contain,
these checks keep the kernels inside the arrays. A damaged value in range can still change a score.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.arrays import Arrays
from argsearch.indexer.format.manifest import IndexDamaged


def _require(sound: bool, file: str) -> None:
    if not sound:
        raise IndexDamaged(f"index: {file} is damaged (a value is out of range); build it again")


def check_documents(arrays: Arrays) -> None:
    """Raise IndexDamaged unless the cluster and length of every document can be looked up."""
    clusters = len(arrays.centroids)
    _require(int(arrays.clusters.max(initial=0)) <= clusters, "clusters.npy")
    _require(int(arrays.spans_clusters.max(initial=0)) <= clusters, "spans.clusters.npy")
    spans = arrays.spans_starts
    _require(bool(np.all(np.diff(spans) >= 0)) and int(spans[0]) == 0, "spans.starts.npy")
    _require(int(spans[-1]) == len(arrays.spans_clusters), "spans.starts.npy")
    _require(int(arrays.text_lengths.min(initial=0)) >= 0, "text.lengths.npy")
    _check_conclusions(arrays)


def _check_conclusions(arrays: Arrays) -> None:
    docs, lengths, rows = arrays.conclusion_docs, arrays.conclusion_lengths, arrays.conclusion_rows
    sizes = np.diff(docs)
    whole = int(docs[0]) == 0 and int(docs[-1]) == len(arrays.quality)
    _require(whole and bool(np.all(sizes >= 0)), "conclusion.docs.npy")
    premises = arrays.text_lengths - np.repeat(lengths, sizes)
    within = int(premises.min(initial=0)) >= 0 and int(lengths.min(initial=0)) >= 0
    _require(within, "conclusion.lengths.npy")
    known = int(rows.min(initial=0)) >= 0 and int(rows.max(initial=0)) < max(1, len(lengths))
    _require(known, "conclusion.rows.npy")


def check_terms(arrays: Arrays, rows: Sequence[int], tokens: int) -> None:
    """Raise IndexDamaged if a term's run leaves the postings or its total is impossible."""
    at = np.asarray(rows, np.int64)
    # For the few terms of a question, numbers take less time than arrays.
    arrays_at = arrays.text_starts[at], arrays.text_starts[at + 1], arrays.text_totals[at]
    runs = list(zip(*(array.tolist() for array in arrays_at), strict=True))
    last = len(arrays.text_docs)
    _require(all(0 <= begin < end <= last for begin, end, _ in runs), "text.starts.npy")
    _require(all(end - begin <= ttf <= tokens for begin, end, ttf in runs), "text.totals.npy")


def check_run(docs: NDArray[np.int32], documents: int) -> None:
    """Raise IndexDamaged unless all of a term's postings point to documents in the index."""
    _require(
        int(docs.min(initial=0)) >= 0 and int(docs.max(initial=-1)) < documents, "text.docs.npy"
    )
