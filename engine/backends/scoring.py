"""R by the models beside DirichletLM: every posting of the query's terms is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.config import Retrieval
from indexer.layout.arrays import Arrays
from ranking.explanation import Explanation
from ranking.similarities.bm25 import BM25, idf
from ranking.similarities.bm25f import BM25F, Field
from ranking.similarities.dfr import DFR
from ranking.similarities.dph import DPH
from ranking.similarities.smallfloat import LENGTH_TABLE, encode_lengths
from ranking.similarities.statistics import Similarity, Statistics
from ranking.similarities.tables import (
    FieldNorms,
    FieldRun,
    Lengths,
    Rows,
    add_fields,
    add_looked_up,
    add_values,
    frequency_rows,
)
from ranking.similarities.tfidf import TFIDF

Sums = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""R of each document, and whether it has any term."""

MODELS: dict[str, Callable[[Retrieval], Similarity]] = {
    "bm25": lambda r: BM25(r.k1, r.b),
    "tfidf": lambda _: TFIDF(),
    "dph": lambda _: DPH(),
    "dfr": lambda r: DFR(r.dfr_basic, r.dfr_after, r.dfr_normalisation, r.dfr_c, r.dfr_mu, r.dfr_z),
}
"""The models of one field: each name of `retrieval.model`, and how its parameters are read."""


def _by_column(lengths: NDArray[np.int32], reading: str) -> Lengths:
    """The columns of a field's lengths: Lucene's bytes, or the lengths that occur."""
    if reading == "lucene":
        columns: NDArray[np.integer] = encode_lengths(lengths)
        values = LENGTH_TABLE[: int(columns.max(initial=0)) + 1]
    else:
        values, inverse = np.unique(lengths, return_inverse=True)
        columns = inverse.astype(np.int32)
    return Lengths(columns, np.maximum(values, 1).astype(np.float64))


