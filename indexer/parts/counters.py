"""The part `counter`: what `ranking.counters` needs to know of each argument's premises."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import orjson
from scipy.sparse import csc_array, csr_array

from argsearch.indexer.format.arrays import Arrays, Strings
from argsearch.indexer.parts.base import Drawer, PartMaker, PartSource
from argsearch.indexer.processes import Progress
from argsearch.ranking import counters as counter
from argsearch.ranking.vectors import CELL, PROBES, make_cells, mean_of_nearest, neighbours
from argsearch.ranking.word_vectors import cosines_to_neighbours, word_vectors

SEED = 0
"""Of the k-means that makes the cells of neighbours."""
EXACT = PROBES * CELL
"""Up to so many documents all are compared with all; beyond, those of near cells."""


class CounterPart(PartMaker):
    """Hubness, places of neighbours and words of the premises, one row a document.

    hubness, norms, word_hubness and counterness float32[n], profile and word_profile float16[n, 7]
    as `ranking.counters.CounterCandidates` has them; df int32[terms], documents whose premises
    have a term.
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
        quantised = (vectors["rows"], vectors["scales"])
        progress("cells", 0)
        cells = make_cells(quantised, SEED) if source.documents > EXACT else None
        near = neighbours(
            quantised,
            max(counter.RANKS),
            cells,
            workers=source.workers,
            progress=partial(progress, "neighbours"),
        )
        drawer.save("hubness", mean_of_nearest(near.cosines, counter.NEAREST))
        drawer.save("profile", counter.profile(near.cosines))
        progress("words", 0)
        words = premise_frequencies(source.arrays)
        held = words.indptr, words.indices, words.data
        drawer.save("df", np.bincount(words.indices, minlength=words.shape[1]).astype(np.int32))
        weighed = word_vectors(*held, words.shape[1])
        drawer.save("norms", weighed.norms)
        alike = cosines_to_neighbours(weighed, near.ids)
        drawer.save("word_hubness", mean_of_nearest(alike, counter.NEAREST))
        drawer.save("word_profile", counter.profile(alike))
        terms = Strings(source.arrays.terms_offsets, source.arrays.terms_bytes)
        weights = counter.cue_weights([terms[i] for i in range(len(terms))])
        drawer.save("counterness", counter.counterness(*held, weights))
        progress("words", source.documents)
        return {"dimensions": int(vectors["rows"].shape[1])}


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
