"""Searching an embedded index: the kernels over its arrays, and the hits they give.

The compiler behind the kernels takes time and memory to import, so a backend imports this with
its first query, not when it is opened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.backends import explaining
from engine.backends.embedded.eligible import EVERY_DOCUMENT, Eligible
from engine.backends.embedded.soundness import check_documents, check_run, check_terms
from engine.config import Retrieval
from engine.filters import Filter, matching
from engine.query import Query
from indexer.analysis import StandardAnalyzer
from indexer.corpus.argument import Argument
from indexer.layout.arrays import Arrays, Ids, SortedStrings
from indexer.layout.columns import Values
from indexer.layout.parts import Part
from indexer.layout.store import DocumentStore
from ranking.combination import factor
from ranking.explanation import Explanation
from ranking.retrieval import (
    BLOCK_BITS,
    TABLE,
    Blocks,
    Factors,
    Postings,
    Terms,
    add_documents,
    factor_bounds,
    light_rows,
    no_documents,
    score_all,
    score_listed,
    search_blocks,
    select,
    select_listed,
    size,
)
from ranking.similarities.dirichlet import MU, collection_probability, length_norm, term_weight
from ranking.similarities.smallfloat import LENGTH_TABLE

if TYPE_CHECKING:
    from engine.backends.embedded.scoring import Scoring

PRUNED_TERMS = 64
"""Queries with more distinct terms are answered by reading all their postings."""
PRUNED_HITS = 20_000
"""So are those that ask for more hits."""
KNOWN_WORDS = 1 << 14
"""Words of earlier queries whose place in the dictionary is remembered."""
REMEMBERED_BYTES = 8 << 20
"""For the documents of frequent terms, one bit a document; frequent: one document in 64."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A query's terms in one index: rows of the term dictionary and their score tables."""

    rows: list[int]
    terms: Terms
    places: list[int]
    """Where each term stands in the query, for explanations in its order."""


def plain(retrieval: Retrieval) -> bool:
    """Whether R is DirichletLM over the whole text, which the kernels of `retrieval` know."""
    return retrieval.model == "dirichlet" and retrieval.fields == "text"


@dataclass(frozen=True)
class Opened:
    """What of an index directory is searched."""

    arrays: Arrays
    columns: Mapping[str, Values]
    store: DocumentStore
    tokens: int
    vectors: Part | None
    """The part `vectors`, where the index has it."""
    copies: Part | None
    """The part `copies`, where the index has it."""


