"""TF-IDF vectors of documents, their cosines to chosen documents, and term frequencies.

Weights are w(t, d) = (1 + ln tf) · idf(t), idf(t) = 1 + ln((N + 1) / (df + 1)), like scikit-learn's
smoothed TF-IDF with sublinear tf.
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
"""Largest tf whose weight is looked up in a table at index tf."""
DOCUMENTS = 1 << 14
"""Number of documents that a thread compares in one step."""


@dataclass(frozen=True, slots=True)
class TfIdfVectors:
    """The terms of n documents with their weights, one document after another (CSR)."""

    begins: NDArray[np.int64]
    """int64[n + 1]: the entries of document d are begins[d]:begins[d + 1]."""
    terms: NDArray[np.int32]
    """int32[entries], the distinct terms of each document."""
    weights: NDArray[np.float32]
    """float32[entries], w(t, d) > 0."""
    norms: NDArray[np.float32]
    """float32[n], ‖w(·, d)‖, or 0 for a document without words."""
    size: int
    """Number of distinct terms."""


def idf(df: ArrayLike, N: int) -> Array:
    """Return 1 + ln((N + 1) / (df + 1)) ≥ 1, the idf of a term that df of N documents contain."""
    return np.asarray(1.0 + np.log((N + 1.0) / (np.asarray(df, np.float64) + 1.0)))


def word_weight(tf: ArrayLike, idf: ArrayLike) -> Array:
    """Return (1 + ln tf) · idf, or 0 if tf = 0."""
    tf = np.asarray(tf, np.float64)
    weight = np.where(tf > 0, 1.0 + np.log(np.maximum(tf, 1.0)), 0.0) * np.asarray(idf)
    return np.asarray(weight)


def word_vectors(begins: ArrayLike, terms: ArrayLike, tf: ArrayLike, size: int) -> TfIdfVectors:
    """Weight the terms of n documents. terms: distinct per document, int[entries] below `size`.

    Raises ValueError if the arrays do not match, a tf is below 1, or a term is out of range.
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
    """Return the arrays of `word_vectors` as integers. Raises ValueError like `word_vectors`."""
    begins, terms, tf = np.asarray(begins, np.int64), np.asarray(terms), np.asarray(tf)
    if len(terms) != len(tf) or not len(begins) or begins[-1] != len(terms):
        raise ValueError(
            "the numbers of terms and of tf must equal the last value of `begins`, not "
            f"{len(terms)}, {len(tf)} and {begins[-1:].tolist()}"
        )
    if len(terms) and (tf.min() < 1 or terms.min() < 0 or terms.max() >= size):
        raise ValueError(
            f"tf must be at least 1 and terms from 0 to {size - 1}, not {tf.min()} and "
            f"{terms.min()} to {terms.max()}"
        )
    tf = tf if tf.dtype.kind in "iu" else tf.astype(np.int64)
    return begins, terms.astype(np.int32, copy=False), tf


def amounts_of(tf: NDArray[np.integer]) -> tuple[NDArray[np.integer], Array]:
    """Return indices into a table of 1 + ln tf, and the table, with entries for tf > TABLE_SIZE."""
    large = np.flatnonzero(tf > TABLE_SIZE)
    values, place = np.unique(tf[large], return_inverse=True)
    if len(large):
        tf = tf.copy()
        tf[large] = TABLE_SIZE + 1 + place
    top = TABLE_SIZE if len(large) else int(tf.max(initial=0))
    return tf, word_weight(np.append(np.arange(top + 1), values), 1.0)


@kernel
def _weigh(words, factors, weights, norms):  # type: ignore[no-untyped-def]
    """Fill in weights and norms. factors: 1 + ln tf by tf, and the idf of each term."""
    begins, terms, tf = words
    amounts, rarity = factors
    sum_ = 0.0  # running total over all documents
    for d in range(norms.size):
        before = sum_
        for e in range(begins[d], begins[d + 1]):
            weights[e] = amounts[tf[e]] * rarity[terms[e]]
            sum_ += np.float64(weights[e]) * np.float64(weights[e])
        norms[d] = np.sqrt(sum_ - before)


def word_cosines(tf: ArrayLike, tf_c: ArrayLike, idf: ArrayLike, norms: ArrayLike) -> Array:
    """Return Σ_t w_q(t)·w_c(t) / (‖w_q‖·‖w_c‖) of c candidates, float64[c]; 0 for empty texts.

    `tf`, int[t], `tf_c`, int[c, t], and `idf`, float[t], are for the query's terms, which suffice
    for the sum. `norms`, float[c], has ‖w_c‖ over all terms of a candidate.
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
    """Return the TF-IDF cosines of every document to chosen others, descending, float32[n, k].

    Args: ids: int32[n, k], the other documents. Numbers below 0 mark missing documents, with cosine
    −2. `workers` threads share the documents. `progress` receives the number of documents done.
    """
    out = np.full(ids.shape, -2.0, np.float32)
    vectors = v.begins, v.terms.view(np.uint32), v.weights, v.norms  # unsigned: no wraparound test

    def compare(begin: int) -> int:
        """Compare a batch of documents, and return the number of documents done so far."""
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
    """Fill in the cosines between the documents from `first` on and the documents in their `ids`.

    A document in several rows of `ids` is spread over an array of terms once. Documents in `ids`
    are longer than average, so spreading the documents from `first` on would read twice as much.
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
        while left > 0:  # all searches step together, so their reads overlap
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
    """Return how often t terms occur in c documents, int32[c, t], from postings.

    The postings are `docs` and `tfs`, with each term's run sorted by document. `runs`, int[t], says
    where each term's run begins and ends (equal if absent). `rows`, int[c], are the documents.
    Takes O(c·t·log df).
    """
    begins, ends = (np.asarray(bound, np.int64) for bound in runs)
    numbers = np.asarray(rows, np.int64)
    out = np.zeros((len(numbers), len(begins)), np.int32)
    _look_up(docs, tfs, (begins, ends), numbers, out)
    return out
