"""The part `counter`: what `ranking.counters` needs to know of each argument's premises."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson
from scipy.sparse import csc_array, csr_array

from argsearch.indexer.format.arrays import Arrays, Strings
from argsearch.indexer.parts.base import Carried, Drawer, PartMaker, PartSource
from argsearch.indexer.processes import Progress
from argsearch.ranking import counters as counter
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
    have a term. Of more than EXACT documents also neighbours int32[n, 64], cell_levels int8[c, d]
    and cell_scales float32[c], what a change of the index goes on from.
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
        words = premise_frequencies(source.arrays)
        held = words.indptr, words.indices, words.data
        drawer.save("df", np.bincount(words.indices, minlength=words.shape[1]).astype(np.int32))
        weighed = word_vectors(*held, words.shape[1])
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
    recorded, held = source.recorded, None
    if recorded is None or "neighbours" not in recorded.arrays:  # as in an older version
        cells = make_cells(vectors, SEED)
    else:
        cells = cells_of(vectors, (recorded["cell_levels"], recorded["cell_scales"]))
        held = source.carried and _held(source.carried, vectors)
    near = (
        neighbours_again(vectors, cells, held, **how)
        if held
        else neighbours(vectors, k + 1, cells, **how)
    )
    ids = near.ids[:, :k].copy()
    ids[near.cosines[:, k] == near.cosines[:, k - 1]] = NOBODY
    drawer.save("neighbours", ids)
    drawer.save("cell_levels", cells.centroids[0])
    drawer.save("cell_scales", cells.centroids[1])
    return Neighbours(near.ids[:, :k], near.cosines[:, :k])


def _held(carried: Carried, vectors: Quantised) -> HeldLists | None:
    """The neighbours of before, by their numbers now; None where vectors are others."""
    docs, before = carried.docs, carried.open["vectors"]
    kept = np.flatnonzero(docs >= 0)
    then = before["rows"], before["scales"]
    if not all(np.array_equal(vectors[i][kept], then[i][docs[kept]]) for i in (0, 1)):
        return None
    number = np.full(len(then[1]) + 1, NOBODY, np.int32)  # one more for NOBODY
    number[docs[kept]] = kept
    ids = np.full((len(docs), max(counter.RANKS)), NOBODY, np.int32)
    ids[kept] = number[carried.part.rows("neighbours", docs[kept])]
    gone = np.flatnonzero(number[:-1] == NOBODY)
    return HeldLists(ids, docs < 0, (then[0][gone], then[1][gone]))


def premise_frequencies(arrays: Arrays) -> csr_array:
    """Occurrences of the terms in each document's premises, sparse int[n, V], none of them 0.

    The text's less the conclusion's. Documents with one conclusion follow each other.
    """
    sizes, terms = np.diff(arrays.conclusion_docs), len(arrays.text_starts) - 1
    text = arrays.text_tfs.whole, arrays.text_docs.whole, arrays.text_starts
    conclusion = arrays.conclusion_tfs, arrays.conclusion_rows, arrays.conclusion_starts
    stated = csc_array(conclusion, (len(sizes), terms)).tocsr()
    of = np.repeat(np.arange(len(sizes)), sizes)
    return csr_array(csc_array(text, (len(of), terms)).tocsr() - stated[of])
