"""R by any model over any field: each term is scored once, and the kernels read its scores.

For the whole text, scores are stored per frequency and length; otherwise per posting.

A term's ceiling in a block is its largest actual score there. The bound therefore holds for any
formula (DPH falls again if a term fills its document), and it is as tight as possible. A bound from
the largest frequency and shortest length would only spare the first reading of a term after its
parameters change. DirichletLM and BM25 over the whole text need no lookup (`searching`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
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
from argsearch.engine.backends.embedded.matched import BlockRow, Matched, SoughtTerms
from argsearch.engine.backends.embedded.soundness import check_run
from argsearch.engine.config import Retrieval
from argsearch.engine.query.variants import VariantRows
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import Arrays
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.retrieval.blocks import BLOCK, light_rows
from argsearch.ranking.retrieval.scoring import Postings, Terms
from argsearch.ranking.similarities import tables
from argsearch.ranking.similarities.bm25 import idf
from argsearch.ranking.similarities.bm25f import BM25F, FieldWeights
from argsearch.ranking.similarities.registry import make, weighs_fields
from argsearch.ranking.similarities.statistics import Similarity

Sums = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""R of each document, and whether each document contains any of the terms."""
Scores = tuple[NDArray[np.int32], NDArray[np.float64]]
"""The documents that contain a term, in ascending order, and the term's score in each."""
Key = tuple[int, bool]
"""A term's row, and True for the class of forms or spellings whose first member is this term."""
CACHED_POSTINGS = 4 << 20
"""Largest number of postings whose scores are cached for a model, at 12 bytes each."""
MODELS = 3
"""Number of models (with parameters and field) whose scores are cached."""
CACHED_SCORES = 4 << 20
"""Largest number of scores in the tables of a model, 8 bytes each."""


def _has_tables(retrieval: Retrieval) -> bool:
    """Return True if a score depends only on the term's frequency and the text's length code."""
    whole = retrieval.fields == "text" and not weighs_fields(retrieval.model)
    return whole and retrieval.lengths == "lucene" and not retrieval.stem_conflation


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a term's postings and cached scores."""

    begin: int
    end: int
    scores: int
    """Start of its table (unused if scores are stored per posting)."""
    bounded: bool
    """True if no score is negative."""


class Remembered(ABC):
    """Cached scores of terms for one model, in arrays that fill up; thread-safe."""

    def __init__(self, documents: int) -> None:
        self._documents = documents
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        """Start again with new arrays, as a kernel may still read the old ones."""
        self._places: dict[Key, Place] = {}
        self._blocks: dict[Key, BlockRow] = {}
        self._filled = 0

    def _keep_all(self, keys: Iterable[Key]) -> bool:
        return all(key in self._places or self._keep(key) for key in keys)

    @abstractmethod
    def _keep(self, key: Key) -> bool:
        """Cache a new term's scores; return False if there is no space left."""

    @abstractmethod
    def _read(self, places: list[Place], weights: NDArray[np.float64]) -> tuple[Postings, Terms]:
        """Return cached terms for the kernels."""

    def sought(self, weighed: dict[Key, float]) -> SoughtTerms | None:
        """Return the terms, or classes of forms, for the kernels; None if they do not fit."""
        with self._lock:
            if not self._keep_all(weighed):
                before = vars(self).copy()
                self._forget()
                if not self._keep_all(weighed):
                    # A query that never fits must not cost other queries their scores.
                    vars(self).update(before)
                    return None
            places = [self._places[key] for key in weighed]
            postings, terms = self._read(places, np.array([*weighed.values()], np.float64))
            blocks = self._blocks
        keys = [*weighed]

        def known(t: int) -> BlockRow | None:
            """Return the blocks of a frequent term, computed once, or None for a rare term."""
            count = (self._documents - 1) // BLOCK + 1
            if terms.ends[t] - terms.begins[t] < count:
                return None
            if keys[t] not in blocks:
                row = np.empty(count + 1, np.int32), np.empty(count)
                light_rows(postings, terms, t, *row)
                blocks[keys[t]] = row
            return blocks[keys[t]]

        return SoughtTerms(postings, terms, known, all(place.bounded for place in places))


class RememberedPostings(Remembered):
    """Cached scores per posting, 12 bytes each, for any model, field and kind of length."""

    def __init__(self, score: Callable[[Key], Scores], codes: NDArray[np.uint8]) -> None:
        self._score, self._codes = score, codes
        super().__init__(len(codes))

    def _forget(self) -> None:
        super()._forget()
        self._docs, self._scores = np.empty(CACHED_POSTINGS, np.int32), np.empty(CACHED_POSTINGS)

    def _keep(self, key: Key) -> bool:
        docs, scores = self._score(key)
        begin, end = self._filled, self._filled + len(docs)
        if end > len(self._docs):
            return False
        self._docs[begin:end], self._scores[begin:end] = docs, scores
        self._places[key] = Place(begin, end, 0, bool(scores.min(initial=0.0) >= 0.0))
        self._filled = end
        return True

    def _read(self, places: list[Place], weights: NDArray[np.float64]) -> tuple[Postings, Terms]:
        begins = np.array([place.begin for place in places], np.int64)
        ends = np.array([place.end for place in places], np.int64)
        # The kernels also take Dirichlet's tables; looked-up scores need none of them.
        none = np.zeros(len(places))
        terms = Terms(begins, ends, weights, none[:, None], none, _NORMS)
        return Postings(self._docs, self._scores, self._codes), terms


