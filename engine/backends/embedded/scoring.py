"""R by any model over any field: every posting of the query's terms is read.

DirichletLM over the whole text has a faster way (`searching`); the rest come here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.eligible import Eligible
from argsearch.engine.backends.embedded.fields import Conclusion, Field, Premise, Text, read_lengths
from argsearch.engine.backends.embedded.forms import Merged, WordForms
from argsearch.engine.config import Retrieval
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import Arrays, SortedStrings
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.retrieval.bits import Bits, packed
from argsearch.ranking.similarities.bm25 import idf
from argsearch.ranking.similarities.bm25f import BM25F, FieldWeights
from argsearch.ranking.similarities.registry import make, weighs_fields
from argsearch.ranking.similarities.statistics import Similarity
from argsearch.ranking.similarities.tables import (
    FieldNorms,
    FieldRun,
    Rows,
    add_fields,
    add_looked_up,
    add_values,
    frequency_rows,
)

Sums = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""R of each document, and whether it has any term."""


class Scoring:
    """Scores the terms of queries against one index."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.text, self.conclusion = Text(arrays), Conclusion(arrays)
        self.premise = Premise(arrays, self.text, self.conclusion)
        self.fields: dict[str, Field] = {
            "text": self.text,
            "conclusion": self.conclusion,
            "premise": self.premise,
        }
        self.forms = WordForms(SortedStrings(arrays.terms_offsets, arrays.terms_bytes))
        self.merged = lru_cache(len(self.fields))(self._make_merged)
        self._table = lru_cache(64)(self._make_table)  # models are frozen, so hashable

    def _make_merged(self, name: str) -> Merged:
        """A field whose terms are classes of word forms."""
        return Merged(self.fields[name], self.forms)

    def field(self, retrieval: Retrieval) -> Field:
        """The field that a configuration searches.

        Raises InvalidParameter for BM25F over one field: it weighs both.
        """
        if weighs_fields(retrieval.model) and retrieval.fields != "text":
            allowed = "text (bm25f weighs the fields: retrieval.w_conclusion, retrieval.w_premise)"
            raise InvalidParameter("retrieval.fields", retrieval.fields, allowed)
        return self.fields[retrieval.fields]

    def bm25f(self, retrieval: Retrieval) -> BM25F:
        """BM25F over this index' fields: their mean lengths are those of its documents."""
        N = max(1, self.text.documents)
        means = (self.conclusion.tokens / N, self.premise.tokens / N)
        weights: FieldWeights = make(retrieval.model, retrieval)
        return weights.over(*means)

    def relevance(
        self, retrieval: Retrieval, rows: Sequence[int], weights: NDArray[np.float64]
    ) -> Sums:
        """R of every document, float64[n], and whether it has any of the terms, bool[n].

        rows: the query's distinct terms; weights: how often the query has each. Raises
        InvalidParameter as `field` does.
        """
        field = self.field(retrieval)
        if not weighs_fields(retrieval.model):
            return self._sum(retrieval, field, rows, weights)
        sums = self._nothing()
        norms, model = self._norms(retrieval)
        for row, weight in zip(rows, weights.tolist(), strict=True):
            self._add_fields(model, norms, row, weight, sums)
        return sums

    def form_relevance(
        self, retrieval: Retrieval, rows: Sequence[int], weights: NDArray[np.float64]
    ) -> Sums:
        """The same over classes of word forms, each by its row in `merged`."""
        return self._sum(retrieval, self.merged(retrieval.fields), rows, weights)

    def _nothing(self) -> Sums:
        n = len(self.arrays.quality)
        return np.zeros(n), np.zeros(n, np.bool_)

    def _sum(
        self,
        retrieval: Retrieval,
        field: Field,
        rows: Sequence[int],
        weights: NDArray[np.float64],
    ) -> Sums:
        sums = self._nothing()
        similarity: Similarity = make(retrieval.model, retrieval)
        for row, weight in zip(rows, weights.tolist(), strict=True):
            self._add_term((similarity, field, retrieval.lengths), row, weight, sums)
        return sums

    def _add_term(
        self, asked: tuple[Similarity, Field, str], row: int, weight: float, sums: Sums
    ) -> None:
        """One term: by a table where that takes fewer scores than the term has postings."""
        similarity, field, reading = asked
        docs, tfs = field.run(row)
        lengths = field.columns(reading)
        if len(docs) > len(lengths.values):
            rows, table = self._table(*asked, row)
            if len(table):
                add_looked_up(docs, tfs, (rows.row_of, lengths.columns, table), weight, sums)
                return
        if len(docs):
            dl = lengths.values[lengths.columns.take(docs, mode="clip")]
            add_values(docs, similarity.score(tfs, dl, field.statistics(row)), weight, sums)

    @staticmethod
    def _make_table(
        similarity: Similarity, field: Field, reading: str, row: int
    ) -> tuple[Rows, NDArray[np.float64]]:
        """A term's score for each frequency and length; an empty table where it does not pay."""
        docs, tfs = field.run(row)
        rows, dl = frequency_rows(tfs), field.columns(reading).values
        if len(rows.values) * len(dl) > len(docs):
            return rows, np.zeros((0, 0))
        return rows, similarity.score(rows.values[:, None], dl[None, :], field.statistics(row))

    def _norms(self, retrieval: Retrieval) -> tuple[FieldNorms, BM25F]:
        """BM25F, and what it counts one occurrence in each field."""
        model = self.bm25f(retrieval)
        conclusion, premise = model.fields
        by_row = read_lengths(self.arrays.conclusion_lengths, retrieval.lengths)
        lengths = self.premise.columns(retrieval.lengths)
        norms = (conclusion.norm(by_row), premise.norm(lengths.values), lengths.columns)
        return FieldNorms(*norms), model

    def _add_fields(
        self, model: BM25F, norms: FieldNorms, row: int, weight: float, sums: Sums
    ) -> None:
        docs, tfs = self.text.run(row)
        shared = FieldRun(*self.conclusion.shared(row), self.arrays.conclusion_docs)
        scale = weight * float(idf(len(docs), self.text.documents))
        add_fields(docs, tfs, shared, norms, (scale, model.k1), sums)

    def having(self, retrieval: Retrieval, rows: Sequence[int], eligible: Eligible) -> Bits:
        """The eligible documents that have any of the terms."""
        matched = np.zeros(len(self.arrays.quality), np.bool_)
        for row in rows:
            matched[self.field(retrieval).run(row)[0]] = True
        found = packed(matched)
        return found & eligible.bits if eligible.filtered else found

    def explain_form(self, retrieval: Retrieval, row: int, doc: int) -> Explanation:
        """The tree of one class's score in a document that has a form of it."""
        return _explain(retrieval, self.merged(retrieval.fields), row, doc)

    def explain(self, retrieval: Retrieval, row: int, doc: int) -> Explanation:
        """The tree of one term's score in a document that has it."""
        if not weighs_fields(retrieval.model):
            return _explain(retrieval, self.field(retrieval), row, doc)
        fields = (self.conclusion, self.premise)
        tfs = [field.frequency(row, doc) for field in fields]
        lengths = np.array([field.lengths[doc] for field in fields], np.int32)
        dls = read_lengths(lengths, retrieval.lengths).tolist()
        return self.bm25f(retrieval).explain(tfs, dls, self.text.statistics(row))


def _explain(retrieval: Retrieval, field: Field, row: int, doc: int) -> Explanation:
    dl = max(1.0, float(read_lengths(field.lengths[doc : doc + 1], retrieval.lengths)[0]))
    tf = float(field.frequency(row, doc))
    similarity: Similarity = make(retrieval.model, retrieval)
    return similarity.explain(tf, dl, field.statistics(row))
