"""Vectors with one byte per dimension, their cosines, and the nearest sentences.

Dot products of quantised rows are integers below 2²⁴, which float32 sums exactly. The result
therefore does not depend on block size, threads or summation order, and equal rows tie (the earlier
one comes first). A cosine equals that of the unit rows up to a rounding error of about 1e-3 at 256
dimensions, so it may exceed 1 by as much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.retrieval.selection import keep_largest

Quantised = tuple[NDArray[np.int8], NDArray[np.float32]]
"""Rows int8[n, d] and scales float32[n]. row · scale has length 1, or 0 for a row of zeros."""

LARGEST_LEVEL = 127
"""Largest quantised value; the smallest is -LARGEST_LEVEL."""
MOST_DIMENSIONS = (1 << 24) // LARGEST_LEVEL**2
"""Largest number of dimensions for which a float32 represents dot products exactly."""
# Number of rows, and of others to compare them with at a time. 256 dimensions take 25 MB a thread.
TILE_ROWS = 512
TILE_COLUMNS = 8192
TOKEN_FACTOR = 1.75
"""W22's token factor: a result has at least this many times as many tokens as the query."""
NOBODY = -1
"""Number that stands for a missing item in a list with too few items."""


def quantise(vectors: ArrayLike) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantise rows to int8[n, d] levels with one scale per row, float32[n]; row ≈ scale · levels.

    The largest component of a row becomes ±LARGEST_LEVEL. A row of zeros has scale 0. The error of
    a component is at most scale / 2. Raises ValueError unless vectors are n rows of finite numbers.
    """
    x = np.asarray(vectors, np.float32)
    if x.ndim != 2 or not np.isfinite(x).all():
        raise ValueError(f"vectors must have the shape (n, d) and finite numbers, not {x.shape}")
    scales = (np.abs(x).max(axis=1, initial=0.0) / LARGEST_LEVEL).astype(np.float32)
    return np.rint(x / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8), scales


def cosines(
    vector: ArrayLike, rows: NDArray[np.int8], scales: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the cosines of a vector (of any length) and int8[c, d] rows; 0 if either is zero.

    Each row · scale must have length 1 up to rounding. scales: float32[c].
    """
    x = np.asarray(vector, np.float64)
    norm = float(np.sqrt(x @ x))
    values = rows.astype(np.float64) @ x * scales
    return np.asarray(values / norm if norm else np.zeros(len(rows)))


@dataclass(frozen=True, slots=True)
class SentenceRows:
    """n sentences as quantised vectors with token counts."""

    levels: NDArray[np.int8]
    """int8[n, d]."""
    scales: NDArray[np.float32]
    """float32[n], 1 / the norm of each row, or 0 for a row of zeros."""
    tokens: NDArray[np.int32]
    """int32[n], the number of tokens of each sentence."""

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, rows: NDArray[np.int64] | slice) -> SentenceRows:
        """Return the sentences at these positions."""
        return SentenceRows(self.levels[rows], self.scales[rows], self.tokens[rows])

    @property
    def vectors(self) -> NDArray[np.float64]:
        """Unit vectors, float64[n, d], with zeros for a row of zeros."""
        return np.asarray(self.levels * self.scales.astype(np.float64)[:, None])


@dataclass(frozen=True, slots=True)
class Nearest:
    """The k nearest candidates of each query, best first, padded with -1 and 0 if fewer."""

    rows: NDArray[np.int32]
    """int32[queries, k], the candidates."""
    cosines: NDArray[np.float64]
    """float64[queries, k]."""


