"""R from postings: of every document, or of a sorted list of some (H21)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from argsearch.ranking.compiled import inlined, kernel


def _by_tables(tf, b, row, scale):  # type: ignore[no-untyped-def]
    """max(0, ln(1 + tf/(μP)) + ln(μ/(dl + μ))), the logarithms read from tables (H21)."""
    a = row[tf] if tf < row.size else math.log(1.0 + tf / scale)
    return max(0.0, a + b)


def _itself(tf, b, row, scale):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return tf


term_score: Any = _by_tables
"""A posting's score: DirichletLM's where it has a frequency; else, a float, that is the score."""


@overload(_by_tables, inline="always")
def _chosen(tf, b, row, scale):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Which of the two a kernel is compiled with: no posting pays for the question."""
    return _itself if isinstance(tf, types.Float) else _by_tables


@kernel
def score_all(postings, terms, n):  # type: ignore[no-untyped-def]
    """R of every document, float64[n], and whether it has any query term, bool[n]."""
    R = np.zeros(n, np.float64)
    matched = np.zeros(n, np.bool_)
    for t in range(terms.begins.size):
        row, scale, weight = terms.A[t], terms.scale[t], terms.weights[t]
        for j in range(np.uint64(terms.begins[t]), np.uint64(terms.ends[t])):
            d = np.uint32(postings.docs[j])
            if d >= np.uint32(n):
                continue  # a damaged file must not write outside the array
            R[d] += weight * term_score(postings.tfs[j], terms.B[postings.codes[d]], row, scale)
            matched[d] = True
    return R, matched


@inlined
def reached(docs, j, end, d):  # type: ignore[no-untyped-def]
    """The first of docs[j:end], ascending, that is not below d; halves without a branch to miss."""
    left = end - j
    while left > 1:
        half = left >> 1
        j += half * (docs[j + half - 1] < d)
        left -= half
    return j + (left == 1 and docs[j] < d)


@inlined
def galloped(docs, j, end, d):  # type: ignore[no-untyped-def]
    """`reached` where that is near: steps that double, then halves."""
    step, high = 1, j
    while high < end and docs[high] < d:
        j = high + 1
        high += step
        step <<= 1
    return reached(docs, j, min(high, end), d)


@kernel
def score_listed(postings, terms, listed):  # type: ignore[no-untyped-def]
    """R of each listed document, float64[m], and whether it has any query term, bool[m].

    listed: int32[m], ascending documents. Terms in the order of `score_all`, so the sums are the
    same to the bit; each term's postings are galloped through, not read.
    """
    R = np.zeros(listed.size, np.float64)
    matched = np.zeros(listed.size, np.bool_)
    for t in range(terms.begins.size):
        row, scale, weight = terms.A[t], terms.scale[t], terms.weights[t]
        j, end = terms.begins[t], terms.ends[t]
        for i in range(listed.size):
            d = listed[i]
            j = galloped(postings.docs, j, end, d)
            if j >= end:
                break
            if postings.docs[j] == d:
                b = terms.B[postings.codes[d]]
                R[i] += weight * term_score(postings.tfs[j], b, row, scale)
                matched[i] = True
    return R, matched
