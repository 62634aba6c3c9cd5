"""Sums of vectors by group: what a static encoder does with the vectors of a text's pieces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranking.compiled import kernel


def sums_plain(
    table: NDArray[np.float32], ids: NDArray[np.integer], starts: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Σ table[ids[j]] over each group's j, float32[groups, d].

    starts: int64[groups + 1] into ids; no group is empty.
    """
    sums: NDArray[np.float32] = np.add.reduceat(table[ids], starts[:-1], axis=0)
    return sums


@kernel
def sums(table, ids, starts):  # type: ignore[no-untyped-def]
    """`sums_plain` without a copy of the rows, in the same order and to the last bit."""
    out = np.zeros((starts.size - 1, table.shape[1]), np.float32)
    for group in range(out.shape[0]):
        row = out[group]
        for j in range(starts[group], starts[group + 1]):
            other = table[ids[j]]
            for k in range(row.size):
                row[k] += other[k]
    return out