def norms(levels: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return 1 / ‖row‖ of int8[n, d], float32[n]; 0 for a row of zeros."""
    # int8 would overflow with the first square.
    squares = np.einsum("ij,ij->i", levels, levels, dtype=np.int64).astype(np.float64)
    return np.where(squares > 0, 1 / np.sqrt(np.maximum(squares, 1)), 0.0).astype(np.float32)


def sentence_cosines(query: SentenceRows, candidates: SentenceRows) -> NDArray[np.float64]:
    """Return cos(q, s) = (q·s) / (‖q‖·‖s‖) for one query, float64[n]; 0 for a row of zeros."""
    dots = _dots(query.levels[0], candidates.levels)
    return np.asarray(dots * (np.float64(query.scales[0]) * candidates.scales.astype(np.float64)))


def similarities(rows: SentenceRows) -> NDArray[np.float64]:
    """Return `sentence_cosines` for all pairs, float64[n, n], exactly symmetric.

    Raises ValueError if the vectors have too many dimensions.
    """
    if (d := rows.levels.shape[1]) > MOST_DIMENSIONS:
        raise ValueError(f"vectors must have at most {MOST_DIMENSIONS} dimensions, not {d}")
    levels, scales = rows.levels.astype(np.float32), rows.scales.astype(np.float64)
    return np.asarray((levels @ levels.T) * (scales[:, None] * scales))


def long_enough(query: ArrayLike, candidates: ArrayLike, factor: float) -> NDArray[np.bool_]:
    """Return tokens(s) ≥ factor · tokens(q)   (W22's token factor)."""
    return np.asarray(np.asarray(candidates) >= factor * np.asarray(query))


def nearest(
    queries: SentenceRows,
    candidates: SentenceRows,
    k: int,
    factor: float = TOKEN_FACTOR,
    progress: Callable[[int], None] = lambda _done: None,
) -> Nearest:
    """Return the k best candidates per query that are long enough (W22). Ties go to the first.

    Each block takes one matrix product, whose results are merged into each query's list of best
    hits. Candidates are sorted by descending length, to skip blocks that are too short for a query.

    `progress` receives the number of candidates processed so far. Extra memory: 25 MB.

    Raises ValueError if the dimensions are unequal or too many.
    """
    d, other = queries.levels.shape[1], candidates.levels.shape[1]
    if d != other or d > MOST_DIMENSIONS:
        said = f"the same number of dimensions, at most {MOST_DIMENSIONS}, not {d} and {other}"
        raise ValueError(f"all vectors must have {said}")
    shape = len(queries), k
    rows, values = np.full(shape, NOBODY, np.int32), np.full(shape, -np.inf)
    short = np.argsort(queries.tokens, kind="stable")
    long = np.argsort(-candidates.tokens, kind="stable")
    for at in range(0, len(long) if len(short) else 0, TILE_COLUMNS):
        some = long[at : at + TILE_COLUMNS]
        block, most = candidates[some], int(candidates.tokens[some[0]])
        levels = block.levels.astype(np.float32).T
        for begin in range(0, len(short), TILE_ROWS):
            asked = short[begin : begin + TILE_ROWS]
            if factor * int(queries.tokens[asked[0]]) > most:
                break
            dots = queries.levels[asked].astype(np.float32) @ levels
            needs = factor * queries.tokens[asked].astype(np.float64)
            _keep_long(dots, (some, block.scales, block.tokens), (asked, needs), (values, rows))
        progress(min(at + TILE_COLUMNS, len(long)))
    cos = np.where(rows >= 0, values, 0.0) * queries.scales.astype(np.float64)[:, None]
    return Nearest(rows, cos)


@kernel
def _dots(query, rows):  # type: ignore[no-untyped-def]
    """Return q·s for one row and each of many others, as integers."""
    out = np.empty(len(rows), np.int32)
    wide = query.astype(np.int32)
    for i in range(len(rows)):
        total = np.int32(0)
        for j in range(wide.size):
            total += np.int32(rows[i, j]) * wide[j]
        out[i] = total
    return out


@kernel
def _keep_long(dots, block, asked, best):  # type: ignore[no-untyped-def]
    """Insert a block's candidates, longest first, into the lists of the queries they qualify for.

    The lists contain q·s / ‖s‖, which is the cosine times the norm of the query.
    """
    numbers, scales, tokens = block
    queries, needs = asked
    for i in range(len(queries)):
        values, rows = best[0][queries[i]], best[1][queries[i]]
        for j in range(len(numbers)):
            if tokens[j] < needs[i]:
                break
            value = np.float64(dots[i, j]) * np.float64(scales[j])
            if value >= values[-1]:
                keep_largest(values, rows, value, numbers[j])
