"""What happens to texts before any encoder sees them, and to its rows afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

LONGEST_TEXT = 20_000
"""Characters of a text that are read; what follows is left out (a bound on memory)."""


def clean(text: str) -> str:
    """The text an encoder reads: its first LONGEST_TEXT characters, lone surrogates as U+FFFD."""
    text = text[:LONGEST_TEXT]
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def batches(texts: Sequence[str], size: int) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
    """The texts that are not blank, cleaned, `size` at a time, with their positions.

    Texts of like length share a batch (padding then costs little); ties keep the given order.
    """
    cleaned = [clean(text) for text in texts]
    lengths = np.array([len(text) if text.strip() else 0 for text in cleaned], np.int64)
    order = np.argsort(lengths, kind="stable")
    order = order[int(np.count_nonzero(lengths == 0)) :]
    for start in range(0, len(order), size):
        rows = order[start : start + size]
        yield rows, [cleaned[row] for row in rows]


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows divided by their L2 norm, float32[n, d]; zero and non-finite rows become zero."""
    norms = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    usable = (norms > 0) & np.isfinite(norms)
    units: NDArray[np.float32] = np.divide(rows, norms, out=np.zeros_like(rows), where=usable)
    return units
