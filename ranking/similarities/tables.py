"""The scores of a term's postings, looked up in a table.

A term's score depends only on a document's tf and dl, and there are few distinct lengths (one byte
in Lucene). So a model's plain expression is computed once for each pair of values that occurs, and
looked up for each posting.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.similarities.statistics import Similarity, Statistics

SMALL = 256
"""Each term frequency below this has a table row; a higher one has a row only if it occurs."""


class Lengths(NamedTuple):
    """The lengths of a field: each document's table column, and each column's length in tokens."""

    columns: NDArray[np.integer]
    """int[n], the column of each document."""
    values: NDArray[np.float64]
    """float64[columns], above 0, since a document without tokens has no postings to score."""


def table_of(
    model: Similarity, tfs: NDArray[np.integer], lengths: Lengths, term: Statistics
) -> Table | None:
    """Return the scores of a term's frequencies in documents of any length.

    None if the table would have more scores than the term has postings.
    """
    if len(tfs) > len(lengths.values):
        values, row_of = frequency_rows(tfs)
        if len(values) * len(lengths.values) <= len(tfs):
            scores = model.score(values[:, None], lengths.values[None, :], term)
            return Table(values, row_of, scores)
    return None


class FieldRun(NamedTuple):
    """The postings of a term in the conclusions, which documents may share."""

    rows: NDArray[np.int32]
    """Distinct conclusions, ascending."""
    tfs: NDArray[np.integer]
    docs: NDArray[np.int32]
    """int32[c + 1], where the documents of each conclusion begin."""


class Table(NamedTuple):
    """Scores of a term by frequency and length."""

    values: NDArray[np.float64]
    """Term frequency of each row, float64[rows]."""
    row_of: NDArray[np.int32]
    """Row of each frequency."""
    scores: NDArray[np.float64]
    """Score for each row and each column of lengths, float64[rows, columns]."""


class FieldNorms(NamedTuple):
    """The weight of an occurrence in each field (`bm25f.WeightedField.norm`)."""

    conclusion: NDArray[np.float64]
    """float64[c], by distinct conclusion."""
    premise: NDArray[np.float64]
    """float64[columns], one weight per column of the premises' lengths."""
    columns: NDArray[np.integer]
    """The column of each document."""


def frequency_rows(tfs: NDArray[np.integer]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the frequencies that need a row, float64[rows] from 1, and the row of each frequency.

    The rows are int32[largest tf + 1].
    """
    most = int(tfs.max(initial=1))
    if most < SMALL:
        return np.arange(1.0, most + 1), np.arange(-1, most, dtype=np.int32)
    occurring = np.flatnonzero(np.bincount(tfs))
    row_of = np.zeros(most + 1, np.int32)
    row_of[occurring] = np.arange(len(occurring), dtype=np.int32)
    return occurring.astype(np.float64), row_of


@kernel
def looked_up(docs, tfs, table, columns):  # type: ignore[no-untyped-def]
    """Return the score of each posting from a Table, float64[postings]."""
    scores = np.empty(docs.size)
    for j in range(docs.size):
        scores[j] = table.scores[table.row_of[tfs[j]], columns[docs[j]]]
    return scores


@kernel
def saturated(docs, tfs, conclusion, norms, k1):  # type: ignore[no-untyped-def]
    """Return x / (x + k1), float64[postings], where x is the frequency over both fields (BM25F).

    docs, tfs: the term's postings in the text, ascending. conclusion: its FieldRun. norms:
    FieldNorms. All occurrences outside the conclusion are in the premises. Conclusions outside the
    arrays, which a damaged file can have, are ignored.
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
