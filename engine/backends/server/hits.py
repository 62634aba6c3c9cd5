"""The hits of a search server. Documents and explanations are read on demand."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends import explaining
from argsearch.engine.backends.base import Ranking
from argsearch.engine.backends.server.counting import column_values, distinct, facets
from argsearch.engine.backends.server.requests import ServerRequest, Spellings, any_of
from argsearch.engine.backends.server.session import IndexReplaced, Session
from argsearch.engine.cached import cached_property
from argsearch.engine.query.facets import Facets
from argsearch.engine.query.query import Query
from argsearch.engine.stages.base import Floats, Ints
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.columns import Column, columns_of
from argsearch.indexer.server.schema import GROUP
from argsearch.ranking.explanation import Explanation

AHEAD = 50
"""Number of documents, or of explanations, to read in one request."""
MOST_WORDS = 1000
"""Number of words counted in one request."""
AT_ONCE = 32
"""Number of words to explain in one request; an explanation covers all words of its document."""
_TERM = re.compile(r"weight\((?:Synonym\()?text:(.*?)\)? in \d+\)", re.DOTALL)
_FREQUENCY = re.compile(r"freq\Z|termFreq=")
"""Matches a server's descriptions of term frequency, for one or for several spellings."""
_GROUPS = Column(GROUP, "The group of near-duplicates.", "number", "int32")


