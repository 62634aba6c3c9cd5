"""Similarity by meaning: cosines of a question with an argument's conclusion and beginning.

M(q, d) = (cos(q, conclusion of d) + cos(q, beginning of d)) / 2; if one is missing, the other. All
vectors are int8 rows. Their dot products are integers, so every machine and number of threads gives
the same result.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.vectors import Quantised

THREAD_ROWS = 16_384
"""Rows per thread and turn."""


def similarities(
    question: Quantised,
    beginnings: Quantised,
    conclusions: Quantised,
    conclusion_of: NDArray[np.integer],
    workers: int = 1,
) -> NDArray[np.float64]:
    """Return M of one question, int8[1, d], with each of n arguments, float64[n].

    A row of zeros stands for a missing text; M is 0 if both are missing. M is in [−1, 1] up to
    rounding. conclusion_of: int[n], each argument's row in conclusions. `workers` threads share
    rows. Raises ValueError for rows of another length or conclusion_of out of range.
    """
    (levels,), (scale,) = question
    for rows, scales in (beginnings, conclusions):
        _check(question, rows, scales)
    n, claims = len(beginnings[0]), len(conclusions[0])
    if len(conclusion_of) != n or not conclusion_of.min(initial=0) >= 0:
        raise ValueError(f"conclusion_of has {len(conclusion_of)} rows; allowed: {n}, from 0")
    if n and conclusion_of.max() >= claims:
        raise ValueError(f"conclusion_of has {conclusion_of.max()}; allowed: below {claims}")
    wide, cosines, out = levels.astype(np.int16), np.empty(claims), np.empty(n)
    with ThreadPoolExecutor(workers) as pool:
        each = pool.map if workers > 1 else map
        factor = np.float64(scale)
        list(each(lambda at: _cosines(wide, factor, *at), _blocks(*conclusions, cosines)))
        of = _blocks(*beginnings, conclusion_of, out)
        list(each(lambda at: _means(wide, factor, cosines, conclusions[1], *at), of))
    return out


def best_passages(
    question: Quantised, passages: Quantised, starts: NDArray[np.int64], workers: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the best cosine of a question with each argument's passages, and that passage's row.

    The passages of argument i are the rows starts[i] to starts[i + 1] (int64[n + 1]). The
    first one wins a tie. An argument without passages has the cosine 0 and the row −1. `workers`
    threads share the arguments. Raises ValueError for rows of another length or starts out of
    order.
    """
    (levels,), (scale,) = question
    rows, scales = passages
    _check(question, rows, scales)
    if starts[0] or starts[-1] != len(rows) or (np.diff(starts) < 0).any():
        raise ValueError(f"starts end at {starts[-1]}; allowed: rising, from 0 to {len(rows)}")
    wide, factor, n = levels.astype(np.int16), np.float64(scale), len(starts) - 1
    best, at = np.zeros(n), np.full(n, -1, np.int64)

    def one(low: int) -> None:
        high = min(low + THREAD_ROWS, n)
        begin, end = starts[low], starts[high]
        some = rows[begin:end], scales[begin:end], starts[low : high + 1]
        _best(wide, factor, *some, best[low:high], at[low:high])

    with ThreadPoolExecutor(workers) as pool:
        list((pool.map if workers > 1 else map)(one, range(0, n, THREAD_ROWS)))
    return best, at


def cosines(question: Quantised, rows: Quantised) -> NDArray[np.float64]:
    """Return cosines of one question and int8[m, d] rows, float64[m], exactly as `similarities`."""
    _check(question, *rows)
    out = np.empty(len(rows[0]))
    _cosines(question[0][0].astype(np.int16), np.float64(question[1][0]), *rows, out)
    return out


def _check(question: Quantised, rows: NDArray[np.int8], scales: NDArray[np.float32]) -> None:
    allowed = len(scales), question[0].shape[1]
    if rows.shape != allowed:
        raise ValueError(f"rows are {rows.shape}; allowed: {allowed}")


def mean_of(
    beginnings: NDArray[np.float64], conclusions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return M from both cosines, NaN if missing; 0 if both are missing."""
    both = (beginnings + conclusions) / 2
    alone = np.where(np.isnan(beginnings), conclusions, beginnings)
    return np.nan_to_num(np.where(np.isnan(both), alone, both), nan=0.0)


def _blocks(*arrays: NDArray[np.generic]) -> list[list[NDArray[np.generic]]]:
    return [[a[i : i + THREAD_ROWS] for a in arrays] for i in range(0, len(arrays[0]), THREAD_ROWS)]


@kernel
def _cosines(question, factor, rows, scales, out):  # type: ignore[no-untyped-def]
    """Write the cosine of a question (as int16) with each row to `out`."""
    for i in range(len(rows)):
        dot = np.int32(0)
        for j in range(rows.shape[1]):
            dot += np.int32(rows[i, j]) * np.int32(question[j])
        out[i] = np.int32(dot) * (factor * scales[i])  # numba sums in 64 bits without the cast


@kernel
def _means(question, factor, cosines, there, rows, scales, conclusion_of, out):  # type: ignore[no-untyped-def]
    """Write M of each row to `out`; cosines, there: cosines and scales of all conclusions."""
    _cosines(question, factor, rows, scales, out)
    for i in range(len(rows)):
        claim = conclusion_of[i]
        if there[claim] > 0:
            out[i] = (out[i] + cosines[claim]) / 2 if scales[i] > 0 else cosines[claim]


@kernel
def _best(question, factor, rows, scales, starts, best, at):  # type: ignore[no-untyped-def]
    """Write the best cosine of each argument's rows, and its row; `starts` begins at rows[0]."""
    for one in range(len(starts) - 1):
        for i in range(starts[one] - starts[0], starts[one + 1] - starts[0]):
            dot = np.int32(0)
            for j in range(rows.shape[1]):
                dot += np.int32(rows[i, j]) * np.int32(question[j])
            cosine = np.int32(dot) * (factor * scales[i])
            if at[one] < 0 or cosine > best[one]:
                best[one] = cosine
                at[one] = i + starts[0]