_NORMS = np.zeros(256)


class RememberedTables(Remembered):
    """Cached scores by frequency and length code, for terms of the whole text.

    A table is far smaller than the postings of a frequent term, which stay in the index.
    """

    def __init__(self, model: Similarity, text: Text) -> None:
        self._model, self._text, self._lengths = model, text, text.columns("lucene")
        super().__init__(len(self._lengths.columns))

    def _forget(self) -> None:
        super()._forget()
        self._scores = np.empty(CACHED_SCORES)

    def _keep(self, key: Key) -> bool:
        row, text, (codes, lengths) = key[0], self._text, self._lengths
        docs, tfs = text.run(row)
        check_run(docs, self._documents)
        begin, width = self._filled, len(lengths)
        end = begin + width * (int(tfs.max()) + 1)
        if end > len(self._scores):
            return False
        kept = self._scores[begin:end].reshape(-1, width)
        kept[0] = 0.0  # only a damaged posting has a frequency of 0
        term = text.statistics(row)
        table = tables.table_of(self._model, tfs, self._lengths, term)
        if table is None:
            columns = codes[docs]
            scores = self._model.score(tfs, lengths[columns], term)
            kept[tfs, columns] = scores
        else:
            scores = table.scores
            kept[table.values.astype(np.int64)] = scores
            if not scores.min() >= 0.0:  # perhaps only for frequencies and lengths that never meet
                scores = tables.looked_up(docs, tfs, table, codes)
        first, bounded = int(text.arrays.text_starts[row]), bool(scores.min() >= 0.0)
        self._places[key] = Place(first, first + len(docs), begin, bounded)
        self._filled = end
        return True

    def _read(self, places: list[Place], weights: NDArray[np.float64]) -> tuple[Postings, Terms]:
        begins, ends = [place.begin for place in places], [place.end for place in places]
        arrays = self._text.arrays
        docs, tfs = (a.within(begins, ends) for a in (arrays.text_docs, arrays.text_tfs))
        terms = Terms(
            begins=np.array(begins, np.int64),
            ends=np.array(ends, np.int64),
            weights=weights,
            A=np.array([place.scores for place in places], np.int64),
            scale=np.full(len(places), len(self._lengths.values)),
            B=self._scores,
        )
        return Postings(docs, tfs, self._lengths.columns), terms


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
        self._made = lru_cache(MODELS)(lambda asked: make(asked.model, asked))
        self.remembered = lru_cache(MODELS)(
            lambda *how: RememberedPostings(self._scorer(*how), arrays.text_codes)
        )
        self.remembered_tables = lru_cache(MODELS)(partial(RememberedTables, text=self.text))

    def field(self, retrieval: Retrieval) -> Field:
        """Return the field that a configuration searches.

        Raises InvalidParameter for BM25F over a single field, because BM25F weighs both.
        """
        if weighs_fields(retrieval.model) and retrieval.fields != "text":
            allowed = "text with bm25f; set weights with retrieval.w_conclusion and w_premise"
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

        With word forms, R = (1 − f) · Σ w · s(term) + f · Σ w · s(class), also a weighted sum. A
        class with a single form equals its term, so its weight is added to the term's.
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
        model = self._made(retrieval)
        if _has_tables(retrieval) and not matched.several:
            found = self.remembered_tables(model).sought(weighed)
            if found is not None:
                return found
        members = self.merged(retrieval).members
        forms = [members(row) if of_forms else (row,) for row, of_forms in weighed]
        rows = np.array([row for some in forms for row in some], np.int64)
        starts = self.arrays.text_starts
        if int((starts[rows + 1] - starts[rows]).sum()) > CACHED_POSTINGS:
            return None
        of_stems = bool(retrieval.stem_conflation)
        return self.remembered(model, retrieval.fields, retrieval.lengths, of_stems).sought(weighed)

    def relevance(self, retrieval: Retrieval, weighed: Mapping[Key, float]) -> Sums:
        """Return R for every document, float64[n], and which documents have a term, bool[n]."""
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

    def _scorer(
        self, model: Any, fields: str, reading: str, of_stems: bool
    ) -> Callable[[Key], Scores]:
        """Return a function that scores a term, or a class of terms, by a model."""
        if isinstance(model, FieldWeights):
            return self._scorer_of_fields(model, reading)
        plain, merged = self.fields[fields], self._merged(fields, of_stems)
        n = len(self.arrays.quality)

        def score(key: Key) -> Scores:
            """Return the scores, read from a table if it is no longer than the postings."""
            field = merged if key[1] else plain
            docs, tfs = field.run(key[0])
            if not len(docs):
                return docs, np.zeros(0)
            check_run(docs, n)
            lengths, term = field.columns(reading), field.statistics(key[0])
            table = tables.table_of(model, tfs, lengths, term)
            if table is None:
                return docs, model.score(tfs, lengths.values[lengths.columns[docs]], term)
            return docs, tables.looked_up(docs, tfs, table, lengths.columns)

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
