"""Elasticsearch and OpenSearch as peers: Eq. 1 as a `script_score`, over HTTP.

This is how users of these servers write it: the product of the server's LMDirichlet score, the
factor of the document's cluster (an array that travels with the query) and that of its quality.
"""

from __future__ import annotations

import contextlib
import http.client
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import orjson

from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.server import bulk, draft, writing
from benchmarks.corpora import Question
from benchmarks.exactness import Answer
from benchmarks.measuring import time_each
from tests.servers.launcher import cluster, get

SCRIPT = "_score * params.f[(int) doc['cluster'].value] * (1.0 + params.w * doc['quality'].value)"
INDEX = "bench"


@dataclass(frozen=True, slots=True)
class Server:
    """A running node that holds the index."""

    name: str
    version: str
    port: int
    seconds: Mapping[str, float]
    """Of each stage of writing the index, and of merging it to one segment."""
    bytes: int


@contextmanager
def server(product: str, index: Path) -> Iterator[Server]:
    """A node of the product with the index on it, in one segment of one shard.

    Raises ServerUnavailableError where the machine cannot run it.
    """
    with cluster(product, heap="2g") as running:
        seconds: dict[str, float] = {}
        with (
            _timed(bulk.Bulk, "send", seconds, "documents"),
            _timed(draft.Draft, "_complete", seconds, "completing"),
        ):
            writing.write(index, f"{running.url}/{INDEX}")
        port = running.nodes[0].port
        _settings(port, {"index.blocks.write": False})
        begun = time.perf_counter()
        ask(port, f"/{INDEX}/_forcemerge?max_num_segments=1", b"")
        seconds["merging"] = time.perf_counter() - begun
        ask(port, f"/{INDEX}/_refresh", b"")
        stats = get(f"{running.url}/{INDEX}/_stats/store", timeout=30)
        size = int(stats["_all"]["primaries"]["store"]["size_in_bytes"])
        version = get(running.url)["version"]["number"]
        yield Server(product, version, port, seconds, size)


@contextmanager
def _timed(owner: type, name: str, seconds: dict[str, float], stage: str) -> Iterator[None]:
    """Note how long a method takes, and nothing before or after it."""
    method = getattr(owner, name)

    def timed(*given: Any) -> None:
        begun = time.perf_counter()
        method(*given)
        seconds[stage] = time.perf_counter() - begun

    with patch.object(owner, name, timed):
        yield


def _settings(port: int, values: Mapping[str, Any]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    headers = {"content-type": "application/json"}
    connection.request("PUT", f"/{INDEX}/_settings", orjson.dumps(values), headers)
    answer = connection.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"the server refuses settings: {answer.read()[:300]!r}")
    connection.close()


def ask(port: int, path: str, body: bytes) -> Any:
    """The JSON answer to one POST."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        return orjson.loads(_post(connection, path, body))
    finally:
        connection.close()


def _post(connection: http.client.HTTPConnection, path: str, body: bytes) -> bytes:
    connection.request("POST", path, body, {"content-type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"the server answers {answer.status}: {content[:300]!r}")
    return content


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request asks for: how many hits, and whether their documents come with them."""

    k: int
    documents: bool = False


def bodies(
    questions: Sequence[Question],
    wanted: Wanted,
    tables: Sequence[Sequence[float]] = (),
    weight: float = 0,
) -> dict[str, bytes]:
    """The request of each question: plain, or Eq. 1 where there are tables of cluster factors."""
    analyzer = StandardAnalyzer()
    made = {}
    for i, question in enumerate(questions):
        terms = analyzer.tokens(question.text)
        query: dict[str, Any] = {"bool": {"should": [{"term": {"text": term}} for term in terms]}}
        if tables:
            script = {"source": SCRIPT, "params": {"f": list(tables[i]), "w": weight}}
            query = {"script_score": {"query": query, "script": script}}
        body = {
            "query": query,
            "size": wanted.k,
            "_source": wanted.documents,
            "docvalue_fields": ["id"],
            "track_total_hits": False,
        }
        made[question.id] = orjson.dumps(body)
    return made


def answers(port: int, requests: Mapping[str, bytes]) -> dict[str, Answer]:
    """Each question's answer."""
    found = {}
    for id, body in requests.items():
        hits = ask(port, f"/{INDEX}/_search", body)["hits"]["hits"]
        ids = [hit["fields"]["id"][0] for hit in hits]
        found[id] = Answer(ids, [hit["_score"] for hit in hits])
    return found


def times(port: int, requests: Mapping[str, bytes], rounds: int) -> list[list[float]]:
    """Milliseconds of each request in each round, one client, the connection kept open.

    From sending the request to the last byte of the answer, which is not parsed.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    with contextlib.closing(connection):
        return time_each(
            lambda body: _post(connection, f"/{INDEX}/_search", body),
            list(requests.values()),
            rounds,
        )
