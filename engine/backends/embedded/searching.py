"""Search in an embedded index: the kernels read its arrays and return the hits.

`Searcher` keeps the data that all queries share, and `Search` prepares one query for the kernels.

The kernels' compiler takes time and memory to import. So a backend imports this module with its
first query and not when it is opened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.matched import (
    EVERY_DOCUMENT,
    BlockRow,
    Eligible,
    Matched,
    SoughtTerms,
)
from argsearch.engine.backends.embedded.soundness import check_documents, check_run, check_terms
from argsearch.engine.cached import cached_property
from argsearch.engine.config import Retrieval
from argsearch.engine.query.filters import Filter, passing
from argsearch.engine.query.query import Query
from argsearch.engine.query.sort import Sort, first, keys
from argsearch.engine.query.variants import VariantRows
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.format.arrays import Arrays, SortedStrings
from argsearch.indexer.format.columns import Values
from argsearch.ranking.combination import factor, of_document
from argsearch.ranking.retrieval import blocks as pruned
from argsearch.ranking.retrieval import scoring as kernels
from argsearch.ranking.retrieval.bits import Bits, add_documents, members, no_documents, packed
from argsearch.ranking.retrieval.blocks import BLOCK, BlockBounds
from argsearch.ranking.retrieval.scoring import TABLE, Factors, Postings, Terms
from argsearch.ranking.retrieval.selection import select, select_listed
from argsearch.ranking.similarities.bm25 import BM25, idf
from argsearch.ranking.similarities.dirichlet import (
    MU,
    collection_probability,
    length_norm,
    term_weight,
)
from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE

if TYPE_CHECKING:
    from argsearch.engine.backends.embedded.fields import Field
    from argsearch.engine.backends.embedded.scoring import TermScores

PRUNED_TERMS = 64
"""Maximum number of distinct terms for pruning; longer queries read all of their postings."""
PRUNED_HITS = 20_000
"""Maximum number of hits for which pruning is used."""
CACHED_WORD_PLACES = 1 << 14
"""Number of words from earlier queries whose row in the dictionary is cached."""
REMEMBERED_BYTES = 8 << 20
"""Bytes for the bitsets of frequent terms."""
BOUND_BYTES = 32 << 20
"""Bytes for the block bounds of frequent terms that are not in the index."""

KEPT_PRODUCTS = 4
"""Number of cached sets of column weights; each takes 8 bytes per document."""

KEPT_QUESTIONS = 16
"""Number of cached questions; each takes one bit per document, set if a specific word occurs."""

FoundDocuments = tuple[NDArray[np.int32], NDArray[np.float64]]
"""A query's best documents from its offset on, sorted by score and then id, with their scores."""
Spans = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Start of each block's cluster spans, the cluster of each span, and the maximum in each span."""


def plain(retrieval: Retrieval) -> bool:
    """Return True for DirichletLM over the whole text."""
    return retrieval.model == "dirichlet" and retrieval.fields == "text"


