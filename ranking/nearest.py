"""The nearest sentences of each sentence, exactly, under a condition on their lengths (W22).

Sentences are rows of whole numbers from -127 to 127 (`quantising.quantise`). Dot products of such
rows are whole numbers below 2²⁴ for d ≤ 1,040, which single precision adds up without rounding: a
matrix product of any shape, in any order, on any number of threads gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.compiled import kernel

TOKEN_FACTOR = 1.75
"""W22's token factor: what is retrieved has at least that many times the query's tokens."""
WIDEST = (1 << 24) // (127 * 127)
"""Dimensions up to which single precision is exact."""
QUERIES, CANDIDATES = 1024, 8192
"""Rows of one matrix product."""


@dataclass(frozen=True, slots=True)
class Rows:
    """n sentences."""

    levels: NDArray[np.int8]
    """int8[n, d]."""
    scales: NDArray[np.float32]
    """float32[n], 1 / the row's norm; 0 for a row of zeros."""
    tokens: NDArray[np.int32]
    """int32[n]."""

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, rows: NDArray[np.int64] | slice) -> Rows:
        """The sentences of these numbers."""
        return Rows(self.levels[rows], self.scales[rows], self.tokens[rows])

    @property
    def vectors(self) -> NDArray[np.float64]:
        """The unit vectors, float64[n, d]; zeros for a row of zeros."""
        return np.asarray(self.levels * self.scales.astype(np.float64)[:, None])


@dataclass(frozen=True, slots=True)
class Nearest:
    """The k nearest candidates of each query, best first, -1 and 0 where there are fewer."""

    rows: NDArray[np.int32]
    """int32[queries, k]."""
    cosines: NDArray[np.float64]
    """float64[queries, k]."""


def norms(levels: NDArray[np.int8]) -> NDArray[np.float32]:
    """1 / ‖row‖, float32[n], of int8[n, d]; 0 for a row of zeros."""
    squares = np.einsum("ij,ij->i", levels, levels, dtype=np.int64).astype(np.float64)
    return np.where(squares > 0, 1 / np.sqrt(np.maximum(squares, 1)), 0.0).astype(np.float32)


def cosines(query: Rows, candidates: Rows) -> NDArray[np.float64]:
    """cos(q, s) = (q·s) / (‖q‖·‖s‖) of one query, float64[n]; 0 where a row is of zeros."""
    dots = _dots(query.levels[0], candidates.levels)
    return np.asarray(dots * (np.float64(query.scales[0]) * candidates.scales.astype(np.float64)))


def similarities(rows: Rows) -> NDArray[np.float64]:
    """`cosines` of each with each, float64[n, n], symmetric to the bit.

    Raises ValueError for vectors of too many dimensions.
    """
    if rows.levels.shape[1] > WIDEST:
        raise ValueError(f"vectors have {rows.levels.shape[1]} dimensions; allowed: to {WIDEST}")
    levels, scales = rows.levels.astype(np.float32), rows.scales.astype(np.float64)
    return np.asarray((levels @ levels.T) * (scales[:, None] * scales))


def long_enough(query: ArrayLike, candidates: ArrayLike, factor: float) -> NDArray[np.bool_]:
    """tokens(s) ≥ factor · tokens(q)   (W22's token factor)."""
    return np.asarray(np.asarray(candidates) >= factor * np.asarray(query))


def nearest_plain(
    queries: Rows, candidates: Rows, k: int, factor: float = TOKEN_FACTOR
) -> list[list[tuple[int, float]]]:
    """As W22 has it: (candidate, cosine) of each query, those long enough, the k best; O(n·m·d).

    Ties go to the earlier candidate.
    """
    found = []
    for q in range(len(queries)):
        cos = cosines(queries[np.array([q])], candidates)
        fit = np.flatnonzero(long_enough(queries.tokens[q], candidates.tokens, factor))
        best = sorted(fit.tolist(), key=lambda s: (-cos[s], s))[:k]
        found.append([(s, float(cos[s])) for s in best])
    return found


