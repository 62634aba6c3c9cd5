"""The part `counter`: data about each argument's premises for `ranking.counters`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from argsearch.indexer.format.arrays import Arrays, Strings
from argsearch.indexer.parts.base import Drawer, PartMaker, PartSource
from argsearch.indexer.processes import Progress
from argsearch.ranking import counters as counter
from argsearch.ranking.compiled import kernel
from argsearch.ranking.neighbours import (
    CELL,
    PROBES,
    Neighbours,
    cells_of,
    make_cells,
    mean_of_nearest,
    neighbours,
)
from argsearch.ranking.vectors import Quantised
from argsearch.ranking.word_vectors import cosines_to_neighbours, word_vectors

SEED = 0
"""Seed of the k-means that forms the cells in which neighbours are searched."""
EXACT = PROBES * CELL
"""Up to this number of documents, compare all; above it, only those in nearby cells."""


class CounterPart(PartMaker):
    """Hubness, neighbour profiles and words of the premises, one row per document.

    The arrays hubness, norms, word_hubness and counterness, float32[n], and profile and
    word_profile, float16[n, 7], are as in `ranking.counters.CounterCandidates`. df, int32[terms],
    counts the documents whose premises contain a term. With more than EXACT documents, cell_levels,
    int8[c, d], and cell_scales, float32[c], are the cells' centroids, which a changed index reuses.
    """

    name = "counter"
    doc = "Data for finding counter-arguments: hubness, neighbours and words of the premises."
    needs = ("vectors",)

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """Return the parameters of the neighbour search and a digest of the cues."""
        cues = hashlib.sha256(orjson.dumps(counter.CUES, option=orjson.OPT_SORT_KEYS)).hexdigest()
        return {
            "neighbours": max(counter.RANKS),
            "nearest": counter.HUBNESS_NEIGHBOURS,
            "cells": source.documents > EXACT,
            "probes": PROBES,
            "cues": cues[:12],
        }

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Find each document's neighbours, and weight its words."""
        vectors = source.open["vectors"]
        near = _neighbours(source, (vectors["rows"], vectors["scales"]), drawer, progress)
        drawer.save("hubness", mean_of_nearest(near.cosines, counter.HUBNESS_NEIGHBOURS))
        drawer.save("profile", counter.profile(near.cosines))
        progress("words", 0)
        held, size = premise_frequencies(source.arrays), len(source.arrays.terms_offsets) - 1
        drawer.save("df", np.bincount(held[1], minlength=size).astype(np.int32))
        weighed = word_vectors(*held, size)
        drawer.save("norms", weighed.norms)
        alike = cosines_to_neighbours(
            weighed,
            near.ids,
            source.workers,
            lambda done: progress("words", done, source.documents),
        )
        drawer.save("word_hubness", mean_of_nearest(alike, counter.HUBNESS_NEIGHBOURS))
        drawer.save("word_profile", counter.profile(alike))
        terms = Strings(source.arrays.terms_offsets, source.arrays.terms_bytes)
        weights = counter.cue_weights([terms[i] for i in range(len(terms))])
        drawer.save("counterness", counter.counterness(*held, weights))
        return {"dimensions": int(vectors["rows"].shape[1])}


def _neighbours(
    source: PartSource, vectors: Quantised, drawer: Drawer, progress: Progress
) -> Neighbours:
    """Return each document's nearest neighbours; in a large corpus only search near cells.

    Cells that an earlier index recorded are kept.
    """
    k, n = max(counter.RANKS), source.documents
    how: Any = {"probes": PROBES, "workers": source.workers}
    how["progress"] = lambda done: progress("neighbours", done, n)
    if n <= EXACT:
        return neighbours(vectors, k, **how)
    progress("cells", 0)
    recorded = source.recorded
    # An index of an earlier version records no cells, so they are computed.
    if recorded is None or "cell_levels" not in recorded.arrays:
        cells = make_cells(vectors, SEED)
    else:
        cells = cells_of(vectors, (recorded["cell_levels"], recorded["cell_scales"]))
    drawer.save("cell_levels", cells.centroids[0])
    drawer.save("cell_scales", cells.centroids[1])
    return neighbours(vectors, k, cells, **how)


def premise_frequencies(
    arrays: Arrays,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.unsignedinteger]]:
    """Return the distinct terms of each document's premises, ascending, and their frequencies.

    A term's count in the conclusion is subtracted. Documents with the same conclusion are adjacent.
    """
    text = arrays.text_starts, arrays.text_docs.whole, arrays.text_tfs.whole
    conclusions = arrays.conclusion_starts, arrays.conclusion_rows, arrays.conclusion_tfs
    ends = np.zeros(len(arrays.quality) + 1, np.int64)
    words = np.empty(0, np.int32), np.empty(0, text[2].dtype)
    _subtract(text, conclusions, arrays.conclusion_docs, ends[1:], words)
    begins = np.cumsum(ends)
    words = np.empty(begins[-1], np.int32), np.empty(begins[-1], text[2].dtype)
    _subtract(text, conclusions, arrays.conclusion_docs, begins[:-1].copy(), words)
    return begins, *words


@kernel
def _subtract(text, conclusions, docs, ends, words):  # type: ignore[no-untyped-def]
    """Write each document's premise words at its offset, or only count them if `words` is empty.

    `text` and `conclusions` are (starts, documents or conclusions, tfs). `docs` has each
    conclusion's first document. `ends`, int64[n], has the position in `words` at which to write
    the next pair (term, tf).
    """
    starts, its_docs, tfs = text
    begins, rows, less = conclusions
    terms_out, tfs_out = words
    for term in range(starts.size - 1):
        c, end = begins[term], begins[term + 1]
        for p in range(starts[term], starts[term + 1]):
            doc, tf = its_docs[p], tfs[p]
            while c < end and docs[rows[c] + 1] <= doc:
                c += 1
            if c < end and docs[rows[c]] <= doc:
                tf -= less[c]
            if tf:
                if terms_out.size:
                    terms_out[ends[doc]], tfs_out[ends[doc]] = term, tf
                ends[doc] += 1
