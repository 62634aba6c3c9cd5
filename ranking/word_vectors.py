"""TF-IDF vectors of documents, their cosines to chosen others, and a query's words in documents.

w(t, d) = (1 + ln tf) · idf(t), idf(t) = 1 + ln((N + 1) / (df + 1)), as scikit-learn's sublinear,
smoothed TF-IDF.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.compiled import kernel

Array = NDArray[np.float64]
TABLE_SIZE = 1 << 16
"""The tf up to which weights stand in a table by it."""
DOCUMENTS = 1 << 14
"""Documents that a thread compares in one turn."""


@dataclass(frozen=True, slots=True)
class TfIdfVectors:
    """The words of n documents with their weights: document after document (CSR)."""

    begins: NDArray[np.int64]
    """int64[n + 1]: document d has the entries begins[d] to begins[d + 1]."""
    terms: NDArray[np.int32]
    """int32[entries], each document's distinct terms."""
    weights: NDArray[np.float32]
    """float32[entries], w(t, d) > 0."""
    norms: NDArray[np.float32]
    """float32[n], ‖w(·, d)‖; 0 for a document without words."""
    size: int
    """Number of distinct terms."""


def idf(df: ArrayLike, N: int) -> Array:
    """1 + ln((N + 1) / (df + 1)), from 1: df of N documents have the term."""
    return np.asarray(1.0 + np.log((N + 1.0) / (np.asarray(df, np.float64) + 1.0)))


def word_weight(tf: ArrayLike, idf: ArrayLike) -> Array:
    """(1 + ln tf) · idf; 0 for tf = 0."""
    tf = np.asarray(tf, np.float64)
    weight = np.where(tf > 0, 1.0 + np.log(np.maximum(tf, 1.0)), 0.0) * np.asarray(idf)
    return np.asarray(weight)


def word_vectors(begins: ArrayLike, terms: ArrayLike, tf: ArrayLike, size: int) -> TfIdfVectors:
    """Weigh the words of n documents: their distinct terms, int[entries] below `size`, and tf.

    Raises ValueError for arrays that do not fit each other, tf below 1 or terms outside the size.
    """
    begins, terms, tf = checked_words(begins, terms, tf, size)
    df = np.bincount(terms, minlength=size)
    rarity = idf(df, len(begins) - 1)
    weights, norms = np.empty(len(terms), np.float32), np.empty(len(begins) - 1, np.float32)
    of, amounts = amounts_of(tf)
    _weigh((begins, terms, of), (amounts, rarity), weights, norms)
    return TfIdfVectors(begins, terms, weights, norms, size)


def checked_words(
    begins: ArrayLike, terms: ArrayLike, tf: ArrayLike, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.integer]]:
    """The arrays of `word_vectors`, of whole numbers; raises as it does."""
    begins, terms, tf = np.asarray(begins, np.int64), np.asarray(terms), np.asarray(tf)
    if len(terms) != len(tf) or not len(begins) or begins[-1] != len(terms):
        raise ValueError(
            f"begins end at {begins[-1:].tolist()}, with {len(terms)} terms and {len(tf)} "
            "frequencies; allowed: three times the same number"
        )
    if len(terms) and (tf.min() < 1 or terms.min() < 0 or terms.max() >= size):
        raise ValueError(
            f"tf goes down to {tf.min()}, terms from {terms.min()} to {terms.max()}; "
            f"allowed: tf from 1, terms from 0 to {size - 1}"
        )
    tf = tf if tf.dtype.kind in "iu" else tf.astype(np.int64)
    return begins, terms.astype(np.int32, copy=False), tf


def amounts_of(tf: NDArray[np.integer]) -> tuple[NDArray[np.integer], Array]:
    """1 + ln tf as a place for each tf in a table: a tf beyond TABLE_SIZE is there once a value."""
    large = np.flatnonzero(tf > TABLE_SIZE)
    values, place = np.unique(tf[large], return_inverse=True)
    if len(large):
        tf = tf.copy()
        tf[large] = TABLE_SIZE + 1 + place
    top = TABLE_SIZE if len(large) else int(tf.max(initial=0))
    return tf, word_weight(np.append(np.arange(top + 1), values), 1.0)


@kernel
def _weigh(words, factors, weights, norms):  # type: ignore[no-untyped-def]
    """Fill in weights and norms; factors: of each tf, and of each term."""
    begins, terms, tf = words
    amounts, rarity = factors
    sum_ = 0.0  # over all documents
    for d in range(norms.size):
        before = sum_
        for e in range(begins[d], begins[d + 1]):
            weights[e] = amounts[tf[e]] * rarity[terms[e]]
            sum_ += np.float64(weights[e]) * np.float64(weights[e])
        norms[d] = np.sqrt(sum_ - before)


