"""Vectors in one byte a dimension: a quarter of the room, cosines right to two digits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.compiled import kernel

LEVELS = 127
"""The largest level; the smallest is its negative."""


def quantise(vectors: ArrayLike) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows as int8[n, d] and a scale float32[n], row ≈ scale · levels.

    The largest component of a row gets ±LEVELS; a row of zeros has the scale 0. An error of at most
    scale / 2 a component. Raises ValueError for anything but n rows of finite numbers.
    """
    x = np.asarray(vectors, np.float32)
    if x.ndim != 2 or not np.isfinite(x).all():
        raise ValueError(f"vectors have shape {x.shape}; allowed: (n, d), finite numbers")
    scales = (np.abs(x).max(axis=1, initial=0.0) / LEVELS).astype(np.float32)
    levels = np.rint(x / np.where(scales > 0, scales, 1)[:, None])
    return levels.astype(np.int8), scales


def cosines_plain(
    rows: NDArray[np.int8], scales: NDArray[np.float32], docs: ArrayLike, query: ArrayLike
) -> NDArray[np.float64]:
    """The dot product of a unit query with the rows of `docs`, float64[m]: their cosines."""
    at = np.asarray(docs, np.int64)
    q = np.asarray(query, np.float32).astype(np.float64)
    return np.asarray(scales[at] * (rows[at].astype(np.float64) @ q))


@kernel
def cosines(rows, scales, docs, query):  # type: ignore[no-untyped-def]
    """`cosines_plain` without copies of the rows; the sum of each row in its order."""
    out = np.empty(docs.size, np.float64)
    for i in range(docs.size):
        row = rows[docs[i]]
        total = 0.0
        for j in range(query.size):
            total += np.float64(row[j]) * query[j]
        out[i] = np.float64(scales[docs[i]]) * total
    return out
