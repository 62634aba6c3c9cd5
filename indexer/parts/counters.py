"""The part `counter`: what `ranking.counters` needs to know of each argument's premises."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from argsearch.indexer.format.arrays import Arrays, Strings
from argsearch.indexer.parts.base import Carried, Drawer, PartMaker, PartSource
from argsearch.indexer.processes import Progress
from argsearch.ranking import counters as counter
from argsearch.ranking.compiled import kernel
from argsearch.ranking.neighbours import (
    CELL,
    PROBES,
    HeldLists,
    Neighbours,
    cells_of,
    make_cells,
    mean_of_nearest,
    neighbours,
    neighbours_again,
)
from argsearch.ranking.vectors import NOBODY, Quantised
from argsearch.ranking.word_vectors import cosines_to_neighbours, word_vectors

SEED = 0
"""Of the k-means that makes the cells of neighbours."""
EXACT = PROBES * CELL
"""Up to so many documents all are compared with all; beyond, those of near cells."""


class CounterPart(PartMaker):
    """Hubness, places of neighbours and words of the premises, one row a document.

    hubness, norms, word_hubness and counterness float32[n], profile and word_profile float16[n, 7]
    as `ranking.counters.CounterCandidates` has them; df int32[terms], documents whose premises
    have a term. Of more than EXACT documents also neighbours int32[n, 64], cells int32[n],
    cell_levels int8[c, d] and cell_scales float32[c], what a change of the index goes on from.
    """

    name = "counter"
    doc = "What finding counter-arguments needs: hubness, neighbours and words of the premises."
    needs = ("vectors",)

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """How neighbours are found, and which cues are read."""
        cues = hashlib.sha256(orjson.dumps(counter.CUES, option=orjson.OPT_SORT_KEYS)).hexdigest()
        return {
            "neighbours": max(counter.RANKS),
            "nearest": counter.NEAREST,
            "cells": source.documents > EXACT,
            "probes": PROBES,
            "cues": cues[:12],
        }

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Find every document's neighbours and weigh its words."""
        vectors = source.open["vectors"]
        near = _neighbours(source, (vectors["rows"], vectors["scales"]), drawer, progress)
        drawer.save("hubness", mean_of_nearest(near.cosines, counter.NEAREST))
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
        drawer.save("word_hubness", mean_of_nearest(alike, counter.NEAREST))
        drawer.save("word_profile", counter.profile(alike))
        terms = Strings(source.arrays.terms_offsets, source.arrays.terms_bytes)
        weights = counter.cue_weights([terms[i] for i in range(len(terms))])
        drawer.save("counterness", counter.counterness(*held, weights))
        return {"dimensions": int(vectors["rows"].shape[1])}


def _neighbours(
    source: PartSource, vectors: Quantised, drawer: Drawer, progress: Progress
) -> Neighbours:
    """The nearest of every document; of a large corpus' the lists are kept, for changes of it.

    One more is looked for, which tells whether others are as near as the last that counts: such a
    list is not kept, as another order of the documents would have others in it.
    """
    k, n = max(counter.RANKS), source.documents
    how: Any = {"probes": PROBES, "workers": source.workers}
    how["progress"] = lambda done: progress("neighbours", done, n)
    if n <= EXACT:
        return neighbours(vectors, k, **how)
    progress("cells", 0)
    recorded, carried, held = source.recorded, source.carried, None
    if recorded is None or "neighbours" not in recorded.arrays:  # as in an older version
        cells = make_cells(vectors, SEED)
    else:
        labels = None
        if carried and carried.is_same(source.open["vectors"]):
            labels, held = _labels(carried), _held(carried)
        cells = cells_of(vectors, (recorded["cell_levels"], recorded["cell_scales"]), labels)
    near = (
        neighbours_again(vectors, cells, held, **how)
        if held
        else neighbours(vectors, k + 1, cells, **how)
    )
    ids = near.ids[:, :k].copy()
    ids[near.cosines[:, k] == near.cosines[:, k - 1]] = NOBODY
    drawer.save("neighbours", ids)
    drawer.save("cells", cells.labels)
    drawer.save("cell_levels", cells.centroids[0])
    drawer.save("cell_scales", cells.centroids[1])
    return Neighbours(near.ids[:, :k], near.cosines[:, :k])


def _labels(carried: Carried) -> NDArray[np.int32] | None:
    """The cells of documents that stay; None where they were not kept, as in an older version."""
    if "cells" not in carried.part.arrays:
        return None
    return np.append(carried.part["cells"], np.int32(NOBODY))[carried.docs]  # -1 is the last


def _held(carried: Carried) -> HeldLists:
    """The neighbours of before, by their numbers now."""
    docs, before = carried.docs, carried.open["vectors"]
    kept = np.flatnonzero(docs >= 0)
    number = np.full(len(before["scales"]) + 1, NOBODY, np.int32)  # one more for NOBODY
    number[docs[kept]] = kept
    ids = np.full((len(docs), max(counter.RANKS)), NOBODY, np.int32)
    ids[kept] = number[carried.part.rows("neighbours", docs[kept])]
    gone = np.flatnonzero(number[:-1] == NOBODY)
    return HeldLists(ids, docs < 0, (before["rows"][gone], before["scales"][gone]))


def premise_frequencies(
    arrays: Arrays,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.unsignedinteger]]:
    """The distinct terms of each document's premises, ascending, and how often they occur.

    The text's less the conclusion's. Documents with one conclusion follow each other.
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
    """Put the words of premises where each document's begin, or count them where none fit.

    text, conclusions: (starts, documents or conclusions, tfs); docs: each conclusion's first;
    ends: int64[n], of each document's words so far; words: (terms, tfs).
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
