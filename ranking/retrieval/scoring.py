"""Postings and factors of a query, R computed from them (H21), and S of Eq. 1."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel

TABLE = 64
"""Smallest term frequency whose scores are computed instead of read from a table."""


class Postings(NamedTuple):
    """Postings of one field: documents and term frequencies, each term's run sorted by document."""

    docs: NDArray[np.int32]
    tfs: NDArray[np.unsignedinteger] | NDArray[np.float64]
    """Term frequencies, or precomputed scores as float64 (`scoring.term_score`)."""
    codes: NDArray[np.integer]
    """Length code of each document, an index into `Terms.B`."""


class Terms(NamedTuple):
    """Distinct terms of a query: their runs in the postings and their score tables."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    weights: NDArray[np.float64]
    """Number of occurrences in the query."""
    A: NDArray[np.float64] | NDArray[np.int64]
    """DirichletLM: ln(1 + tf/(μP)) for tf < TABLE, float64[terms, TABLE].

    BM25: idf, float64[terms]. Other models: int64[terms], see `B`.
    """
    scale: NDArray[np.float64] | NDArray[np.int64]
    """DirichletLM: μP of each term, for frequencies beyond the table. BM25: 0. Others: see `B`."""
    B: NDArray[np.float64]
    """By length code, ln(μ/(dl + μ)) for DirichletLM and K for BM25.

    Other models: the scores; those of term t are at A[t] + tf·scale[t] + code.
    """


class Factors(NamedTuple):
    """Eq. 1's factors and weights for a query, and the documents that pass its filters."""

    clusters: NDArray[np.integer]
    """Cluster of each document; the last row of `table` stands for no cluster."""
    table: NDArray[np.float64]
    """1 + ω_C·C of each cluster, float64[n_clusters + 1]."""
    quality: NDArray[np.float32] | NDArray[np.float64]
    """Q per document; as float64, (1+ω_Q·Q)·Π(1+ω·x) instead, if columns have weights."""
    omega_Q: float
    ranks: NDArray[np.int32]
    """Position of each document in the order of ids, which breaks ties."""
    eligible: NDArray[np.uint64]
    """uint64[⌈n/64⌉], the bitset of documents that pass the filters (`bits`)."""
    filtered: bool
    """True if there are filters; otherwise `eligible` is ignored and every document passes."""


def _by_tables(tf, code, row, scale, B):  # type: ignore[no-untyped-def]
    """Return max(0, ln(1 + tf/(μP)) + ln(μ/(dl + μ))), with logarithms from tables (H21)."""
    a = row[tf] if tf < row.size else math.log(1.0 + tf / scale)
    return max(0.0, a + B[code])


def _saturated(tf, code, row, scale, B):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Return idf · tf/(tf + K) (BM25). A frequency of 0 occurs only in a damaged file."""
    return row * (tf / (tf + B[code])) if tf > 0 else 0.0


def _looked_up(tf, code, row, scale, B):  # type: ignore[no-untyped-def]
    return B[np.uint64(row + tf * scale + code)]


def _itself(tf, code, row, scale, B):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return tf


term_score: Any = _by_tables
"""Score of a posting by DirichletLM, BM25 or tables (see `Terms`); a float is the score itself."""


@overload(_by_tables, inline="always")
def _chosen_score(tf, code, row, scale, B):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Choose the function at compile time, so that no posting needs a test."""
    if isinstance(tf, types.Float):
        return _itself
    if isinstance(row, types.Float):
        return _saturated
    return _looked_up if isinstance(row, types.Integer) else _by_tables


@kernel
def score_all(postings, terms, n):  # type: ignore[no-untyped-def]
    """Return R of every document, float64[n], and whether it contains a query term, bool[n]."""
    R = np.zeros(n, np.float64)
    matched = np.zeros(n, np.bool_)
    for t in range(terms.begins.size):
        row, scale, B, weight = terms.A[t], terms.scale[t], terms.B, terms.weights[t]
        for j in range(np.uint64(terms.begins[t]), np.uint64(terms.ends[t])):
            d = np.uint32(postings.docs[j])
            if d >= np.uint32(n):
                continue  # a damaged file must not write outside the array
            score = term_score(postings.tfs[j], postings.codes[d], row, scale, B)
            R[d] += weight * score
            matched[d] = True
    return R, matched


@inlined
def reached(docs, j, end, d):  # type: ignore[no-untyped-def]
    """Return the first j with docs[j] ≥ d in ascending docs[j:end], by branch-free bisection."""
    left = end - j
    while left > 1:
        half = left >> 1
        j += half * (docs[j + half - 1] < d)
        left -= half
    return j + (left == 1 and docs[j] < d)


@inlined
def galloped(docs, j, end, d):  # type: ignore[no-untyped-def]
    """Compute `reached` for a nearby position: doubling steps, then bisection."""
    step, high = 1, j
    while high < end and docs[high] < d:
        j = high + 1
        high += step
        step <<= 1
    return reached(docs, j, min(high, end), d)


@kernel
def score_listed(postings, terms, listed):  # type: ignore[no-untyped-def]
    """Return R of each listed document, float64[m], and whether it contains a query term, bool[m].

    listed: int32[m], ascending. Terms are in the order of `score_all`, so the sums are
    bit-identical; galloping search skips most postings.
    """
    R = np.zeros(listed.size, np.float64)
    matched = np.zeros(listed.size, np.bool_)
    for t in range(terms.begins.size):
        row, scale, B, weight = terms.A[t], terms.scale[t], terms.B, terms.weights[t]
        j, end = terms.begins[t], terms.ends[t]
        for i in range(listed.size):
            d = listed[i]
            j = galloped(postings.docs, j, end, d)
            if j >= end:
                break
            if postings.docs[j] == d:
                score = term_score(postings.tfs[j], postings.codes[d], row, scale, B)
                R[i] += weight * score
                matched[i] = True
    return R, matched


def _by_quality(R, C_factor, omega_Q, Q):  # type: ignore[no-untyped-def]
    """Return S = R·(1+ω_C·C)·(1+ω_Q·Q)   (H21 Eq. 1).

    The arguments are numbers, because numba counts a reference each time an array is passed on.
    """
    return R * C_factor * (1.0 + omega_Q * Q)


def _by_product(R, C_factor, omega_Q, Q):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return R * C_factor * Q


combined: Any = _by_quality
"""S from R and the factors. Q is the quality or (float64) the product of all factors but C's."""


@overload(_by_quality, inline="always")
def _chosen_product(R, C_factor, omega_Q, Q):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Choose the function at compile time."""
    return _by_product if types.float64 == Q else _by_quality
