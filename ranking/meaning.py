"""Similarity by meaning: cosines of a question with an argument's conclusion and best passage.

M(q, d) = (cos(q, conclusion of d) + 2 · max over passages p of d of cos(q, p)) / 3. If one cosine
is missing, M is the other. All vectors are int8 rows. Their dot products are integers, so every
machine and number of threads gives the same result.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.combination import PASSAGE_WEIGHT
from argsearch.ranking.compiled import kernel
from argsearch.ranking.vectors import Quantised

THREAD_ROWS = 16_384
"""Number of rows that each thread processes per turn."""
SEVERAL = 3
"""Number of best passages in `Passages.several`."""


class Passages(NamedTuple):
    """Cosines between a question and the passages of n arguments."""

    best: NDArray[np.float64]
    """Cosine of the best passage, float64[n]; NaN for an argument without passages."""
    several: NDArray[np.float64]
    """Mean cosine of the SEVERAL best passages (or of all, if fewer); NaN as in `best`."""
    place: NDArray[np.int64]
    """Zero-based position of the best of the argument's passages, int64[n]; −1 if it has none."""


def similarities(
    question: Quantised,
    passages: Quantised,
    passage_of: NDArray[np.integer],
    starts: NDArray[np.integer],
    conclusions: Quantised,
    conclusion_of: NDArray[np.integer],
    workers: int = 1,
) -> NDArray[np.float64]:
    """Return M between one question, int8[1, d], and each of n arguments, float64[n].

    The passages of argument i are the rows passage_of[starts[i] : starts[i + 1]] (starts has n + 1
    numbers); its conclusion is the row conclusion_of[i]. A row of zeros stands for a missing
    conclusion; M is 0 if both are missing. M is in [−1, 1] up to rounding. `workers` threads share
    rows. Raises ValueError for rows of the wrong length, starts out of order or rows out of range.
    """
    n, claims, known = len(conclusion_of), len(conclusions[0]), len(passages[0])
    for rows, scales in (passages, conclusions):
        _check(question, rows, scales)
    if len(starts) != n + 1 or starts[0] or starts[-1] != len(passage_of) or _falls(starts):
        wanted = f"{n + 1} numbers that rise from 0 to {len(passage_of)}"
        raise ValueError(f"starts must be {wanted}, not {len(starts)} up to {starts[-1]}")
    for name, of, most in (("conclusion", conclusion_of, claims), ("passage", passage_of, known)):
        if len(of) and not 0 <= of.min() <= of.max() < most:
            found = f"not {of.min()} to {of.max()}"
            raise ValueError(f"{name}_of must have numbers from 0 to {most - 1}, {found}")
    wide, factor = question[0][0].astype(np.int16), np.float64(question[1][0])
    near, claim, out = np.empty(known), np.empty(claims), np.empty(n)
    with ThreadPoolExecutor(workers) as pool:
        each = pool.map if workers > 1 else map
        blocks = [*_blocks(*passages, near), *_blocks(*conclusions, claim)]
        list(each(lambda at: _cosines(wide, factor, *at), blocks))
        held = near, passage_of, claim, conclusions[1]
        each_argument = _blocks(starts[:-1], starts[1:], conclusion_of, out)
        list(each(lambda at: _combined(*held, *at), each_argument))
    return out


def _falls(starts: NDArray[np.integer]) -> bool:
    return bool((np.diff(starts) < 0).any())


def best_passages(
    question: Quantised, passages: Quantised, starts: NDArray[np.integer]
) -> Passages:
    """Return `Passages` of n arguments; argument i has the passages starts[i] to starts[i + 1].

    If passages are equal, the first counts as the best.
    """
    near, sizes = cosines(question, passages), np.diff(starts)
    there = sizes > 0
    begins, sizes = np.asarray(starts)[:-1][there], sizes[there]
    best, several = np.full(len(there), np.nan), np.full(len(there), np.nan)
    place = np.full(len(there), -1, np.int64)
    if len(begins):
        best[there] = np.maximum.reduceat(near, begins)
        of = np.repeat(np.arange(len(begins)), sizes)
        falling = np.lexsort((-near, of))  # stable, so the first of equal passages stays the first
        place[there] = falling[begins] - begins
        # The order of the sum is part of the result: the smallest first.
        first, second, third = (
            np.where(sizes > i, near[falling[begins + np.minimum(i, sizes - 1)]], 0.0)
            for i in range(SEVERAL)
        )
        several[there] = (third + second + first) / np.minimum(sizes, SEVERAL)
    return Passages(best, several, place)


def cosines(question: Quantised, rows: Quantised) -> NDArray[np.float64]:
    """Return cosines of a question and int8[m, d] rows, float64[m], identical to `similarities`."""
    _check(question, *rows)
    out = np.empty(len(rows[0]))
    _cosines(question[0][0].astype(np.int16), np.float64(question[1][0]), *rows, out)
    return out


def _check(question: Quantised, rows: NDArray[np.int8], scales: NDArray[np.float32]) -> None:
    allowed = len(scales), question[0].shape[1]
    if rows.shape != allowed:
        raise ValueError(f"rows must have the shape {allowed}, not {rows.shape}")


def mean_of(passages: NDArray[np.float64], conclusions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return M from the cosines of best passages and conclusions, NaN if missing.

    M is 0 if both the passage and the conclusion are missing.
    """
    both = PASSAGE_WEIGHT * passages + (1.0 - PASSAGE_WEIGHT) * conclusions
    alone = np.where(np.isnan(passages), conclusions, passages)
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
def _combined(near, passage_of, claims, there, begins, ends, conclusion_of, out):  # type: ignore[no-untyped-def]
    """Write each argument's M; `near` and `claims` are cosines of all passages and conclusions."""
    for i in range(len(out)):
        best = -np.inf
        for at in range(begins[i], ends[i]):
            best = max(best, near[passage_of[at]])
        claim = conclusion_of[i]
        has_passage, has_claim = ends[i] > begins[i], there[claim] > 0
        if has_passage and has_claim:
            out[i] = PASSAGE_WEIGHT * best + (1.0 - PASSAGE_WEIGHT) * claims[claim]
        elif has_passage:
            out[i] = best
        else:
            out[i] = claims[claim] if has_claim else 0.0
