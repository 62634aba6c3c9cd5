"""A query in a search server's query language: its matches, and their order by Eq. 1 (H21)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from argsearch.engine.query.filters import clause_of
from argsearch.engine.query.query import Query
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.errors import InvalidParameter, either
from argsearch.indexer.format.columns import Column, columns_of
from argsearch.indexer.server.generations import Generation
from argsearch.indexer.server.schema import SPELLINGS
from argsearch.ranking.combination import factor

MOST_TERMS = 1024
"""Maximum number of distinct words in a query on any server (its maximum number of clauses).

Each spelling of a word in the index counts separately.
"""
Spellings = tuple[str, ...]
"""All spellings of a word, sorted by their bytes. A word's spellings count as one term."""
SUPPORTED = {
    "model": ("dirichlet", "constant"),
    "fields": ("text",),
    "lengths": ("lucene",),
    "stem_conflation": (0.0,),
}
"""Values of section [retrieval] that a server supports. Other values are errors."""
_ANALYZER = StandardAnalyzer()
_FACTORS = "_score * params.f[(int) doc['cluster'].value] * (1.0 + params.w * doc['quality'].value)"
_CLUSTER = "doc['cluster'].value == params.none ? params.last : doc['cluster'].value"


@dataclass(frozen=True)
class ServerRequest:
    """A query as sent to the server, without the offset and number of hits."""

    query: dict[str, Any]
    sort: list[dict[str, Any]]
    terms: tuple[Spellings, ...] = field(default=())
    facets: tuple[Column, ...] = ()
    """The columns to count."""
    every: dict[str, Any] | None = None
    """The query for all matches, ignoring `Query.among`; None if `among` is unset."""

    @property
    def boosted(self) -> bool:
        """True if S differs from R, so that every match has to be scored."""
        return "_script" in self.sort[-2]


def translate(
    query: Query, generation: Generation, spellings_of: Callable[[Sequence[str]], list[Spellings]]
) -> ServerRequest:
    """Return the query in the server's language; it is empty if no document can match.

    spellings_of: returns all spellings of each word, like `Backend.spellings`.
    """
    retrieval = query.retrieval
    for key, allowed in SUPPORTED.items():
        value = getattr(retrieval, key)
        if value not in allowed:
            said = f"{either(allowed)} on a search server; an index directory allows more"
            raise InvalidParameter(f"retrieval.{key}", value, said)
    if query.boost.columns:
        given = ", ".join(name for name, _ in query.boost.columns)
        raise InvalidParameter("boost.columns", given, "empty on a search server")
    terms: tuple[Spellings, ...] = ()
    if retrieval.model == "constant":
        matching: dict[str, Any] = {"constant_score": {"filter": {"exists": {"field": "id"}}}}
    else:
        terms, matching = _matching(query, generation, spellings_of)
    columns = columns_of(generation.manifest)
    every: dict[str, Any] | None = None
    if matching and query.filters:
        only = [clause_of(one, columns[one.column]) for one in query.filters]
        matching = {"bool": {"must": matching, "filter": only}}
    if query.among is not None:
        every = matching
    if matching and query.among is not None:
        matching = {"bool": {"must": matching, "filter": [any_of(spellings_of(query.among))]}}
    by = [] if query.sort is None else [_by_column(columns[query.sort.column], query.sort.falling)]
    order = [*by, _order(query, generation), {"id": "asc"}]
    counted = tuple(columns[name] for name in query.facets)
    return ServerRequest(matching, order, terms, counted, every)


def any_of(words: Sequence[Spellings]) -> dict[str, Any]:
    """Return the query for documents that have any spelling of any of these words."""
    return {"terms": {"text": [one for some in words for one in some]}}


def _matching(
    query: Query, generation: Generation, spellings_of: Callable[[Sequence[str]], list[Spellings]]
) -> tuple[tuple[Spellings, ...], dict[str, Any]]:
    mu = query.retrieval.mu
    if mu != generation.mu:
        allowed = f"{generation.mu:g}, the value used when this index was built"
        raise InvalidParameter("retrieval.mu", mu, allowed)
    counts = Counter(_ANALYZER.tokens(query.text))
    words: Counter[Spellings] = Counter()
    for spellings, n in zip(spellings_of(list(counts)), counts.values(), strict=True):
        words[spellings] += n
    if (terms := sum(map(len, words))) > MOST_TERMS:
        said = f"{terms} distinct words"
        raise InvalidParameter("query", said, f"at most {MOST_TERMS} words on a search server")
    clauses = [_clause(spellings, float(n)) for spellings, n in words.items()]
    return tuple(words), {"bool": {"should": clauses}} if clauses else {}


def _clause(spellings: Spellings, times: float) -> dict[str, Any]:
    """Return the clause for a word, which adds up the frequencies of all its spellings."""
    if len(spellings) == 1:
        return {"term": {"text": {"value": spellings[0], "boost": times}}}
    asked = {"query": " ".join(spellings), "analyzer": SPELLINGS, "boost": times}
    return {"match": {"text": asked}}


def _by_column(column: Column, falling: bool) -> dict[str, Any]:
    """Return the sort clause for a column; documents without a value come last."""
    order = "desc" if falling else "asc"
    if column.name != "cluster" or column.missing is None:
        return {column.name: {"order": order, "missing": "_last"}}
    last = -1.0 if falling else column.missing + 1.0  # the field always has a value
    params = {"none": int(column.missing), "last": last}
    script = {"source": _CLUSTER, "params": params}
    return {"_script": {"type": "number", "order": order, "script": script}}


def _order(query: Query, generation: Generation) -> dict[str, Any]:
    """Return the sort by S = R·(1+ω_C·C)·(1+ω_Q·Q), where R is `_score`   (H21 Eq. 1)."""
    boost = query.boost
    if not len(query.similarities) and boost.quality == 0.0:
        return {"_score": "desc"}
    similarities = query.similarities
    if not len(similarities):
        similarities = np.zeros(len(generation.centroids))
    table = factor(boost.cluster, np.append(similarities, 0.0))
    script = {"source": _FACTORS, "params": {"f": table.tolist(), "w": boost.quality}}
    return {"_script": {"type": "number", "order": "desc", "script": script}}