def nearest(
    queries: Rows,
    candidates: Rows,
    k: int,
    factor: float = TOKEN_FACTOR,
    progress: Callable[[int], None] = lambda _done: None,
) -> Nearest:
    """`nearest_plain` in blocks: a matrix product, then a heap a query.

    Candidates come longest first, so that the blocks that are too short for a query are never
    multiplied. `progress` hears how many candidates are done. Memory: 40 MB beside the arguments.

    Raises ValueError for k < 1, a factor below 0, or vectors of unequal or too many dimensions.
    """
    _check(queries, candidates, k, factor)
    shape = len(queries), k
    best = _Best(np.full(shape, -1, np.int32), np.full(shape, -np.inf))
    short = np.argsort(queries.tokens, kind="stable")
    long = np.argsort(-candidates.tokens, kind="stable")
    for at in range(0, len(long), CANDIDATES):
        some = long[at : at + CANDIDATES]
        block, most = candidates[some], int(candidates.tokens[some[0]])
        levels = block.levels.astype(np.float32).T
        for begin in range(0, len(short), QUERIES):
            asked = short[begin : begin + QUERIES]
            if factor * int(queries.tokens[asked[0]]) > most:
                break
            dots = queries.levels[asked].astype(np.float32) @ levels
            needs = factor * queries.tokens[asked].astype(np.float64)
            _keep(dots, (some, block.scales, block.tokens), (asked, needs), (best.rows, best.of))
        progress(min(at + CANDIDATES, len(long)))
    return best.sorted(queries.scales)


@dataclass(frozen=True, slots=True)
class _Best:
    rows: NDArray[np.int32]
    of: NDArray[np.float64]
    """q·s / ‖s‖: the cosine but for the query's own norm; a row's worst stands first."""

    def sorted(self, scales: NDArray[np.float32]) -> Nearest:
        """Best first, ties by the earlier candidate."""
        order = np.lexsort((self.rows, -self.of), axis=1)
        rows = np.take_along_axis(self.rows, order, axis=1)
        of = np.take_along_axis(self.of, order, axis=1)
        cos = np.where(rows >= 0, of, 0.0) * scales.astype(np.float64)[:, None]
        return Nearest(rows, cos)


def _check(queries: Rows, candidates: Rows, k: int, factor: float) -> None:
    if k < 1:
        raise ValueError(f"k is {k!r}; allowed: a whole number from 1")
    if not factor >= 0:
        raise ValueError(f"the token factor is {factor!r}; allowed: a number from 0")
    d, other = queries.levels.shape[1], candidates.levels.shape[1]
    if d != other or d > WIDEST:
        raise ValueError(f"vectors have {d} and {other} dimensions; allowed: equal, to {WIDEST}")


@kernel
def _dots(query, rows):  # type: ignore[no-untyped-def]
    """q·s of one row to each of many, whole numbers."""
    out = np.empty(len(rows), np.int32)
    wide = query.astype(np.int32)
    for i in range(len(rows)):
        total = np.int32(0)
        for j in range(wide.size):
            total += np.int32(rows[i, j]) * wide[j]
        out[i] = total
    return out


@kernel
def _keep(dots, block, asked, best):  # type: ignore[no-untyped-def]
    """Put a block's candidates into the lists of its queries: heaps whose worst is at the top."""
    numbers, scales, tokens = block
    queries, needs = asked
    rows, of = best
    k = rows.shape[1]
    for i in range(len(queries)):
        q = queries[i]
        row, value = rows[q], of[q]
        for j in range(len(numbers)):
            if tokens[j] < needs[i]:
                break
            new = np.float64(dots[i, j]) * np.float64(scales[j])
            if new < value[0] or (new == value[0] and row[0] >= 0 and numbers[j] > row[0]):
                continue
            at, below = 0, 1
            while below < k:
                if below + 1 < k and _worse(value, row, below + 1, below):
                    below += 1
                worse = value[below] < new or (value[below] == new and row[below] > numbers[j])
                if not (row[below] < 0 or worse):
                    break
                value[at], row[at] = value[below], row[below]
                at, below = below, 2 * below + 1
            value[at], row[at] = new, numbers[j]


@kernel
def _worse(value, row, a, b):  # type: ignore[no-untyped-def]
    """Whether place a of a heap is worse than place b: lower, or as high and later; free first."""
    if row[a] < 0 or row[b] < 0:
        return row[a] < 0
    return value[a] < value[b] or (value[a] == value[b] and row[a] > row[b])
