"""The backend on Elasticsearch or OpenSearch: Eq. 1 over all matching documents, on the server.

R is the server's own LMDirichlet score. Eq. 1 is computed by a sort script over doc values, in
double precision; the factor of each cluster travels with the query. Nothing is approximated: what
the server cannot do exactly is an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.backends.base import IndexInfo
from engine.backends.elasticsearch_hits import ServerRanking
from engine.query import Query
from indexer.analysis import StandardAnalyzer
from indexer.corpus.argument import Argument
from indexer.errors import InvalidParameter
from indexer.layout.store import from_json
from indexer.remote.address import parse
from indexer.remote.client import ATTEMPTS, RequestRejected, Server, ServerError, connect
from indexer.remote.generations import Generation, open_generation
from indexer.remote.schema import document_key
from ranking.combination import factor

PAGE = 10_000
"""The most hits that a server returns at once (its index.max_result_window)."""
MOST_TERMS = 1024
"""The most distinct words of a query that every server takes (its maximum of clauses)."""
SUPPORTED = {"model": ("dirichlet", "constant"), "fields": ("text",), "lengths": ("lucene",)}
"""What an index on a server offers of section [retrieval]; the rest is refused."""
_FACTORS = "_score * params.f[(int) doc['cluster'].value] * (1.0 + params.w * doc['quality'].value)"


class IndexReplaced(ServerError):
    """The index was rebuilt since it was opened."""


class AnswerIncomplete(ServerError):
    """A part of the server did not answer, so there is no answer at all."""


@dataclass(frozen=True)
class Request:
    """A query as the server gets it, without its page."""

    query: dict[str, Any]
    sort: list[dict[str, Any]]
    terms: tuple[str, ...] = field(default=())

    @property
    def boosted(self) -> bool:
        """Whether S is more than R, so that every match has to be scored."""
        return "_script" in self.sort[0]


class ElasticsearchBackend:
    """An index on a search server, opened for searching; safe to share between threads."""

    def __init__(self, address: str, attempts: int = ATTEMPTS) -> None:
        """Open what `http(s)://host:port/name` stands for.

        Raises IndexMissing, IndexForeign, IndexDamaged, IndexFormatUnsupported, MissingExtra and
        the errors of `indexer.remote.client`.
        """
        self.server: Server = connect(parse(address), attempts)
        try:
            self.generation: Generation = open_generation(self.server)
        except BaseException:
            self.server.close()
            raise
        manifest = self.generation.manifest
        self.analyzer = StandardAnalyzer()
        self._info = IndexInfo(
            manifest["fingerprint"],
            int(manifest["counts"]["documents"]),
            manifest["encoder"],
            manifest,
        )

    @property
    def info(self) -> IndexInfo:
        """What the index is."""
        return self._info

    @property
    def centroids(self) -> NDArray[np.float32]:
        """The k-means centroids, float32[n_clusters, dimensions]."""
        return self.generation.centroids

    @property
    def local(self) -> bool:
        """False: answers come from the server."""
        return False

    def frequencies(self, terms: Sequence[str]) -> None:
        """None: the server would have to be asked."""

    def close(self) -> None:
        """Close the connections."""
        self.server.close()

    def argument(self, id: str) -> Argument | None:
        """The argument with that id, or None."""
        return self.arguments([id])[0]

    def arguments(self, ids: list[str]) -> list[Argument | None]:
        """The arguments with those ids, in one request; None for each that is not there."""
        body = {"ids": [document_key(id) for id in ids]}
        found = self._ask("_mget", body, {"_source_includes": "document"})["docs"]
        return [from_json(d["_source"]["document"]) if d.get("found") else None for d in found]

    def search(self, query: Query) -> ServerRanking:
        """The exact answer; raises InvalidParameter for what the server cannot do exactly."""
        request = self.translate(query)
        if not request.query:
            return ServerRanking(self, query, request, np.zeros((0, 2)), [], 0)
        hits: list[dict[str, Any]] = []
        total, after, skip, wanted = None, None, query.offset, query.k
        while wanted > 0:
            size = min(PAGE, skip + wanted)
            answer = self._page(request, size, after)
            if after is None and request.boosted:
                total = int(answer["total"]["value"])
            page = answer["hits"]
            taken = page[skip : skip + wanted]
            hits += taken
            wanted -= len(taken)
            skip = max(0, skip - len(page))
            if len(page) < size:
                break
            after = page[-1]["sort"]
        ids = [hit["sort"][1] for hit in hits]
        return ServerRanking(self, query, request, _values(hits, request.boosted), ids, total)

    def _page(self, request: Request, size: int, after: Any) -> dict[str, Any]:
        body = {
            "query": request.query,
            "sort": request.sort,
            "size": size,
            "track_scores": True,
            "track_total_hits": request.boosted and after is None,
            "_source": False,
            "stored_fields": "_none_",
        }
        if after is not None:
            body["search_after"] = after
        answer: dict[str, Any] = self.run(body)["hits"]
        return answer

    def count(self, request: Request) -> int:
        """How many arguments match; asked apart where counting would prevent pruning."""
        body = {"query": request.query, "size": 0, "track_total_hits": True}
        return int(self.run(body)["hits"]["total"]["value"])

    def run(self, body: dict[str, Any]) -> dict[str, Any]:
        """One search over every shard, or an error: never a part of the answer."""
        params = {"allow_partial_search_results": "false"}
        if self.generation.shards > 1:
            params["search_type"] = "dfs_query_then_fetch"  # statistics of all shards, as of one
        answer = self._ask("_search", body, params)
        if answer.get("timed_out") or answer["_shards"]["failed"]:
            raise AnswerIncomplete(
                f"{self.server.address}: {answer['_shards']['failed']} of "
                f"{answer['_shards']['total']} shards did not answer in time; try again"
            )
        return answer

    def _ask(self, endpoint: str, body: dict[str, Any], params: dict[str, str]) -> dict[str, Any]:
        path = f"/{self.generation.index}/{endpoint}"
        try:
            answer: dict[str, Any] = self.server.request("POST", path, body, params=params)
        except RequestRejected as error:
            if error.kind == "index_not_found_exception":
                raise IndexReplaced(
                    f"index {self.server.address} was rebuilt or removed since it was opened; "
                    "open it again"
                ) from error
            raise
        return answer

    def translate(self, query: Query) -> Request:
        """The query in the server's language; an empty one where no document can match."""
        retrieval = query.retrieval
        for key, allowed in SUPPORTED.items():
            value = getattr(retrieval, key)
            if value not in allowed:
                said = f"{', '.join(allowed)} on a search server (an index directory has more)"
                raise InvalidParameter(f"retrieval.{key}", value, said)
        terms: tuple[str, ...] = ()
        if retrieval.model == "constant":
            matching: dict[str, Any] = {"constant_score": {"filter": {"exists": {"field": "id"}}}}
        else:
            terms, matching = self._matching(query)
        if matching and query.stance:
            only = {"term": {"stance": query.stance.value}}
            matching = {"bool": {"must": matching, "filter": only}}
        return Request(matching, [*self._order(query), {"id": "asc"}], terms)

    def _matching(self, query: Query) -> tuple[tuple[str, ...], dict[str, Any]]:
        mu = query.retrieval.mu
        if mu != self.generation.mu:
            allowed = f"{self.generation.mu:g}, which this index was written with"
            raise InvalidParameter("retrieval.mu", mu, allowed)
        counts = Counter(self.analyzer.tokens(query.text))
        if len(counts) > MOST_TERMS:
            said = f"{len(counts)} distinct words"
            raise InvalidParameter("query", said, f"at most {MOST_TERMS} on a search server")
        clauses = [
            {"term": {"text": {"value": term, "boost": float(n)}}} for term, n in counts.items()
        ]
        return tuple(counts), {"bool": {"should": clauses}} if clauses else {}

    def _order(self, query: Query) -> list[dict[str, Any]]:
        """The sort by S = R·(1+ω_C·C)·(1+ω_Q·Q), R being `_score`   (H21 Eq. 1)."""
        boost = query.boost
        if not len(query.similarities) and boost.quality == 0.0:
            return [{"_score": "desc"}]
        similarities = query.similarities
        if not len(similarities):
            similarities = np.zeros(len(self.centroids))
        table = factor(boost.cluster, np.append(similarities, 0.0))
        script = {"source": _FACTORS, "params": {"f": table.tolist(), "w": boost.quality}}
        return [{"_script": {"type": "number", "order": "desc", "script": script}}]


def _values(hits: list[dict[str, Any]], boosted: bool) -> NDArray[np.float64]:
    """R and S of each hit, float64[n, 2]; a server writes R (single precision) in few digits."""
    R = np.array([hit["_score"] for hit in hits], np.float32).astype(np.float64)
    S = np.array([hit["sort"][0] for hit in hits], np.float64) if boosted else R
    return np.column_stack([R, S])