class Scoring:
    """Scores the terms of queries against one index; what it needs by document is made once."""

    def __init__(self, arrays: Arrays, tokens: int) -> None:
        self.arrays = arrays
        self.tokens = tokens
        self.text_lengths = lru_cache(2)(self._text_lengths)
        self.premise_lengths = lru_cache(2)(self._premise_lengths)
        self._table = lru_cache(64)(self._make_table)  # models are frozen, so hashable

    @cached_property
    def documents(self) -> int:
        """N, documents that have any token."""
        return int(np.count_nonzero(self.arrays.text_lengths))

    @cached_property
    def conclusion_lengths(self) -> NDArray[np.int32]:
        """int32[n], tokens of each document's conclusion."""
        arrays = self.arrays
        return np.repeat(arrays.conclusion_lengths, np.diff(arrays.conclusion_docs))

    def _text_lengths(self, reading: str) -> Lengths:
        return _by_column(self.arrays.text_lengths, reading)

    def _premise_lengths(self, reading: str) -> Lengths:
        return _by_column(self.arrays.text_lengths - self.conclusion_lengths, reading)

    def statistics(self, row: int) -> Statistics:
        """The counts of a term, by its row in the dictionary."""
        df = int(self.arrays.text_starts[row + 1] - self.arrays.text_starts[row])
        return Statistics(df, int(self.arrays.text_totals[row]), self.documents, self.tokens)

    def bm25f(self, retrieval: Retrieval) -> BM25F:
        """BM25F over this index' fields: their mean lengths are those of its documents."""
        conclusion = int(self.conclusion_lengths.sum(dtype=np.int64))
        means = (conclusion / self.documents, (self.tokens - conclusion) / self.documents)
        weights = (retrieval.w_conclusion, retrieval.w_premise)
        b = (retrieval.b_conclusion, retrieval.b_premise)
        fields = map(Field, ("conclusion", "premise"), weights, b, means)
        return BM25F(tuple(fields), retrieval.k1)

    def relevance(
        self, retrieval: Retrieval, rows: Sequence[int], weights: NDArray[np.float64]
    ) -> Sums:
        """R of every document, float64[n], and whether it has any of the terms, bool[n].

        rows: the query's distinct terms; weights: how often the query has each.
        """
        n = len(self.arrays.quality)
        sums = (np.zeros(n), np.zeros(n, np.bool_))
        if retrieval.model == "bm25f":
            self._add_fields(retrieval, rows, weights, sums)
            return sums
        similarity = MODELS[retrieval.model](retrieval)
        for row, weight in zip(rows, weights.tolist(), strict=True):
            self._add_term(similarity, retrieval.lengths, row, weight, sums)
        return sums

    def _add_term(
        self, similarity: Similarity, reading: str, row: int, weight: float, sums: Sums
    ) -> None:
        """One term: by a table where that takes fewer scores than the term has postings."""
        begin, end = self.arrays.text_starts[row], self.arrays.text_starts[row + 1]
        docs, tfs = self.arrays.text_docs[begin:end], self.arrays.text_tfs[begin:end]
        lengths = self.text_lengths(reading)
        if len(docs) > len(lengths.values):
            rows, table = self._table(similarity, reading, row)
            if len(table):
                look_up = (rows.row_of, lengths.columns, table)
                add_looked_up(docs, tfs, look_up, weight, sums)
                return
        dl = lengths.values[lengths.columns.take(docs, mode="clip")]
        add_values(docs, similarity.score(tfs, dl, self.statistics(row)), weight, sums)

    def _make_table(
        self, similarity: Similarity, reading: str, row: int
    ) -> tuple[Rows, NDArray[np.float64]]:
        """A term's score for each frequency and length; an empty table where it does not pay."""
        begin, end = self.arrays.text_starts[row], self.arrays.text_starts[row + 1]
        rows = frequency_rows(self.arrays.text_tfs[begin:end])
        dl = self.text_lengths(reading).values
        if len(rows.values) * len(dl) > end - begin:
            return rows, np.zeros((0, 0))
        return rows, similarity.score(rows.values[:, None], dl[None, :], self.statistics(row))

    def _add_fields(
        self,
        retrieval: Retrieval,
        rows: Sequence[int],
        weights: NDArray[np.float64],
        sums: Sums,
    ) -> None:
        arrays, model = self.arrays, self.bm25f(retrieval)
        conclusion, premise = model.fields
        lengths = self.premise_lengths(retrieval.lengths)
        by_row = self._kept(arrays.conclusion_lengths, retrieval.lengths)
        norms = FieldNorms(conclusion.norm(by_row), premise.norm(lengths.values), lengths.columns)
        for row, weight in zip(rows, weights.tolist(), strict=True):
            run = slice(arrays.text_starts[row], arrays.text_starts[row + 1])
            there = slice(arrays.conclusion_starts[row], arrays.conclusion_starts[row + 1])
            shared = FieldRun(
                arrays.conclusion_rows[there], arrays.conclusion_tfs[there], arrays.conclusion_docs
            )
            scale = weight * float(idf(self.statistics(row).df, self.documents))
            postings = (arrays.text_docs[run], arrays.text_tfs[run])
            add_fields(*postings, shared, norms, (scale, model.k1), sums)

    @staticmethod
    def _kept(lengths: NDArray[np.int32], reading: str) -> NDArray[np.int32]:
        """Lengths as they are read: rounded to Lucene's byte, or exact."""
        return LENGTH_TABLE[encode_lengths(lengths)] if reading == "lucene" else lengths

    def explain(self, retrieval: Retrieval, row: int, doc: int, tf: int) -> Explanation:
        """The tree of one term's score in a document that has it tf times."""
        term, reading = self.statistics(row), retrieval.lengths
        length = self.arrays.text_lengths[doc]
        if retrieval.model != "bm25f":
            dl = max(1.0, float(self._kept(length[None], reading)[0]))
            return MODELS[retrieval.model](retrieval).explain(float(tf), dl, term)
        in_conclusion = self._in_conclusion(row, doc)
        own = self.conclusion_lengths[doc]
        dls = self._kept(np.array([own, length - own]), reading).tolist()
        return self.bm25f(retrieval).explain((in_conclusion, tf - in_conclusion), dls, term)

    def _in_conclusion(self, row: int, doc: int) -> int:
        """How often a document's conclusion has the term."""
        arrays = self.arrays
        conclusion = int(np.searchsorted(arrays.conclusion_docs, doc, side="right")) - 1
        begin, end = arrays.conclusion_starts[row], arrays.conclusion_starts[row + 1]
        at = begin + int(np.searchsorted(arrays.conclusion_rows[begin:end], conclusion))
        found = at < end and arrays.conclusion_rows[at] == conclusion
        return int(arrays.conclusion_tfs[at]) if found else 0
