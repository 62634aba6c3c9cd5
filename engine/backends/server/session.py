"""An open generation of an index on a server, which answers completely or raises an error."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from argsearch.engine.cached import cached_property
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.store import from_json
from argsearch.indexer.server.client import RequestRejected, Server, ServerError, failure
from argsearch.indexer.server.generations import Generation
from argsearch.indexer.server.schema import document_key

GONE = "index_not_found_exception"
"""Error type that a server returns for a missing index."""


class IndexReplaced(ServerError):
    """The index was rebuilt after this process opened it."""


class AnswerIncomplete(ServerError):
    """A shard did not answer, so the search has no result."""


@dataclass(frozen=True)
class Session:
    """The connections to a server and the generation that they read."""

    server: Server
    generation: Generation

    @property
    def tokens(self) -> int:
        """T, number of tokens in the collection, as the server's scores count them.

        After a change, T includes removed documents until the server merges their segments.
        """
        if not self.generation.is_changed:
            return int(self.generation.manifest["counts"]["tokens"])
        told = self._of_shards("a")
        return sum(int(one.get("field_statistics", {}).get("sum_ttf", 0)) for one in told)

    def every_shard_has(self, term: str) -> bool:
        """Return True if every shard contains the term."""
        told = [one.get("terms", {}) for one in self._of_shards(term)]
        return all(one.get(term, {}).get("doc_freq") for one in told)

    def _of_shards(self, text: str) -> list[dict[str, Any]]:
        """Return each shard's statistics on all terms and on the terms of a text."""
        body: dict[str, Any] = {"doc": {"text": text}, "fields": ["text"], "term_statistics": True}
        body |= {"positions": False, "offsets": False}
        shards = [self.ask("_termvectors", body, {"routing": one}) for one in self._routings]
        return [shard.get("term_vectors", {}).get("text", {}) for shard in shards]

    @cached_property
    def _routings(self) -> list[str]:
        """Routing values that together lead to every shard."""
        found: dict[int, str] = {}
        for routing in map(str, count()):
            told = self.ask("_search_shards", {}, {"routing": routing})["shards"]
            # A server names no routing for a shard, so values are tried until each shard has one.
            found.setdefault(int(told[0][0]["shard"]), routing)
            if len(found) == self.generation.shards:
                return list(found.values())
        raise AssertionError("no routing value found for one of the shards")

    def arguments(self, ids: list[str]) -> list[Argument | None]:
        """Return the arguments with these ids in one request, with None for each missing one."""
        body = {"ids": [document_key(id) for id in ids]}
        found = self.ask("_mget", body, {"_source_includes": "document"})["docs"]
        for id, one in zip(ids, found, strict=True):  # each document has its own error
            told = failure(one)
            if told.kind == GONE:
                raise self._replaced()
            if "error" in one:
                raise AnswerIncomplete(
                    f"{self.server.address}: document {id!r} could not be read "
                    f"({told.reason or told.kind}); try again"
                )
        return [from_json(d["_source"]["document"]) if d.get("found") else None for d in found]

    def count(self, query: dict[str, Any]) -> int:
        """Return the number of matches with a separate request, as counting may prevent pruning."""
        body = {"query": query, "size": 0, "track_total_hits": True}
        return int(self.run(body)["hits"]["total"]["value"])

    def run(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a search over every shard, or raise an error if any shard fails."""
        params = {"allow_partial_search_results": "false"}
        if self.generation.shards > 1:
            params["search_type"] = "dfs_query_then_fetch"  # statistics of all shards together
        answer = self.ask("_search", body, params)
        if answer.get("timed_out") or answer["_shards"]["failed"]:
            raise AnswerIncomplete(
                f"{self.server.address}: {answer['_shards']['failed']} of "
                f"{answer['_shards']['total']} shards did not answer in time; try again"
            )
        return answer

    def ask(self, endpoint: str, body: dict[str, Any], params: dict[str, str]) -> dict[str, Any]:
        """Return the answer of an endpoint, or raise IndexReplaced if the generation is gone."""
        path = f"/{self.generation.index}/{endpoint}"
        try:
            answer: dict[str, Any] = self.server.request("POST", path, body, params=params)
        except RequestRejected as error:
            if error.kind == GONE:
                raise self._replaced() from error
            raise
        return answer

    def _replaced(self) -> IndexReplaced:
        return IndexReplaced(
            f"index {self.server.address} was rebuilt or removed after the search; search again"
        )