@dataclass(frozen=True)
class ServerMatches:
    """Facts about all matches of a query, which the server computes on demand."""

    session: Session
    request: ServerRequest
    _total: int | None
    spellings_of: Callable[[Sequence[str]], list[Spellings]]
    """Function that returns, for each word, the spellings that count as one term."""
    counted: dict[str, Any] = field(default_factory=dict, repr=False)
    """The server's facet counts, which came with the search."""

    spelling: ClassVar[None] = None
    """Always None, since the server has the vocabulary."""

    @cached_property
    def total(self) -> int:
        """Number of matching arguments."""
        return self.session.count(self.request.query) if self._total is None else self._total

    @property
    def documents(self) -> int:
        """N, number of documents in the index."""
        return int(self.session.generation.manifest["counts"]["documents"])

    def documents_with(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return how many documents of the index have each word, int64[w]."""
        return documents_with(self.session, self.spellings_of(words))

    def count(self, words: Sequence[str]) -> int:
        """Return how many matching arguments have any of these words of the query."""
        if not (words and self.request.query):
            return 0
        having = any_of(self.spellings_of(words))
        return self.session.count({"bool": {"filter": [self.request.query, having]}})

    def having(self, words: Sequence[str]) -> None:
        """Return None, because this would take a request to the server."""

    def facets(self) -> Facets:
        """Return how many matching arguments have each value of the requested columns."""
        if not self.counted:
            return {column.name: () for column in self.request.facets}
        return facets(self.session, self.request.query, self.request.facets, self.counted)

    def common(self) -> int | None:
        """Return how many more match without `Query.among`, or None if `among` is unset."""
        every = self.request.every
        if not every:
            return None if every is None else 0
        return self.session.count(every) - self.total

    def groups(self) -> int | None:
        """Return the exact number of groups of near-duplicates, or None if the part is missing.

        Arguments without duplicates have no group number. Groups are counted page by page.
        """
        if GROUP not in self.session.generation.parts:
            return None
        if not self.request.query:
            return 0
        has = {"exists": {"field": GROUP}}
        alone = {"bool": {"filter": [self.request.query], "must_not": [has]}}
        among = {"bool": {"filter": [self.request.query, has]}}
        return self.session.count(alone) + distinct(self.session, among, GROUP)


@dataclass(frozen=True)
class ServerRanking(Ranking):
    """The hits of a query, best first."""

    session: Session
    query: Query
    request: ServerRequest
    R: NDArray[np.float64]
    """R of each hit, float64[n], as computed by the server."""
    _ids: list[str]
    _matches: ServerMatches
    _arguments: dict[int, Argument] = field(default_factory=dict, repr=False)
    _explanations: dict[int, Explanation] = field(default_factory=dict, repr=False)

    @property
    def matches(self) -> ServerMatches:
        """All matching arguments."""
        return self._matches

    def ids(self, rows: Ints) -> list[str]:
        """Return the id of each row."""
        return [self._ids[row] for row in rows.tolist()]

    def _block(self, row: int) -> range:
        first = row - row % AHEAD
        return range(first, min(first + AHEAD, len(self._ids)))

    def argument(self, row: int) -> Argument:
        """Return the document of a hit; the same request also reads the hits around it."""
        if row not in self._arguments:
            block = self._block(row)
            found = self.session.arguments([self._ids[j] for j in block])
            self._arguments.update((j, a) for j, a in zip(block, found, strict=True) if a)
        if row not in self._arguments:
            raise IndexReplaced(
                f"{self.session.server.address}: document {self._ids[row]!r} was removed after it "
                "was found; search again"
            )
        return self._arguments[row]

    def qualities(self, rows: Ints) -> Floats:
        """Return Q of the hits' premises, in single precision as in the embedded index."""
        quality = columns_of(self.session.generation.manifest)["quality"]
        found = column_values(self.session, self.ids(rows), [quality])
        return np.array(found["quality"], np.float64)

    def columns(self, rows: Ints) -> dict[str, list[float | str | None]]:
        """Return the value of each hit in every column of the index."""
        described = columns_of(self.session.generation.manifest)
        return column_values(self.session, self.ids(rows), list(described.values()))

    def groups(self, rows: Ints) -> NDArray[np.int32] | None:
        """Return each hit's group of near-duplicates, a negative number if it has no duplicates."""
        if GROUP not in self.session.generation.parts:
            return None
        found = column_values(self.session, self.ids(rows), [_GROUPS])[GROUP]
        of = zip(rows.tolist(), found, strict=True)
        return np.array([-1 - row if group is None else group for row, group in of], np.int32)

    def explanation(self, row: int) -> Explanation:
        """Return the factors of Eq. 1 (H21), with the server's own counts."""
        if row not in self._explanations:
            block = self._block(row)
            evidence = self._evidence([self._ids[j] for j in block])
            tokens = self.session.tokens
            for j in block:
                self._explanations[j] = self._explain(j, evidence[self._ids[j]], tokens)
        return self._explanations[row]

    def _evidence(self, ids: list[str]) -> dict[str, dict[str, Any]]:
        body = {
            "query": {"bool": {"must": self.request.query, "filter": {"terms": {"id": ids}}}},
            "size": len(ids),
            "explain": True,
            "_source": False,
            "docvalue_fields": ["id", "cluster", "quality"],
        }
        return {hit["fields"]["id"][0]: hit for hit in self.session.run(body)["hits"]["hits"]}

    def _explain(self, i: int, hit: dict[str, Any], tokens: int) -> Explanation:
        terms, length = term_matches(hit["_explanation"], tokens)
        (cluster,), (predicted,) = hit["fields"]["cluster"], hit["fields"]["quality"]
        evidence = explaining.ScoreEvidence(
            length=length,
            cluster=cluster if cluster < len(self.session.generation.centroids) else None,
            quality=float(np.float32(predicted)),
            tokens=tokens,
            terms=tuple(terms[term] for term in self.request.terms if term in terms),
        )
        return explaining.explain(self.query, evidence, told=float(self.R[i]))


def term_matches(
    tree: dict[str, Any], tokens: int
) -> tuple[dict[Spellings, explaining.TermMatch], int]:
    """Return the query's terms in a document and its length, read from the server's explanation."""
    terms: dict[Spellings, explaining.TermMatch] = {}
    dl = 0
    # Terms are nested deeper in the tree if several clauses of the query matched.
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        found = _TERM.match(node["description"])
        if not found:
            waiting += node["details"]
            continue
        values = _values(node)
        dl = int(values["dl"])
        ttf = round(values["collection probability"] * (tokens + 1) - 1)
        boost = values.get("query boost", 1.0)
        spellings = tuple(found[1].split(" text:"))
        tf = next(value for said, value in values.items() if _FREQUENCY.match(said))
        terms[spellings] = explaining.TermMatch(explaining.one_term(spellings), boost, int(tf), ttf)
    return terms, dl


def documents_with(session: Session, words: Sequence[Spellings]) -> NDArray[np.int64]:
    """Return how many documents in the index contain each word in any spelling, int64[w]."""
    found: list[int] = []
    for first in range(0, len(words), MOST_WORDS):
        filters = [any_of([some]) for some in words[first : first + MOST_WORDS]]
        body = {"size": 0, "aggs": {"words": {"filters": {"filters": filters}}}}
        buckets = session.run(body)["aggregations"]["words"]["buckets"]
        found += [int(bucket["doc_count"]) for bucket in buckets]
    return np.array(found, np.int64)


def occurrences(session: Session, words: Sequence[str]) -> dict[str, int]:
    """Return how often each word occurs in the index, over all shards.

    For each word, reads P(t) = (occurrences + 1) / (T + 1) from one document's explanation.
    """
    found: dict[str, int] = {}
    tokens = session.tokens if words else 0
    for first in range(0, len(words), AT_ONCE):
        terms = [{"term": {"text": word}} for word in words[first : first + AT_ONCE]]
        one = {"top_hits": {"size": 1, "explain": True, "_source": False}}
        aggregations = {"words": {"filters": {"filters": terms}, "aggs": {"one": one}}}
        body = {"query": {"bool": {"should": terms}}, "size": 0, "aggs": aggregations}
        for bucket in session.run(body)["aggregations"]["words"]["buckets"]:
            for hit in bucket["one"]["hits"]["hits"]:
                matches, _ = term_matches(hit["_explanation"], tokens)
                found |= {term: match.ttf for (term,), match in matches.items()}
    return found


def _values(node: dict[str, Any]) -> dict[str, float]:
    """Return every value below a node, named by the first words of its description."""
    values: dict[str, float] = {}
    for detail in node["details"]:
        values[detail["description"].partition(",")[0]] = float(detail["value"])
        values |= _values(detail)
    return values
