"""R by any model over any field: each term is scored once, and the kernels read its scores.

A term's ceiling in a block is its largest actual score there. Such a ceiling holds for any formula
and is as tight as possible. With DPH, a term that fills its document scores less again. A bound
from the largest frequency and shortest length would only save the first scoring of a term whose
parameters change. DirichletLM over the whole text needs no scores from here (`searching`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.fields import (
    Conclusion,
    Field,
    Merged,
    PremiseField,
    Text,
    WordForms,
    read_lengths,
)
from argsearch.engine.backends.embedded.matched import BlockRow, Eligible, Matched, SoughtTerms
from argsearch.engine.backends.embedded.soundness import check_run
from argsearch.engine.config import Retrieval
from argsearch.engine.query.variants import VariantRows
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import Arrays
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.retrieval.bits import Bits, packed
from argsearch.ranking.retrieval.blocks import BLOCK, light_rows
from argsearch.ranking.retrieval.scoring import Postings, Terms
from argsearch.ranking.similarities import tables
from argsearch.ranking.similarities.bm25 import idf
from argsearch.ranking.similarities.bm25f import BM25F, FieldWeights
from argsearch.ranking.similarities.registry import make, weighs_fields
from argsearch.ranking.similarities.statistics import Similarity

Sums = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""R of each document, and for each document whether it has any of the terms."""
Scores = tuple[NDArray[np.int32], NDArray[np.float64]]
"""The documents that have a term, in ascending order, and its score in each."""
Key = tuple[int, bool]
"""A term's row. True means the class of forms or spellings that begins with this term."""
CACHED_POSTINGS = 4 << 20
"""Largest number of postings whose scores are cached for a model, at 12 bytes each."""
MODELS = 3
"""Number of models, with their parameters and field, whose scores are cached."""


class Remembered:
    """Cached scores of a model's terms, one run after another in two arrays; safe to share."""

    def __init__(self, score: Callable[[Key], Scores], documents: int) -> None:
        self._score, self._documents = score, documents
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        """Start again with new arrays, because a kernel may still read the old ones."""
        self._docs, self._scores = np.empty(CACHED_POSTINGS, np.int32), np.empty(CACHED_POSTINGS)
        self._places: dict[Key, tuple[int, int, bool]] = {}
        self._blocks: dict[Key, BlockRow] = {}
        self._filled = 0

    def sought(self, weighed: dict[Key, float], codes: NDArray[np.uint8]) -> SoughtTerms:
        """Return the terms, or classes of forms, for the kernels; all must fit into the cache."""
        with self._lock:
            if not all(map(self._keep, weighed)):
                self._forget()
                for key in weighed:
                    self._keep(key)
            runs = np.array([self._places[key][:2] for key in weighed], np.int64).reshape(-1, 2)
            bounded = all(self._places[key][2] for key in weighed)
            postings, blocks = Postings(self._docs, self._scores, codes), self._blocks
        # The kernels also take Dirichlet's tables, which scores from the cache do not need.
        weights, none = np.array([*weighed.values()], np.float64), np.zeros(len(weighed))
        terms = Terms(runs[:, 0].copy(), runs[:, 1].copy(), weights, none[:, None], none, _NORMS)
        keys = [*weighed]

        def known(t: int) -> BlockRow | None:
            """Return the blocks of a frequent term, computed once, or None for a rare term."""
            count = (self._documents - 1) // BLOCK + 1
            if runs[t, 1] - runs[t, 0] < count:
                return None
            if keys[t] not in blocks:
                row = np.empty(count + 1, np.int32), np.empty(count)
                light_rows(postings, terms, t, *row)
                blocks[keys[t]] = row
            return blocks[keys[t]]

        return SoughtTerms(postings, terms, known, bounded)

    def _keep(self, key: Key) -> bool:
        """Cache a term's scores, or return False if there is no space left."""
        if key in self._places:
            return True
        docs, scores = self._score(key)
        begin, end = self._filled, self._filled + len(docs)
        if end > len(self._docs):
            return False
        self._docs[begin:end], self._scores[begin:end] = docs, scores
        self._places[key] = (begin, end, bool(scores.min(initial=0.0) >= 0.0))
        self._filled = end
        return True