class Searcher:
    """Answers queries from the arrays of one index; safe to share between threads."""

    def __init__(self, arrays: Arrays, columns: Mapping[str, Values], tokens: int) -> None:
        self.arrays, self.columns, self.tokens = arrays, columns, tokens
        self.documents = len(arrays.quality)
        self.vocabulary = SortedStrings(arrays.terms_offsets, arrays.terms_bytes)
        self.variants = VariantRows(self.vocabulary)
        self.analyzer = StandardAnalyzer()
        check_documents(arrays)
        # An entry grows with the index, so the cache is limited by bytes.
        most = max(1, REMEMBERED_BYTES // max(1, no_documents(self.documents).nbytes))
        self.through = lru_cache(most)(lambda asked: Eligible.of(passing(asked, columns)))
        self.among = lru_cache(KEPT_QUESTIONS)(self._make_among)
        self._norm = lru_cache(64)(self._make_norm)
        self.row = lru_cache(CACHED_WORD_PLACES)(lambda term: self.vocabulary.find(term.encode()))
        self._documents_of = lru_cache(most)(self._make_documents_of)
        self.count = max(1, -(-self.documents // BLOCK))
        self.product = lru_cache(KEPT_PRODUCTS)(self._make_product)
        self.block_row = lru_cache(max(1, BOUND_BYTES // (8 * self.count)))(self._make_block_row)

    @cached_property
    def scoring(self) -> TermScores:
        """The models that read every posting; imported on first use."""
        from argsearch.engine.backends.embedded.scoring import TermScores

        return TermScores(self.arrays, self.variants)

    @cached_property
    def text(self) -> Field:
        """The whole text."""
        from argsearch.engine.backends.embedded.fields import Text

        return Text(self.arrays)

    def field(self, retrieval: Retrieval) -> Field:
        """Return the field to search."""
        return self.text if retrieval.fields == "text" else self.scoring.field(retrieval)

    def computed(
        self, asked: Retrieval, rows: Sequence[int], weights: NDArray[np.float64]
    ) -> tuple[Postings, Terms]:
        """Return the text's postings, checked for the given terms, and the terms for `term_score`.

        The model is DirichletLM or BM25.
        """
        at = np.array(rows, np.int64)
        starts, totals = self.arrays.text_starts, self.arrays.text_totals
        if asked.model == "bm25":
            A, scale = idf(starts[at + 1] - starts[at], self.text.documents), np.zeros(len(rows))
        else:
            P = collection_probability(totals[at], self.tokens)
            A, scale = term_weight(np.arange(TABLE)[None, :], P[:, None], asked.mu), asked.mu * P
        terms = Terms(starts[at], starts[at + 1], weights, A, scale, self._norm(asked))
        codes = self.arrays.text_lengths if asked.lengths == "exact" else self.arrays.text_codes
        # Checking all postings on opening would take too long, so a query checks the ones it reads.
        ends = (terms.begins.tolist(), terms.ends.tolist())
        docs, tfs = (a.within(*ends) for a in (self.arrays.text_docs, self.arrays.text_tfs))
        return Postings(docs, tfs, codes), terms

    def _make_block_row(self, asked: Retrieval | None, h: int) -> BlockRow:
        """Return the blocks of the h-th frequent term: stored ones, or ones made for a model."""
        starts = self.arrays.blocks_starts[h]
        if asked is None:
            return starts, self.arrays.blocks_bounds[h]
        postings, terms = self.computed(asked, [int(self.arrays.blocks_terms[h])], np.ones(1))
        check_run(postings.docs[terms.begins[0] : terms.ends[0]], self.documents)
        ceilings = np.empty(self.count)
        pruned.light_rows(postings, terms, 0, np.empty_like(starts), ceilings)
        return starts, ceilings

    def match(self, query: Query) -> Matched:
        """Return the query's distinct terms in the index, rarest first.

        The rarest terms add most to a score, so the search can skip blocks without them soonest.
        """
        counts, asked = Counter(self.analyzer.tokens(query.text)), query.retrieval
        found: dict[tuple[int, ...], tuple[int, int]] = {}
        for place, (word, n) in enumerate(counts.items()):
            if rows := self.spelling_rows(asked, word):
                # The query counts a word as often as all of its spellings occur.
                first, before = found.get(rows, (place, 0))
                found[rows] = first, before + n
        check_terms(self.arrays, [row for rows in found for row in rows], self.tokens)
        totals = self.arrays.text_totals
        order = sorted(found, key=lambda rows: sum(totals[row] for row in rows))
        weights = np.array([found[rows][1] for rows in order], np.float64)
        places = [found[rows][0] for rows in order]
        classes = self._classes(counts, asked) if asked.stem_conflation else {}
        several = frozenset(rows[0] for rows in order if len(rows) > 1)
        return Matched([rows[0] for rows in order], weights, places, classes, several)

    def _classes(self, counts: Counter[str], asked: Retrieval) -> dict[int, float]:
        """Return the classes of the query's words by the row of their first term, rarest first."""
        found: Counter[int] = Counter()
        for word, n in counts.items():
            if rows := self.scoring.forms.rows(word):
                check_terms(self.arrays, rows, self.tokens)
                found[rows[0]] += n
        ttf = self.scoring.merged(replace(asked, fields="text")).occurrences
        return {row: float(found[row]) for row in sorted(found, key=ttf)}

    def _make_norm(self, asked: Retrieval) -> NDArray[np.float64]:
        """Return what a model takes from a text's length, by length code: `Terms.B`."""
        lengths: NDArray[Any] = LENGTH_TABLE
        if asked.lengths == "exact":
            lengths = np.arange(int(self.arrays.text_lengths.max(initial=0)) + 1)
        if asked.model != "bm25":
            return length_norm(lengths, asked.mu)
        avgdl = max(1, self.text.tokens) / max(1, self.text.documents)
        return BM25(asked.k1, asked.b).saturation(np.maximum(lengths, 1.0), avgdl)

    def weighed(
        self, columns: Sequence[tuple[str, float]], docs: Any
    ) -> Iterator[tuple[str, float, NDArray[np.float64]]]:
        """Yield the name of each weighted column, its ω, and x of some documents."""
        for name, omega in columns:
            values = self.columns[name]
            yield name, omega, values.column.scaled(values.array[docs])

    def _make_product(
        self, omega_Q: float, columns: tuple[tuple[str, float], ...]
    ) -> tuple[NDArray[np.float64], Spans]:
        """Return (1 + ω_Q·Q)·Π(1 + ω·x) by document, and its maximum in each block and cluster."""
        weights = [(omega, x) for _, omega, x in self.weighed(columns, slice(None))]
        product = of_document(self.arrays.quality, omega_Q, weights)
        blocks, clusters = np.arange(self.documents) // BLOCK, self.arrays.clusters
        ends = (np.diff(blocks) != 0) | (np.diff(clusters) != 0)
        firsts = np.concatenate([[0], np.flatnonzero(ends) + 1])
        starts = np.searchsorted(blocks[firsts], np.arange(self.count + 1)).astype(np.int32)
        return product, (starts, clusters[firsts], np.maximum.reduceat(product, firsts))

    def _make_among(
        self, words: tuple[str, ...], filters: tuple[Filter, ...], asked: Retrieval
    ) -> Eligible:
        rows = dict.fromkeys(row for word in words for row in self.rows_of(asked, word))
        kept = self.through(filters) if filters else EVERY_DOCUMENT
        return Eligible(self.having(asked, list(rows), kept), filtered=True)

    def rows_of(self, retrieval: Retrieval, word: str) -> Sequence[int]:
        """Return the row of a word's term, or the rows of all its forms or spellings."""
        if retrieval.stem_conflation:
            return self.scoring.forms.rows(word)
        return self.spelling_rows(retrieval, word)

    def spelling_rows(self, retrieval: Retrieval, word: str) -> tuple[int, ...]:
        """Return the row of a word's term, or the rows of all its spellings."""
        if retrieval.unifies_spellings:
            return self.variants.rows(word)
        row = self.row(word)
        return (row,) if row >= 0 else ()

    def having(self, asked: Retrieval, rows: Sequence[int], eligible: Eligible) -> Bits:
        """Return the eligible documents that contain any of the terms in the searched field."""
        field, found = self.field(asked), no_documents(self.documents)
        for row in rows:
            docs, _ = field.run(row)
            if asked.fields == "text" and len(docs) >= found.size:
                found |= self._documents_of(row)
            else:
                add_documents(docs, self.documents, found)
        if eligible.filtered:
            found &= eligible.bits
        return found

    def _make_documents_of(self, row: int) -> NDArray[np.uint64]:
        bits = no_documents(self.documents)
        add_documents(self.text.run(row)[0], self.documents, bits)
        return bits


class Search:
    """A query in one index; data that its steps share is computed on first use."""

    def __init__(self, searcher: Searcher, query: Query) -> None:
        self.searcher, self.query, self.asked = searcher, query, query.retrieval
        self.arrays, self.documents = searcher.arrays, searcher.documents
        self.matched = searcher.match(query)
        """The query's terms."""

    @cached_property
    def kept(self) -> Eligible:
        """The documents that pass the query's filters."""
        filters = self.query.filters
        return self.searcher.through(filters) if filters else EVERY_DOCUMENT

    @cached_property
    def eligible(self) -> Eligible:
        """The documents that also have a word of `Query.among`, if the query has one."""
        if self.query.among is None:
            return self.kept
        return self.searcher.among(self.query.among, self.query.filters, self.asked)

    @cached_property
    def factors(self) -> Factors:
        """The factors of Eq. 1: a value per cluster, and arrays with a value per document."""
        arrays, boost, similarities = self.arrays, self.query.boost, self.query.similarities
        if not len(similarities):
            similarities = np.zeros(len(arrays.centroids))
        table = factor(boost.cluster, np.append(similarities, 0.0))
        quality: NDArray[Any] = arrays.quality
        if boost.columns:
            quality, _ = self.searcher.product(boost.quality, boost.columns)
        bits, filtered = self.eligible.bits, self.eligible.filtered
        ranks = arrays.ids_ranks
        return Factors(arrays.clusters, table, quality, boost.quality, ranks, bits, filtered)

    @cached_property
    def sought(self) -> SoughtTerms | None:
        """The terms for the kernels; None if there are no terms or the cache is too small."""
        asked, rows = self.asked, self.matched.rows
        if asked.model == "constant":
            return None
        computed = asked.model in ("dirichlet", "bm25") and asked.fields == "text"
        if asked.stem_conflation or self.matched.several or not computed:
            return self.searcher.scoring.sought(asked, self.matched)
        postings, terms = self.searcher.computed(asked, rows, self.matched.weights)
        heavy = self.arrays.blocks_terms
        stored = plain(asked) and asked.mu == MU and asked.lengths == "lucene"
        places = np.searchsorted(heavy, rows).tolist()

        def known(t: int) -> BlockRow | None:
            """Return a frequent term's blocks; the index holds those of DirichletLM's defaults."""
            h = places[t]
            if h == len(heavy) or heavy[h] != rows[t]:
                return None
            return self.searcher.block_row(None if stored else asked, h)

        return SoughtTerms(postings, terms, known)

    def found(self) -> FoundDocuments:
        """Return the exact answer, pruned by block bounds if they hold, else from all postings."""
        if self.query.sort is not None:
            return self._sorted(self.query.sort)
        most = min(self.query.k + self.query.offset, self.documents)
        sought = self.sought
        if sought is None:
            R, hit = self._every()
            scores, docs = select(R, hit, self.factors, most)
        elif self.eligible.few(self.documents, most):
            listed = self.eligible.listed
            R, hit = kernels.score_listed(sought.postings, sought.terms, listed)
            scores, docs = select_listed(listed, R, hit, self.factors, most)
        elif self._is_bounded(sought) and most <= PRUNED_HITS:
            blocks = self.blocks(sought)
            scores, docs = pruned.search_blocks(
                sought.postings, sought.terms, blocks, self.factors, most
            )
        else:
            R, hit = kernels.score_all(sought.postings, sought.terms, self.documents)
            scores, docs = select(R, hit, self.factors, most)
        # The heap has no order. Ties are ordered by id, which a search server can sort by too.
        best = np.lexsort((self.arrays.ids_ranks[docs], -scores))[self.query.offset : most]
        return docs[best], scores[best]

    def _is_bounded(self, sought: SoughtTerms) -> bool:
        """Return True if block bounds are valid: few terms, and no negative factors or scores."""
        return (
            sought.bounded
            and self.query.boost.quality >= 0.0
            and bool(self.factors.table.min() >= 0.0)
            and len(sought.terms.weights) <= PRUNED_TERMS
        )

    def blocks(self, sought: SoughtTerms) -> BlockBounds:
        """Return where each term's postings start in each block, and the term's maximum there."""
        postings, terms, count = sought.postings, sought.terms, self.searcher.count
        starts = np.empty((len(terms.weights), count + 1), np.int32)
        ceilings = np.empty((len(terms.weights), count))
        for t, weight in enumerate(terms.weights.tolist()):
            known = sought.known(t)
            if known is not None:
                starts[t], ceilings[t] = known
            else:
                check_run(postings.docs[terms.begins[t] : terms.ends[t]], self.documents)
                pruned.light_rows(postings, terms, t, starts[t], ceilings[t])
            if weight != 1.0:
                ceilings[t] *= weight
        arrays = self.arrays
        spans = (arrays.spans_starts, arrays.spans_clusters, arrays.spans_quality)
        if weights := self.query.boost.columns:
            _, spans = self.searcher.product(self.query.boost.quality, weights)
        bounds = pruned.factor_bounds(*spans, self.factors.table, self.factors.omega_Q)
        return BlockBounds(starts, ceilings, bounds)

    def _sorted(self, sort: Sort) -> FoundDocuments:
        """Return a page of all matches, sorted by a column, with ties by score and then by id.

        Only documents that may be shown are scored. Documents without a value come last.
        """
        values = self.searcher.columns[sort.column]
        page = slice(self.query.offset, self.query.offset + self.query.k)
        docs = members(self.matching())
        order = keys(values.array[docs], values.column, sort.falling)
        sure, tied = first(order, page.stop)
        found = []
        for places, k in ((sure, len(sure)), (tied, min(len(tied), page.stop - len(sure)))):
            if k:
                R, hit = self._relevance_of(docs[places])
                found.append(select_listed(docs[places], R, hit, self.factors, k))
        if not found:
            return docs[:0], np.zeros(0)
        scores, chosen = (np.concatenate(several) for several in zip(*found, strict=True))
        by = (self.arrays.ids_ranks[chosen], -scores, order[np.searchsorted(docs, chosen)])
        shown = np.lexsort(by)[page]
        return chosen[shown], scores[shown]

    def _every(self) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return R for every document, and True for each match, without the kernels."""
        if self.asked.model == "constant":
            return np.ones(self.documents), np.ones(self.documents, np.bool_)
        scoring = self.searcher.scoring
        return scoring.relevance(self.asked, scoring.weighed(self.asked, self.matched))

    def _relevance_of(self, docs: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return R of these documents (ascending), and whether each has any term or form."""
        if self.sought is None:
            R, hit = self._every()
            return R[docs], hit[docs]
        R, hit = kernels.score_listed(self.sought.postings, self.sought.terms, docs)
        return R, hit

    def scores_of(self, docs: NDArray[np.int32]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return S of these documents (0 if no word matches), and whether any word matches each."""
        order = np.argsort(docs, kind="stable")
        listed = docs[order]
        R, hit = self._relevance_of(listed)
        scores, chosen = select_listed(listed, R, hit, self.factors, max(1, len(docs)))
        out, matches = np.zeros(len(docs)), np.empty(len(docs), np.bool_)
        out[order[np.searchsorted(listed, chosen)]] = scores
        matches[order] = hit
        return out, matches

    def matching(self, words: Iterable[str] | None = None, *, any_word: bool = False) -> Bits:
        """Return the eligible documents that contain any of the query's words, or of `words`.

        any_word: also return documents without any word of `Query.among`.
        """
        eligible = self.kept if any_word else self.eligible
        if self.asked.model == "constant" and words is None:
            every = np.ones(self.documents, np.bool_)
            return eligible.bits if eligible.filtered else packed(every)
        among = self.searcher.analyzer.tokens(self.query.text) if words is None else words
        rows = dict.fromkeys(
            row for word in among for row in self.searcher.rows_of(self.asked, word)
        )
        return self.searcher.having(self.asked, list(rows), eligible)
