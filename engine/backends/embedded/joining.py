"""Words and word forms as one query: R is then a weighted sum over terms and classes of forms.

(1 − f) · Σ w · s(term) + f · Σ w · s(class) is a sum over weighted terms of one longer run of
postings, so the kernels of `ranking.retrieval` answer it as they answer any query. A class of one
form is its term, and adds to its weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.forms import Merged
from argsearch.ranking.retrieval import Postings

CLASS = -1
"""Stands for the row of a class, which is none of the dictionary's."""


class Joined(NamedTuple):
    """The terms and classes of a query, the rarest first, and their postings one after another."""

    postings: Postings
    rows: list[int]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    weights: NDArray[np.float64]
    totals: NDArray[np.int64]
    """ttf of each."""


def join(
    postings: Postings,
    merged: Merged,
    sought: tuple[dict[int, float], dict[int, float]],
    f: float,
) -> Joined:
    """The query of weight f on word forms; sought: its terms and its classes by row, how often."""
    terms, classes = sought
    weights = {row: (1.0 - f) * n for row, n in terms.items()}
    several = {}
    for row, n in classes.items():
        if len(merged.members(row)) == 1:
            weights[row] = weights.get(row, 0.0) + f * n
        else:
            several[row] = f * n
    parts = [
        (merged.field.counts(row)[1], row, w, merged.field.run(row)) for row, w in weights.items()
    ]
    parts += [(merged.occurrences(row), CLASS, w, merged.run(row)) for row, w in several.items()]
    parts = sorted((part for part in parts if part[2]), key=lambda part: part[:2])
    ends = np.cumsum([len(docs) for _, _, _, (docs, _) in parts], dtype=np.int64)
    begins = np.concatenate([[0], ends[:-1]]).astype(np.int64)[: len(parts)]
    docs = _frozen([docs for _, _, _, (docs, _) in parts], np.dtype(np.int32))
    tfs = _frozen([tfs for _, _, _, (_, tfs) in parts], postings.tfs.dtype)
    return Joined(
        Postings(docs, tfs, postings.codes),
        [row for _, row, _, _ in parts],
        begins,
        ends,
        np.array([weight for _, _, weight, _ in parts], np.float64),
        np.array([total for total, _, _, _ in parts], np.int64),
    )


def _frozen(arrays: Sequence[NDArray[np.integer]], dtype: np.dtype[np.integer]) -> NDArray[Any]:
    """One array, read-only as those of an index are, so that the same compiled kernels take it."""
    wider = any(one.dtype.itemsize > dtype.itemsize for one in arrays)
    kind = np.dtype(np.uint32) if wider else dtype
    joined = np.concatenate([*arrays, np.zeros(0, dtype)], dtype=kind)
    joined.flags.writeable = False
    return joined
