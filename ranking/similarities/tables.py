"""The scores of a term's postings, each read once, its score from a table.

A term's score depends on the document by tf and dl alone, and lengths take few values (Lucene
keeps them in one byte). So a model's plain expression is evaluated once for each pair of values
that a term's postings can have, and looked up for each posting.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel

SMALL = 256
"""Term frequencies below this have a row each; above, only those that occur."""


class Lengths(NamedTuple):
    """A field's lengths: each document's column, and what length (tokens) a column stands for."""

    columns: NDArray[np.integer]
    """int[n]."""
    values: NDArray[np.float64]
    """float64[columns], above 0 (a document without tokens has no postings to score)."""


class FieldRun(NamedTuple):
    """A term's postings in the conclusions, which documents share."""

    rows: NDArray[np.int32]
    """Distinct conclusions, ascending."""
    tfs: NDArray[np.integer]
    docs: NDArray[np.int32]
    """int32[c + 1] the documents of each conclusion, from each value to the next."""


class FieldNorms(NamedTuple):
    """What one occurrence counts in each field (`bm25f.Field.norm`)."""

    conclusion: NDArray[np.float64]
    """float64[c], by distinct conclusion."""
    premise: NDArray[np.float64]
    """By column of the premises' lengths."""
    columns: NDArray[np.integer]
    """Each document's column."""


def frequency_rows(tfs: NDArray[np.integer]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """The rows that a table for these term frequencies needs: their values, and each one's row.

    float64[rows], from 1; int32[largest tf + 1].
    """
    most = int(tfs.max(initial=1))
    if most < SMALL:
        return np.arange(1.0, most + 1), np.arange(-1, most, dtype=np.int32)
    occurring = np.unique(tfs)
    row_of = np.zeros(most + 1, np.int32)
    row_of[occurring] = np.arange(len(occurring), dtype=np.int32)
    return occurring.astype(np.float64), row_of


@kernel
def looked_up(docs, tfs, row_of, columns, table):  # type: ignore[no-untyped-def]
    """float64[postings], table[row of tf, column of d] of each; table: float64[rows, columns]."""
    scores = np.empty(docs.size)
    for j in range(docs.size):
        scores[j] = table[row_of[tfs[j]], columns[docs[j]]]
    return scores


@kernel
def saturated(docs, tfs, conclusion, norms, k1):  # type: ignore[no-untyped-def]
    """x / (x + k1), float64[postings], x the frequency over both fields (BM25F).

    docs, tfs: the term's postings in the text, ascending; conclusion: its FieldRun; norms:
    FieldNorms. The premises have the occurrences that the conclusion has not. Conclusions outside
    the arrays (a damaged file) are passed over.
    """
    shares = np.zeros(docs.size)
    p, end, most = 0, conclusion.rows.size, conclusion.docs.size - 1
    for j in range(docs.size):
        d = docs[j]
        while p < end and conclusion.docs[max(0, min(most, conclusion.rows[p] + 1))] <= d:
            p += 1
        x, rest = 0.0, np.int64(tfs[j])
        if p < end and 0 <= conclusion.rows[p] < most and conclusion.docs[conclusion.rows[p]] <= d:
            x = conclusion.tfs[p] * norms.conclusion[conclusion.rows[p]]
            rest -= np.int64(conclusion.tfs[p])
        if rest > 0:
            x += rest * norms.premise[norms.columns[d]]
        if x > 0.0:
            shares[j] = x / (x + k1)
    return shares
