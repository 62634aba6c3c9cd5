"""The hits of an embedded index; documents, counts and explanations are read on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends import explaining
from argsearch.engine.backends.base import Ranking
from argsearch.engine.backends.embedded.directory import IndexDirectory
from argsearch.engine.backends.embedded.findings import LocalFindings
from argsearch.engine.backends.embedded.matched import EVERY_DOCUMENT
from argsearch.engine.backends.embedded.searching import Search, Searcher, plain
from argsearch.engine.cached import cached_property
from argsearch.engine.config import Retrieval
from argsearch.engine.query.facets import Facets, counted
from argsearch.engine.query.spelling import Spelling
from argsearch.engine.stages.base import Ints
from argsearch.indexer.format.parts import Part
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.retrieval.bits import Bits, add_documents, count_groups, members, size


def documents_with(searcher: Searcher, words: Sequence[str], asked: Retrieval) -> NDArray[np.int64]:
    """Return how many documents have each word, or a form or spelling of the word, int64[w]."""
    if asked.unifies_spellings:
        # A word in one spelling is counted in the whole text, whichever field is searched.
        asked = replace(asked, fields="text")
    starts, found = searcher.arrays.text_starts, []
    for rows in (searcher.rows_of(asked, word) for word in words):
        # Without other forms, df is the length of the term's run, so no posting is read.
        if len(rows) == 1:
            found.append(int(starts[rows[0] + 1] - starts[rows[0]]))
        else:
            found.append(size(searcher.having(asked, rows, EVERY_DOCUMENT)))
    return np.array(found, np.int64)


@dataclass(frozen=True)
class EmbeddedMatches:
    """Facts about all documents that match a query, kept as a bitset."""

    search: Search
    docs: NDArray[np.int32]
    """The document of each hit."""
    backend: IndexDirectory
    more: NDArray[np.int32]
    """Documents found by meaning that match none of the required words."""

    @cached_property
    def _bits(self) -> Bits:
        bits = self.search.matching()
        if len(self.more):
            bits = bits.copy()
            add_documents(self.more, self.documents, bits)
        return bits

    @cached_property
    def total(self) -> int:
        """Number of matching arguments."""
        return size(self._bits)

    @property
    def documents(self) -> int:
        """N, number of documents in the index."""
        return self.search.documents

    @property
    def spelling(self) -> Spelling:
        """Spelling corrections from the index's own vocabulary."""
        return self.backend.spelling

    def documents_with(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return how many documents of the index have each word, or a form of it, int64[w]."""
        return documents_with(self.search.searcher, words, self.search.asked)

    def count(self, words: Sequence[str]) -> int:
        """Return how many matching arguments contain any of these query words."""
        return size(self.search.matching(words))

    def having(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each hit and word whether the hit has a form of the word, bool[n, w]."""
        found = np.zeros((len(self.docs), len(words)), np.bool_)
        searcher, asked = self.search.searcher, self.search.asked
        field = searcher.field(asked)
        for w, word in enumerate(words):
            for row in searcher.rows_of(asked, word):
                docs, _ = field.run(row)
                if len(docs):  # the field may lack a word of the index
                    at = np.searchsorted(docs, self.docs)
                    found[:, w] |= docs.take(at, mode="clip") == self.docs
        return found

    def facets(self) -> Facets:
        """Return how many matching arguments have each value of the requested columns."""
        wanted, columns = self.search.query.facets, self.search.searcher.columns
        if not wanted:
            return {}
        docs = members(self._bits)
        return {name: counted(columns[name], docs) for name in wanted}

    def common(self) -> int | None:
        """Return how many more match without `Query.among`, or None if `among` is unset."""
        if self.search.query.among is None:
            return None
        return size(self.search.matching(any_word=True) & ~self._bits)

    def groups(self) -> int | None:
        """Return the number of groups of near-duplicates among the matches; None if not indexed."""
        if not self.backend.has("near_duplicates"):
            return None
        groups = self.backend.part("near_duplicates")["groups"]
        return int(count_groups(self._bits, groups))


@dataclass(frozen=True)
class EmbeddedRanking(LocalFindings, Ranking):
    """The hits of one query as document numbers. Texts and explanations are read on demand."""

    search: Search
    numbers: NDArray[np.int32]
    """The document of each hit."""
    more: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """Documents found by meaning that match none of the words."""

    @cached_property
    def matches(self) -> EmbeddedMatches:
        """All matching arguments."""
        return EmbeddedMatches(self.search, self.numbers, self.backend, self.more)

    def _part(self, name: str) -> Part | None:
        return self.backend.part(name) if self.backend.has(name) else None

    def docs(self, rows: Ints) -> NDArray[np.int32]:
        """Return the document number of each hit."""
        return self.numbers[rows]

    def vectors(self, rows: Ints) -> NDArray[np.float32] | None:
        """Return the stored unit vectors of the part `vectors`."""
        part, docs = self._part("vectors"), self.docs(rows)
        if part is None:
            return None
        unit: NDArray[np.float32] = part.rows("rows", docs) * part["scales"][docs, None]
        return unit

    def groups(self, rows: Ints) -> NDArray[np.int32] | None:
        """Return each hit's group in the part `near_duplicates`, or None if the part is missing."""
        part = self._part("near_duplicates")
        return None if part is None else part["groups"][self.docs(rows)]

    def explanation(self, row: int) -> Explanation:
        """Return the factors of Eq. 1 (H21)."""
        searcher, doc = self.search.searcher, int(self.numbers[row])
        arrays = searcher.arrays
        cluster = int(arrays.clusters[doc])
        evidence = explaining.ScoreEvidence(
            length=int(arrays.text_lengths[doc]),
            cluster=cluster if cluster < len(arrays.centroids) else None,
            quality=float(arrays.quality[doc]),
            tokens=searcher.tokens,
            terms=tuple(self._matches(doc)),
            columns=tuple(
                (name, omega, float(x[0]))
                for name, omega, x in searcher.weighed(self.search.query.boost.columns, [doc])
            ),
            forms=tuple(self._forms(doc)),
        )
        return explaining.explain(self.search.query, evidence)

    def _matches(self, doc: int) -> Iterator[explaining.TermMatch]:
        retrieval, matched = self.search.asked, self.search.matched
        if retrieval.model == "constant":
            return
        searcher = self.search.searcher
        scoring, totals = searcher.scoring, searcher.arrays.text_totals
        for t in np.argsort(matched.places).tolist():
            row, weight = matched.rows[t], float(matched.weights[t])
            merged = row in matched.several
            field = scoring.merged(retrieval) if merged else scoring.field(retrieval)
            if tf := field.frequency(row, doc):
                tree = None if plain(retrieval) else scoring.explain(retrieval, row, doc, merged)
                term, ttf = searcher.vocabulary[row].decode(), int(totals[row])
                if merged:
                    ttf = sum(int(totals[one]) for one in searcher.variants.rows(term))
                    term = explaining.one_term(searcher.variants.words(term))
                yield explaining.TermMatch(term, weight, tf, ttf, tree)

    def _forms(self, doc: int) -> Iterator[explaining.TermMatch]:
        """Yield the word-form classes that a document has, with the frequency of each form."""
        retrieval, searcher = self.search.asked, self.search.searcher
        scoring, word = searcher.scoring, searcher.vocabulary
        field = scoring.field(retrieval)
        for first, weight in self.search.matched.classes.items():
            rows = scoring.forms.rows(word[first].decode())
            here = {row: tf for row in rows if (tf := field.frequency(row, doc))}
            if not here:
                continue
            said = ", ".join(
                f"{word[row].decode()} {tf} of {field.counts(row)[1]}" for row, tf in here.items()
            )
            tree = scoring.explain(retrieval, first, doc, of_forms=True)
            yield explaining.TermMatch(
                f"forms ({said})", weight, sum(here.values()), int(field.counts(first)[1]), tree
            )
