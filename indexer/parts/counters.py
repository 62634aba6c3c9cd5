"""The part `counter`: what `ranking.counters` needs to know of each argument's premises."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from argsearch.indexer.format.arrays import Arrays, Strings
from argsearch.indexer.format.parts import VERSIONS
from argsearch.indexer.parts.base import Drawer, PartSource, Progress
from argsearch.ranking import counters as counter
from argsearch.ranking.counters import CUES, counterness, cue_weights
from argsearch.ranking.vectors import CELL, PROBES, make_cells, mean_of_nearest, neighbours
from argsearch.ranking.word_vectors import cosines_to_neighbours, word_vectors

POSTINGS_AT_ONCE = 1 << 22
"""Postings of texts and conclusions, one a document, that are compared at a time."""
SEED = 0
"""Of the k-means that makes the cells of neighbours."""
EXACT = PROBES * CELL
"""Up to so many documents all are compared with all; beyond, those of near cells."""


class CounterPart:
    """Hubness, places of neighbours and words of the premises, one row a document.

    hubness, norms, word_hubness and counterness float32[n], profile and word_profile float16[n, 7]
    as `ranking.counters.CounterCandidates` has them; df int32[terms], documents whose premises
    have a term.
    """

    name = "counter"
    unit = "argument"
    version = VERSIONS["counter"]
    doc = "What finding counter-arguments needs: hubness, neighbours and words of the premises."
    needs: tuple[str, ...] = ("vectors",)

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """How neighbours are found, and which cues are read."""
        cues = hashlib.sha256(orjson.dumps(CUES, option=orjson.OPT_SORT_KEYS)).hexdigest()
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
            progress=lambda done: progress("neighbours", done),
        )
        drawer.save("hubness", mean_of_nearest(near.cosines, counter.NEAREST))
        drawer.save("profile", counter.profile(near.cosines))
        progress("words", 0)
        words = premise_frequencies(source.arrays)
        _save_words(drawer, words, near.ids)
        terms = Strings(source.arrays.terms_offsets, source.arrays.terms_bytes)
        weights = cue_weights([terms[i] for i in range(len(terms))])
        drawer.save("counterness", counterness(words.indptr, words.indices, words.data, weights))
        progress("words", source.documents)
        return {"dimensions": int(vectors["rows"].shape[1])}


def _save_words(drawer: Drawer, words: csr_array, ids: NDArray[np.int32]) -> None:
    df = np.bincount(words.indices, minlength=words.shape[1])
    drawer.save("df", df.astype(np.int32))
    weighed = word_vectors(words.indptr, words.indices, words.data, words.shape[1])
    drawer.save("norms", weighed.norms)
    alike = cosines_to_neighbours(weighed, ids)
    drawer.save("word_hubness", mean_of_nearest(alike, counter.NEAREST))
    drawer.save("word_profile", counter.profile(alike))


def premise_frequencies(arrays: Arrays) -> csr_array:
    """Occurrences of the terms in each document's premises, sparse int[n, V], none of them 0.

    The text's less the conclusion's. Documents with one conclusion follow each other, so that a
    conclusion's posting stands for a run of documents.
    """
    tf = np.array(arrays.text_tfs.whole)
    documents, terms = len(arrays.quality), len(arrays.text_starts) - 1
    sizes = np.diff(arrays.conclusion_docs).astype(np.int64)[arrays.conclusion_rows]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    for begin, end in _blocks(ends[arrays.conclusion_starts] + arrays.text_starts):
        _take_off(tf, arrays, sizes, (begin, end))
    found = csc_array((tf, arrays.text_docs.whole, arrays.text_starts), (documents, terms)).tocsr()
    found.eliminate_zeros()
    return csr_array(found)


def _blocks(ends: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Runs of terms of about POSTINGS_AT_ONCE, or one term; ends: int64[V + 1] of postings."""
    cuts = [0]
    while cuts[-1] < len(ends) - 1:
        reached = int(np.searchsorted(ends, ends[cuts[-1]] + POSTINGS_AT_ONCE, side="right")) - 1
        cuts.append(max(cuts[-1] + 1, reached))
    return list(pairwise(cuts))


def _take_off(
    tf: NDArray[Any], arrays: Arrays, sizes: NDArray[np.int64], run: tuple[int, int]
) -> None:
    """Take the conclusions' occurrences of a run of terms off the texts'."""
    begin, end = run
    first, last = (int(arrays.conclusion_starts[term]) for term in run)
    low, high = (int(arrays.text_starts[term]) for term in run)
    if first == last:
        return
    many, n = sizes[first:last], len(arrays.quality)
    numbers = np.arange(begin, end, dtype=np.int64) * n
    within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    docs = np.repeat(arrays.conclusion_docs[arrays.conclusion_rows[first:last]], many) + within
    there = np.repeat(numbers, np.diff(arrays.conclusion_starts[begin : end + 1]))
    everywhere = np.repeat(numbers, np.diff(arrays.text_starts[begin : end + 1]))
    places = np.searchsorted(everywhere + arrays.text_docs[low:high], np.repeat(there, many) + docs)
    tf[low + places] -= np.repeat(arrays.conclusion_tfs[first:last], many).astype(tf.dtype)
