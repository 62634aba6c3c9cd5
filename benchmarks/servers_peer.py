"""Measure Elasticsearch and OpenSearch as peers, with Eq. 1 as a `script_score`, over HTTP.

This is how users of these servers would write Eq. 1: the script multiplies LMDirichlet's score, the
document's cluster factor (from an array in the query), and its quality factor.
"""

from __future__ import annotations

import contextlib
import http.client
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
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
    """A running node with the index."""

    name: str
    version: str
    port: int
    seconds: Mapping[str, float]
    """Seconds of each stage of writing the index, and of merging it to one segment."""
    bytes: int


@contextmanager
def server(product: str, index: Path) -> Iterator[Server]:
    """Start a node of the product with the index, in one segment of one shard.

    Raises ServerUnavailableError if the machine cannot run the node.
    """
    with cluster(product, heap="2g") as running:
        seconds: dict[str, float] = {}
        with (
            _timed(bulk.Bulk, "send", seconds, "documents"),
            _timed(draft.Draft, "_complete", seconds, "completing"),
        ):
            writing.write(index, f"{running.url}/{INDEX}")
        port = running.nodes[0].port
        ask(port, "_settings", b'{"index.blocks.write": false}', "PUT")
        begun = time.perf_counter()
        ask(port, "_forcemerge?max_num_segments=1", b"")
        seconds["merging"] = time.perf_counter() - begun
        ask(port, "_refresh", b"")
        stats = get(f"{running.url}/{INDEX}/_stats/store", timeout=30)
        size = int(stats["_all"]["primaries"]["store"]["size_in_bytes"])
        version = get(running.url)["version"]["number"]
        yield Server(product, version, port, seconds, size)


@contextmanager
def _timed(owner: type, name: str, seconds: dict[str, float], stage: str) -> Iterator[None]:
    """Record in `seconds` how long a method takes."""
    method = getattr(owner, name)

    def timed(*given: Any) -> None:
        begun = time.perf_counter()
        method(*given)
        seconds[stage] = time.perf_counter() - begun

    with patch.object(owner, name, timed):
        yield


@contextmanager
def connected(port: int) -> Iterator[http.client.HTTPConnection]:
    """Open a connection to the node."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=600)) as one:
        yield one


def ask(port: int, path: str, body: bytes, method: str = "POST") -> Any:
    """Return the JSON answer to one request about the index."""
    with connected(port) as connection:
        return orjson.loads(_send(connection, path, body, method))


def _send(
    connection: http.client.HTTPConnection, path: str, body: bytes, method: str = "POST"
) -> bytes:
    headers = {"content-type": "application/json"}
    connection.request(method, f"/{INDEX}/{path}", body, headers)
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"the server answers {answer.status}: {content[:300]!r}")
    return content


def bodies(
    questions: Sequence[Question],
    k: int,
    documents: bool,
    tables: Sequence[Sequence[float]],
    weight: float,
) -> dict[str, bytes]:
    """Return a request body for each question: plain, or Eq. 1 if there are `tables` of factors.

    documents: if true, the answers contain the documents of the k hits.
    """
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
            "size": k,
            "_source": documents,
            "docvalue_fields": ["id"],
            "track_total_hits": False,
        }
        made[question.id] = orjson.dumps(body)
    return made


def answers(port: int, requests: Mapping[str, bytes]) -> dict[str, Answer]:
    """Return the answer to each question."""
    found = {}
    for id, body in requests.items():
        hits = ask(port, "_search", body)["hits"]["hits"]
        ids = [hit["fields"]["id"][0] for hit in hits]
        found[id] = Answer(ids, [hit["_score"] for hit in hits])
    return found


def times(port: int, requests: Mapping[str, bytes], rounds: int) -> list[list[float]]:
    """Return milliseconds of each request in each round, with one client on an open connection.

    The time runs from sending the request to the last byte of the answer, without parsing.
    """
    with connected(port) as connection:
        search = partial(_send, connection, "_search")
        return time_each(search, list(requests.values()), rounds)
