"""Documents as lists of words, and their runs of five found without a hash."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.near_duplicates.shingles import Sketch, sketch


def tokens(
    documents: Sequence[Sequence[str]],
) -> tuple[list[bytes], NDArray[np.int32], NDArray[np.int64]]:
    """Terms in order of first occurrence, ids and offsets."""
    number: dict[str, int] = {}
    ids = [number.setdefault(word, len(number)) for words in documents for word in words]
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in documents])])
    return [term.encode() for term in number], np.array(ids, np.int32), offsets.astype(np.int64)


def sketch_of(documents: Sequence[Sequence[str]]) -> Sketch:
    """The documents' sketch."""
    return sketch(*tokens(documents))


def runs_of_five(words: Sequence[str]) -> set[tuple[str, ...]]:
    """The distinct runs of five words; a shorter document's whole text."""
    return {tuple(words[i : i + 5]) for i in range(max(1, len(words) - 4))}