def word_cosines(tf: ArrayLike, tf_c: ArrayLike, idf: ArrayLike, norms: ArrayLike) -> Array:
    """Σ_t w_q(t)·w_c(t) / (‖w_q‖·‖w_c‖): tf int[t], tf_c int[c, t], idf float[t], float64[c].

    The sum needs the query's terms alone; norms float[c] are ‖w_c‖ over all the candidate's
    terms. 0 for empty texts.
    """
    w_q, w_c = word_weight(tf, idf), word_weight(tf_c, idf)
    lengths = np.sqrt(w_q @ w_q) * np.asarray(norms, np.float64)
    values = np.divide(w_c @ w_q, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    return np.asarray(values)


def cosines_to_neighbours(
    v: TfIdfVectors,
    ids: NDArray[np.int32],
    workers: int = 1,
    progress: Callable[[int], None] = lambda _done: None,
) -> NDArray[np.float32]:
    """TF-IDF cosines of every document to chosen others, falling; float32[n, k].

    ids int32[n, k]: the others, below 0 where there is none, whose cosine is −2, below all.
    `workers` threads share the documents; progress hears how many are done.
    """
    out = np.full(ids.shape, -2.0, np.float32)
    vectors = v.begins, v.terms.view(np.uint32), v.weights, v.norms  # signed: each index is tested

    def compare(begin: int) -> int:
        """Compare some documents; returns how many are done, all before them too."""
        end = min(begin + DOCUMENTS, len(ids))
        _cosines(vectors, v.size, begin, np.ascontiguousarray(ids[begin:end]), out[begin:end])
        out[begin:end].sort(axis=1)
        return end

    with ThreadPoolExecutor(workers) as pool:
        for done in pool.map(compare, range(0, len(ids), DOCUMENTS)):
            progress(done)
    return np.ascontiguousarray(out[:, ::-1])


@kernel
def _cosines(vectors, size, first, ids, out):  # type: ignore[no-untyped-def]
    """Fill in the cosines of some documents, from the first on, to their ids.

    The weights of an other are spread over all terms once for those that have it: what many have
    is longer than they are, so half as much is read as with their own weights spread.
    """
    begins, terms, weights, norms = vectors
    n, k = ids.shape
    others, cosines = ids.reshape(n * k), out.reshape(n * k)
    before, last = np.empty(n * k, np.int32), np.full(norms.size, -1, np.int32)
    for p in range(n * k):
        if others[p] >= 0:
            before[p], last[others[p]] = last[others[p]], p
    spread = np.zeros(size, np.float32)
    for other in others:
        if other < 0 or last[other] < 0:
            continue
        for e in range(begins[other], begins[other + 1]):
            spread[terms[e]] = weights[e]
        p, last[other] = last[other], -1
        while p >= 0:
            doc, dot = first + p // k, 0.0
            begin, end = begins[doc], begins[doc + 1]
            its, amounts = terms[begin:end], weights[begin:end]
            for e in range(its.size):
                dot += spread[its[e]] * amounts[e]
            length = np.float64(norms[doc]) * norms[other]
            cosines[p] = dot / length if length > 0 else 0.0
            p = before[p]
        for e in range(begins[other], begins[other + 1]):
            spread[terms[e]] = 0.0


@kernel
def _look_up(docs, tfs, runs, rows, out):  # type: ignore[no-untyped-def]
    begins, ends = runs
    low = np.empty(len(rows), np.int64)
    for t in range(len(begins)):
        low[:] = begins[t]
        left = ends[t] - begins[t]
        while left > 0:  # a step of all searches at once: their reads wait together
            half = (left + 1) >> 1
            for i in range(len(rows)):
                low[i] += half * (docs[low[i] + half - 1] < rows[i])
            left -= half
        for i in range(len(rows)):
            if low[i] < ends[t] and docs[low[i]] == rows[i]:
                out[i, t] = tfs[low[i]]


def frequencies_in(
    docs: NDArray[np.int32],
    tfs: NDArray[np.integer],
    runs: tuple[ArrayLike, ArrayLike],
    rows: ArrayLike,
) -> NDArray[np.int32]:
    """Occurrences of t terms in c documents, int32[c, t], from their postings.

    docs, tfs: postings, each term's run sorted by document; runs: int[t] where each term's run
    begins and ends (equal for a term that is not there). O(c·t·log df).
    """
    begins, ends = (np.asarray(bound, np.int64) for bound in runs)
    numbers = np.asarray(rows, np.int64)
    out = np.zeros((len(numbers), len(begins)), np.int32)
    _look_up(docs, tfs, (begins, ends), numbers, out)
    return out