_NORMS = np.zeros(256)


class TermScores:
    """Scores of query terms in one index."""

    def __init__(self, arrays: Arrays, variants: VariantRows) -> None:
        self.arrays = arrays
        self.text, self.conclusion = Text(arrays), Conclusion(arrays)
        self.premise = PremiseField(arrays, self.text, self.conclusion)
        self.fields: dict[str, Field] = {
            "text": self.text,
            "conclusion": self.conclusion,
            "premise": self.premise,
        }
        self.forms = WordForms(variants.vocabulary)
        self._merged = lru_cache(2 * len(self.fields))(
            lambda name, of_stems: Merged(self.fields[name], self.forms if of_stems else variants)
        )
        self.remembered = lru_cache(MODELS)(self._make_remembered)

    def field(self, retrieval: Retrieval) -> Field:
        """Return the field that a configuration searches.

        Raises InvalidParameter for BM25F over a single field, because BM25F weighs both.
        """
        if weighs_fields(retrieval.model) and retrieval.fields != "text":
            allowed = "text (bm25f weighs the fields: retrieval.w_conclusion, retrieval.w_premise)"
            raise InvalidParameter("retrieval.fields", retrieval.fields, allowed)
        return self.fields[retrieval.fields]

    def merged(self, retrieval: Retrieval) -> Merged:
        """Return the field to search, with forms or spellings merged into classes."""
        return self._merged(retrieval.fields, bool(retrieval.stem_conflation))

    def bm25f(self, weights: FieldWeights) -> BM25F:
        """Return BM25F over this index's fields, with the mean lengths of its documents."""
        N = max(1, self.text.documents)
        return weights.over(self.conclusion.tokens / N, self.premise.tokens / N)

    def weighed(self, retrieval: Retrieval, matched: Matched) -> dict[Key, float]:
        """Return the weight of each term in R, rarest first; the kernels add in this order.

        With word forms, R = (1 − f) · Σ w · s(term) + f · Σ w · s(class), a weighted sum too. A
        class with a single form equals its term, so its weight is added to the term's weight.
        """
        weights = zip(matched.rows, matched.weights.tolist(), strict=True)
        if not retrieval.stem_conflation:
            return {(row, row in matched.several): weight for row, weight in weights}
        merged, f = self.merged(retrieval), retrieval.stem_conflation
        found = {(row, False): (1.0 - f) * weight for row, weight in weights}
        for row, weight in matched.classes.items():
            key = (row, len(merged.members(row)) > 1)
            found[key] = found.get(key, 0.0) + f * weight
        ttf = {key: merged.occurrences(key[0]) if key[1] else merged.field.counts(key[0])[1]
               for key in found}  # fmt: skip
        order = sorted(found, key=lambda key: (ttf[key], -1 if key[1] else key[0]))
        return {key: found[key] for key in order if found[key]}

    def sought(self, retrieval: Retrieval, matched: Matched) -> SoughtTerms | None:
        """Return the terms for the kernels, or None if the cache is too small for them."""
        self.field(retrieval)
        weighed = self.weighed(retrieval, matched)
        members = self.merged(retrieval).members
        forms = [members(row) if of_forms else (row,) for row, of_forms in weighed]
        rows = np.array([row for some in forms for row in some], np.int64)
        starts = self.arrays.text_starts
        if int((starts[rows + 1] - starts[rows]).sum()) > CACHED_POSTINGS:
            return None
        model = make(retrieval.model, retrieval)
        of_stems = bool(retrieval.stem_conflation)
        remembered = self.remembered(model, retrieval.fields, retrieval.lengths, of_stems)
        return remembered.sought(weighed, self.arrays.text_codes)

    def relevance(self, retrieval: Retrieval, weighed: Mapping[Key, float]) -> Sums:
        """Return R of every document, float64[n], and which documents have a term, bool[n]."""
        n = len(self.arrays.quality)
        R, matched = np.zeros(n), np.zeros(n, np.bool_)
        model = make(retrieval.model, retrieval)
        of_stems = bool(retrieval.stem_conflation)
        score = self._scorer(model, retrieval.fields, retrieval.lengths, of_stems)
        for key, weight in weighed.items():
            docs, scores = score(key)
            R[docs] += weight * scores
            matched[docs] = True
        return R, matched

    def _make_remembered(
        self, model: Hashable, fields: str, lengths: str, of_stems: bool
    ) -> Remembered:
        score = self._scorer(model, fields, lengths, of_stems)
        return Remembered(score, len(self.arrays.quality))

    def _scorer(
        self, model: Any, fields: str, reading: str, of_stems: bool
    ) -> Callable[[Key], Scores]:
        """Return a function that scores a term, or a class of terms, by a model."""
        if isinstance(model, FieldWeights):
            return self._scorer_of_fields(model, reading)
        plain, merged = self.fields[fields], self._merged(fields, of_stems)
        n = len(self.arrays.quality)

        def score(key: Key) -> Scores:
            """Return the scores, read from a table if the term has more postings."""
            field = merged if key[1] else plain
            docs, tfs = field.run(key[0])
            if not len(docs):
                return docs, np.zeros(0)
            check_run(docs, n)
            lengths, term = field.columns(reading), field.statistics(key[0])
            if len(docs) > len(lengths.values):
                values, row_of = tables.frequency_rows(tfs)
                if len(values) * len(lengths.values) <= len(docs):
                    table = model.score(values[:, None], lengths.values[None, :], term)
                    return docs, tables.looked_up(docs, tfs, row_of, lengths.columns, table)
            return docs, model.score(tfs, lengths.values[lengths.columns[docs]], term)

        return score

    def _scorer_of_fields(self, weights: FieldWeights, reading: str) -> Callable[[Key], Scores]:
        """Return a function that scores a term by BM25F."""
        model = self.bm25f(weights)
        conclusion, premise = model.fields
        lengths = self.premise.columns(reading)
        norms = tables.FieldNorms(
            conclusion.norm(read_lengths(self.arrays.conclusion_lengths, reading)),
            premise.norm(lengths.values),
            lengths.columns,
        )

        def score(key: Key) -> Scores:
            """Return idf times the saturated frequency in both fields."""
            docs, tfs = self.text.run(key[0])
            check_run(docs, len(self.arrays.quality))
            shared = tables.FieldRun(*self.conclusion.shared(key[0]), self.arrays.conclusion_docs)
            share = tables.saturated(docs, tfs, shared, norms, model.k1)
            return docs, idf(len(docs), self.text.documents) * share

        return score

    def having(self, retrieval: Retrieval, rows: Sequence[int], eligible: Eligible) -> Bits:
        """Return the eligible documents that have any of the terms."""
        matched = np.zeros(len(self.arrays.quality), np.bool_)
        for row in rows:
            matched[self.field(retrieval).run(row)[0]] = True
        found = packed(matched)
        return found & eligible.bits if eligible.filtered else found

    def explain(
        self, retrieval: Retrieval, row: int, doc: int, of_forms: bool = False
    ) -> Explanation:
        """Return the explanation of the score of a term or class in a document that has it."""
        if not weighs_fields(retrieval.model):
            field = self.merged(retrieval) if of_forms else self.field(retrieval)
            dl = read_lengths(field.lengths[doc : doc + 1], retrieval.lengths)[0]
            similarity: Similarity = make(retrieval.model, retrieval)
            counts = float(field.frequency(row, doc)), max(1.0, float(dl))
            return similarity.explain(*counts, field.statistics(row))
        fields = (self.conclusion, self.premise)
        tfs = [field.frequency(row, doc) for field in fields]
        lengths = np.array([field.lengths[doc] for field in fields], np.int32)
        dls = read_lengths(lengths, retrieval.lengths).tolist()
        return self.bm25f(make(retrieval.model, retrieval)).explain(
            tfs, dls, self.text.statistics(row)
        )
