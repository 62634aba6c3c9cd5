"""The hits of an embedded index: documents, counts and explanations, read when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends import explaining
from argsearch.engine.backends.embedded.eligible import EVERY_DOCUMENT
from argsearch.engine.backends.embedded.matched import Matched
from argsearch.engine.backends.embedded.searching import FoundDocuments, Searcher, plain
from argsearch.engine.query.facets import FacetValue, counted
from argsearch.engine.query.query import Query
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.retrieval.bits import Bits, members, size


@dataclass(frozen=True)
class EmbeddedRanking:
    """The hits of one query, as document numbers; texts and explanations on demand."""

    searcher: Searcher
    query: Query
    found: FoundDocuments

    @property
    def scores(self) -> NDArray[np.float64]:
        """S of each hit, float64[n], descending."""
        return self.found.scores

    @property
    def docs(self) -> NDArray[np.int32]:
        """The document of each hit."""
        return self.found.docs

    @property
    def matched(self) -> Matched:
        """The query's terms in the index."""
        return self.found.matched

    @cached_property
    def _matching(self) -> Bits:
        return self.searcher.matching(self.query)

    @cached_property
    def total(self) -> int:
        """How many arguments match."""
        return size(self._matching)

    def columns(self) -> dict[str, list[float | str | None]]:
        """The value of each hit in every column of the index."""
        return {name: values.of(self.docs) for name, values in self.searcher.columns.items()}

    def facets(self) -> dict[str, tuple[FacetValue, ...]]:
        """How many of the matching arguments have each value of the columns asked for."""
        if not self.query.facets:
            return {}
        docs, columns = members(self._matching), self.searcher.columns
        return {name: counted(columns[name], docs) for name in self.query.facets}

    def distinct(self) -> int | None:
        """How many groups of near-duplicates the matching arguments are in."""
        part = self.searcher.copies
        if part is None:
            return None
        found = np.zeros(len(part["groups"]), np.bool_)
        found[part["groups"][members(self._matching)]] = True
        return int(np.count_nonzero(found))

    @property
    def documents(self) -> int:
        """N, documents of the index."""
        return self.searcher.documents

    def documents_with(self, words: Sequence[str]) -> NDArray[np.int64]:
        """How many documents of the index have each word, or a form of it, int64[w]."""
        starts, found = self.searcher.arrays.text_starts, []
        asked = self.query.retrieval
        for rows in (self.searcher.rows_of(asked, word) for word in words):
            if len(rows) == 1:
                found.append(int(starts[rows[0] + 1] - starts[rows[0]]))
            else:
                found.append(size(self.searcher.having(asked, rows, EVERY_DOCUMENT)))
        return np.array(found, np.int64)

    def count(self, words: Sequence[str]) -> int:
        """How many of the matching arguments have any of these words of the query."""
        return size(self.searcher.matching(self.query, words))

    def having(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Which hits have which of these words, or a form of it, bool[n, w]."""
        found = np.zeros((len(self.docs), len(words)), np.bool_)
        field = self.searcher.field(self.query.retrieval)
        for w, word in enumerate(words):
            for row in self.searcher.rows_of(self.query.retrieval, word):
                docs, _ = field.run(row)
                if len(docs):  # the field may lack a word of the index
                    at = np.searchsorted(docs, self.docs)
                    found[:, w] |= docs.take(at, mode="clip") == self.docs
        return found

    def ids(self, rows: NDArray[np.int64] | None = None) -> list[str]:
        """The id of each hit, or of some of them."""
        docs = self.docs if rows is None else self.docs[rows]
        return [self.searcher.ids[doc] for doc in docs.tolist()]

    def argument(self, i: int) -> Argument:
        """The i-th hit's document."""
        return self.searcher.store[int(self.docs[i])]

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32] | None:
        """Stored unit vectors of hits' premises, float32[m, d]."""
        part = self.searcher.vectors
        if part is None:
            return None
        docs = self.docs[rows]
        unit: NDArray[np.float32] = part.rows("rows", docs) * part["scales"][docs, None]
        return unit

    def qualities(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Q of hits' premises, float64[m]."""
        return np.asarray(self.searcher.arrays.quality[self.docs[rows]], np.float64)

    def groups(self) -> NDArray[np.int32] | None:
        """The group of near-duplicates of each hit, int32[n]."""
        part = self.searcher.copies
        return None if part is None else part["groups"][self.docs]

    def explanation(self, i: int) -> Explanation:
        """The tree behind the i-th hit's score."""
        arrays, doc = self.searcher.arrays, int(self.docs[i])
        cluster = int(arrays.clusters[doc])
        evidence = explaining.ScoreEvidence(
            length=int(arrays.text_lengths[doc]),
            cluster=cluster if cluster < len(arrays.centroids) else None,
            quality=float(arrays.quality[doc]),
            tokens=self.searcher.tokens,
            terms=tuple(self._matches(doc)),
            columns=tuple(
                (name, omega, float(x[0]))
                for name, omega, x in self.searcher.weighed(self.query.boost.columns, [doc])
            ),
            forms=tuple(self._forms(doc)),
        )
        return explaining.explain(self.query, evidence)

    def _matches(self, doc: int) -> Iterator[explaining.TermMatch]:
        retrieval, matched = self.query.retrieval, self.matched
        if retrieval.model == "constant":
            return
        field = self.searcher.scoring.field(retrieval)
        for t in np.argsort(matched.places).tolist():
            row = matched.rows[t]
            if tf := field.frequency(row, doc):
                yield self._match(row, float(matched.weights[t]), doc, tf)

    def _forms(self, doc: int) -> Iterator[explaining.TermMatch]:
        """The classes of word forms that a document has, and what of each."""
        retrieval, scoring = self.query.retrieval, self.searcher.scoring
        field = scoring.field(retrieval)
        for first, weight in self.matched.classes.items():
            rows = scoring.forms.rows(self.searcher.vocabulary[first].decode())
            here = {row: tf for row in rows if (tf := field.frequency(row, doc))}
            if not here:
                continue
            said = ", ".join(
                f"{self.searcher.vocabulary[row].decode()} {tf} of {field.counts(row)[1]}"
                for row, tf in here.items()
            )
            tree = scoring.explain_form(retrieval, first, doc)
            yield explaining.TermMatch(
                f"forms ({said})", weight, sum(here.values()), int(field.counts(first)[1]), tree
            )

    def _match(self, row: int, weight: float, doc: int, tf: int) -> explaining.TermMatch:
        searcher, retrieval = self.searcher, self.query.retrieval
        tree = None if plain(retrieval) else searcher.scoring.explain(retrieval, row, doc)
        ttf = int(searcher.arrays.text_totals[row])
        return explaining.TermMatch(searcher.vocabulary[row].decode(), weight, tf, ttf, tree)