class Searcher:
    """Answers queries from the arrays of one index; safe to share between threads."""

    def __init__(self, opened: Opened) -> None:
        arrays, tokens = opened.arrays, opened.tokens
        self.arrays, self.columns, self.store = arrays, opened.columns, opened.store
        self.vectors, self.copies = opened.vectors, opened.copies
        self.tokens = tokens
        self.documents = len(arrays.quality)
        self.ids = Ids(arrays)
        self.vocabulary = SortedStrings(arrays.terms_offsets, arrays.terms_bytes)
        self.analyzer = StandardAnalyzer()
        check_documents(arrays)
        most = max(1, REMEMBERED_BYTES // max(1, no_documents(self.documents).nbytes))
        self._through = lru_cache(most)(self._make_through)
        self._norm = lru_cache(64)(self._make_norm)
        self.row = lru_cache(KNOWN_WORDS)(lambda term: self.vocabulary.find(term.encode()))
        self._documents_of = lru_cache(most)(self._make_documents_of)

    @cached_property
    def scoring(self) -> Scoring:
        """The models that read every posting; imported where one is asked for."""
        from engine.backends.embedded.scoring import Scoring

        return Scoring(self.arrays)

    def search(self, query: Query) -> EmbeddedRanking:
        """The exact answer: by block bounds where they hold, else by reading all postings."""
        postings = self.postings(query)
        matched = self.match(query)
        factors, eligible = self.factors(query), self.eligible(query)
        most = min(query.k + query.offset, self.documents)
        if query.retrieval.model == "constant":
            ones = np.ones(self.documents)
            scores, docs = select(ones, np.ones(self.documents, np.bool_), factors, most)
        elif plain(query.retrieval) and eligible.few(self.documents, most):
            R, hit = score_listed(postings, matched.terms, eligible.listed)
            scores, docs = select_listed(eligible.listed, R, hit, factors, most)
        elif self._prunable(query, matched, factors, most):
            blocks = self.blocks(matched, factors)
            scores, docs = search_blocks(postings, matched.terms, blocks, factors, most)
        elif not plain(query.retrieval):
            weights = matched.terms.weights
            R, hit = self.scoring.relevance(query.retrieval, matched.rows, weights)
            scores, docs = select(R, hit, factors, most)
        else:
            R, hit = score_all(postings, matched.terms, self.documents)
            scores, docs = select(R, hit, factors, most)
        best = np.lexsort((self.arrays.ids_ranks[docs], -scores))[query.offset : most]
        return EmbeddedRanking(self, query, matched, docs[best], scores[best])

    def postings(self, query: Query) -> Postings:
        """The postings with the length codes that the query asks for."""
        exact = query.retrieval.lengths == "exact"
        codes = self.arrays.text_lengths if exact else self.arrays.text_codes
        return Postings(self.arrays.text_docs, self.arrays.text_tfs, codes)

    def match(self, query: Query) -> Matched:
        """The query's distinct terms that the index has, the rarest first, with their tables.

        The rarest tell most, so that blocks without them are left soonest.
        """
        counts = Counter(self.analyzer.tokens(query.text))
        known = enumerate((self.row(term), n) for term, n in counts.items())
        totals = self.arrays.text_totals
        found = sorted((f for f in known if f[1][0] >= 0), key=lambda f: totals[f[1][0]])
        rows = [row for _, (row, _) in found]
        check_terms(self.arrays, rows, self.tokens)
        mu = query.retrieval.mu
        P = collection_probability(totals[rows], self.tokens)
        starts = self.arrays.text_starts
        terms = Terms(
            begins=starts[rows],
            ends=starts[np.array(rows, np.int64) + 1],
            weights=np.array([n for _, (_, n) in found], np.float64),
            A=term_weight(np.arange(TABLE)[None, :], P[:, None], mu),
            scale=mu * P,
            B=self._norm(mu, query.retrieval.lengths),
        )
        return Matched(rows, terms, [place for place, _ in found])

    def _make_norm(self, mu: float, lengths: str) -> NDArray[np.float64]:
        if lengths == "lucene":
            return length_norm(LENGTH_TABLE, mu)
        return length_norm(np.arange(int(self.arrays.text_lengths.max(initial=0)) + 1), mu)

    def factors(self, query: Query) -> Factors:
        """Eq. 1's factors: one value a cluster, and the arrays by document."""
        similarities = query.similarities
        if not len(similarities):
            similarities = np.zeros(len(self.arrays.centroids))
        table = factor(query.boost.cluster, np.append(similarities, 0.0))
        arrays, eligible = self.arrays, self.eligible(query)
        return Factors(
            arrays.clusters,
            table,
            arrays.quality,
            query.boost.quality,
            arrays.ids_ranks,
            eligible.bits,
            eligible.filtered,
        )

    def eligible(self, query: Query) -> Eligible:
        """The documents that the query's filters keep."""
        return self._through(query.filters) if query.filters else EVERY_DOCUMENT

    def _make_through(self, filters: tuple[Filter, ...]) -> Eligible:
        through = np.ones(self.documents, np.bool_)
        for one in filters:
            through &= matching(one, self.columns[one.column])
        return Eligible.of(through)

    def _prunable(self, query: Query, matched: Matched, factors: Factors, most: int) -> bool:
        """Whether block bounds hold: they are made for Lucene's lengths, μ = 2000, factors ≥ 0."""
        retrieval = query.retrieval
        return (
            plain(retrieval)
            and retrieval.lengths == "lucene"
            and retrieval.mu == MU
            and query.boost.quality >= 0.0
            and bool(factors.table.min() >= 0.0)
            and len(matched.rows) <= PRUNED_TERMS
            and most <= PRUNED_HITS
        )

    def count(self, rows: Sequence[int], eligible: Eligible) -> int:
        """How many eligible documents have any of the terms."""
        starts, found = self.arrays.text_starts, no_documents(self.documents)
        for row in rows:
            if starts[row + 1] - starts[row] >= found.size:
                found |= self._documents_of(row)
            else:
                self._add(row, found)
        if eligible.filtered:
            found &= eligible.bits
        return size(found)

    def _make_documents_of(self, row: int) -> NDArray[np.uint64]:
        bits = no_documents(self.documents)
        self._add(row, bits)
        return bits

    def _add(self, row: int, bits: NDArray[np.uint64]) -> None:
        begin, end = self.arrays.text_starts[row : row + 2]
        add_documents(self.arrays.text_docs[begin:end], self.documents, bits)

    def blocks(self, matched: Matched, factors: Factors) -> Blocks:
        """Where each term's postings of a block start, and what a block can reach."""
        arrays, terms = self.arrays, matched.terms
        count = (self.documents - 1 >> BLOCK_BITS) + 1
        starts = np.empty((len(matched.rows), count + 1), np.int32)
        ceilings = np.empty((len(matched.rows), count))
        heavy = arrays.blocks_terms
        postings = Postings(arrays.text_docs, arrays.text_tfs, arrays.text_codes)
        for t, h in enumerate(np.searchsorted(heavy, matched.rows).tolist()):
            if h < len(heavy) and heavy[h] == matched.rows[t]:
                starts[t] = arrays.blocks_starts[h]
                np.multiply(arrays.blocks_bounds[h], terms.weights[t], out=ceilings[t])
            else:
                check_run(arrays.text_docs[terms.begins[t] : terms.ends[t]], self.documents)
                light_rows(postings, terms, t, starts[t], ceilings[t])
        spans = (arrays.spans_starts, arrays.spans_clusters, arrays.spans_quality)
        return Blocks(starts, ceilings, factor_bounds(*spans, factors.table, factors.omega_Q))


@dataclass(frozen=True)
class EmbeddedRanking:
    """The hits of one query, as document numbers; texts and explanations on demand."""

    searcher: Searcher
    query: Query
    matched: Matched
    docs: NDArray[np.int32]
    scores: NDArray[np.float64]

    @cached_property
    def total(self) -> int:
        """How many arguments match."""
        eligible = self.searcher.eligible(self.query)
        if self.query.retrieval.model == "constant":
            return eligible.count if eligible.filtered else self.searcher.documents
        if self.query.retrieval.fields != "text":
            scoring = self.searcher.scoring
            return scoring.count(self.query.retrieval, self.matched.rows, eligible)
        return self.searcher.count(self.matched.rows, eligible)

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
        unit: NDArray[np.float32] = part["rows"][docs] * part["scales"][docs, None]
        return unit

    def groups(self) -> NDArray[np.int32] | None:
        """The group of near-copies of each hit, int32[n]."""
        part = self.searcher.copies
        return None if part is None else part["groups"][self.docs]

    def explanation(self, i: int) -> Explanation:
        """The tree behind the i-th hit's score."""
        arrays, doc = self.searcher.arrays, int(self.docs[i])
        cluster = int(arrays.clusters[doc])
        evidence = explaining.Evidence(
            length=int(arrays.text_lengths[doc]),
            cluster=cluster if cluster < len(arrays.centroids) else None,
            quality=float(arrays.quality[doc]),
            tokens=self.searcher.tokens,
            terms=tuple(self._matches(doc)),
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
                yield self._match(row, float(matched.terms.weights[t]), doc, tf)

    def _match(self, row: int, weight: float, doc: int, tf: int) -> explaining.TermMatch:
        searcher, retrieval = self.searcher, self.query.retrieval
        tree = None if plain(retrieval) else searcher.scoring.explain(retrieval, row, doc)
        ttf = int(searcher.arrays.text_totals[row])
        return explaining.TermMatch(searcher.vocabulary[row].decode(), weight, tf, ttf, tree)
