"""A search server that fails: each fault gives one clear line, and never a part of an answer."""

from __future__ import annotations

import logging
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest
from starlette.testclient import TestClient

from argsearch.api.http.app import create_app
from argsearch.engine import Engine, alias_follower
from argsearch.engine.backends.server.session import IndexReplaced
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format.manifest import IndexMissing
from argsearch.indexer.server import bulk as bulks
from argsearch.indexer.server.address import parse
from argsearch.indexer.server.bulk import Bulk
from argsearch.indexer.server.client import (
    NotASearchServer,
    Server,
    ServerAbsent,
    ServerBusy,
    ServerRefused,
    connect,
)
from argsearch.indexer.server.writing import write
from tests.servers.launcher import free_ports
from tests.servers.proxy import Answer, Proxy, after, always

SECRET = "s3cr3t-k3y"
HTML = b"<html><body><h1>It works!</h1></body></html>"
ROOT = orjson.dumps({"version": {"number": "7.10.2"}, "tagline": "You Know, for Search"})


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small requests, too."""
    monkeypatch.setattr(bulks, "BULK_BYTES", 1000)
    monkeypatch.setattr("argsearch.indexer.server.client.LONGEST_PAUSE", 0.01)


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    with Proxy() as running:
        yield running


@pytest.fixture
def behind(
    sample_on_server: Callable[[int], str], server_url: str
) -> Iterator[tuple[Engine, Proxy]]:
    """The sample corpus on a server behind a proxy, open."""
    name = sample_on_server(1).rpartition("/")[2]
    with Proxy(server_url) as proxy, Engine.open(f"{proxy.url}/{name}") as engine:
        yield engine, proxy


def rest(fault: Answer):  # type: ignore[no-untyped-def]
    """`GET /` as a server answers it, everything else as the fault says."""
    return lambda _method, path, _body: (200, "application/json", ROOT) if path == "/" else fault


def said(error: pytest.ExceptionInfo[ArgsearchError]) -> str:
    text = str(error.value)
    assert "\n" not in text
    assert SECRET not in text
    return text


def test_an_absent_server() -> None:
    url = f"http://user:{SECRET}@127.0.0.1:{free_ports(1)[0]}/args"
    with pytest.raises(ServerAbsent) as error:
        Engine.open(url)
    assert said(error).startswith("no search server answers at http://127.0.0.1:")
    assert "refused" in said(error)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("status", "media", "body", "kind", "words"),
    [
        (401, "text/plain", b"Unauthorized", ServerRefused, "ARGSEARCH_ES_API_KEY"),
        (403, "text/plain", b"", ServerRefused, "forbids this"),
        (404, "text/html", HTML, NotASearchServer, "check host and port"),
        (404, "application/json", b"{}", NotASearchServer, "check host and port"),
        (429, "application/json", b"{}", ServerBusy, "answered 429 to 3 attempts"),
        (503, "text/html", HTML, ServerBusy, "answered 503 to 3 attempts"),
        (200, "text/html", HTML, NotASearchServer, "not answer like Elasticsearch or OpenSearch"),
        (200, "application/json", b"{", NotASearchServer, "check host and port"),
        (200, "application/json", b"[1]", NotASearchServer, "check host and port"),
        (200, "application/json", b"[" * 100_000, NotASearchServer, "check host and port"),
        (400, "application/json", b'{"a":' * 100_000, NotASearchServer, "check host and port"),
        (200, "application/json", b'{"version": %s}' % (b"9" * 5000), NotASearchServer, "check"),
        (200, "application/json", b'{"version":"1"}', NotASearchServer, "check host and port"),
    ],
)
def test_what_the_first_request_meets(
    proxy: Proxy, status: int, media: str, body: bytes, kind: type[ArgsearchError], words: str
) -> None:
    proxy.fault = always(status, body, media)
    with pytest.raises(kind) as error:
        connect(parse(f"{proxy.url}/args", {"ARGSEARCH_ES_API_KEY": SECRET}))
    assert words in said(error)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("status", "media", "body", "kind", "words"),
    [
        (401, "application/json", b"{}", ServerRefused, "does not accept the credentials"),
        (
            403,
            "application/json",
            b'{"error":{"type":"security_exception","reason":"no permissions for [indices:get]"}}',
            ServerRefused,
            "no permissions for [indices:get]",
        ),
        (404, "application/json", b"{}", IndexMissing, "argsearch index CORPUS --out http://"),
        (429, "application/json", b"{}", ServerBusy, "answered 429"),
        (503, "text/plain", b"down", ServerBusy, "answered 503"),
        (200, "text/html", HTML, NotASearchServer, "check host and port"),
        (200, "application/json", b"[" * 100_000, NotASearchServer, "check host and port"),
    ],
)
def test_what_opening_an_index_meets(
    proxy: Proxy, status: int, media: str, body: bytes, kind: type[ArgsearchError], words: str
) -> None:
    proxy.fault = rest((status, media, body))
    with pytest.raises(kind) as error:
        Engine.open(f"{proxy.url}/args")
    assert words in said(error)


@pytest.mark.thorough
def test_a_slow_server_is_not_waited_for_longer_than_said(proxy: Proxy) -> None:
    over = threading.Event()
    proxy.fault = lambda *_: over.wait(60) and (200, "application/json", ROOT)
    try:
        with pytest.raises(ServerAbsent) as error:
            connect(parse(f"{proxy.url}/args", {"ARGSEARCH_ES_TIMEOUT": "0.2"}))
    finally:
        over.set()
    assert "did not answer within 0.2 s; set ARGSEARCH_ES_TIMEOUT" in said(error)


def test_credentials_reach_the_server_and_nothing_else(
    proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    proxy.fault = always(200, ROOT)
    caplog.set_level(logging.DEBUG)
    environments = [
        {"ARGSEARCH_ES_API_KEY": SECRET},
        {"ARGSEARCH_ES_USERNAME": "me", "ARGSEARCH_ES_PASSWORD": SECRET},
    ]
    for environment in environments:
        server = connect(parse(f"{proxy.url}/args", environment))
        assert SECRET not in f"{server!r} {server.client!r} {server.address}"
        server.close()
    sent = [headers["authorization"] for _, _, headers in proxy.requests]
    assert sent[0] == f"ApiKey {SECRET}"
    assert sent[-1].startswith("Basic ")
    assert SECRET not in caplog.text
    assert sent[-1] not in caplog.text


class Store:
    """A server that keeps documents, and puts off, breaks off or refuses as told."""

    def __init__(self) -> None:
        self.documents: dict[str, bytes] = {}
        self.bulks = 0
        self.poison = ""
        self.put_off: set[str] = set()
        """Documents, each put off once, in whatever order two threads ask."""

    def __call__(self, _method: str, path: str, body: bytes) -> Answer:
        if path == "/":
            return 200, "application/json", ROOT
        self.bulks += 1
        if self.bulks % 4 == 1:
            return 429, "application/json", b'{"error":{"type":"rejected","reason":"full"}}'
        lines = body.splitlines()
        ids = [orjson.loads(line)["create"]["_id"] for line in lines[::2]]
        pairs = zip(ids, lines[1::2], strict=True)
        items = [{"create": self._one(i, *pair)} for i, pair in enumerate(pairs)]
        if self.bulks % 4 == 2:
            return 502, "text/plain", b"the documents were written, the answer was lost"
        failed = any(item["create"]["status"] >= 300 for item in items)
        return 200, "application/json", orjson.dumps({"errors": failed, "items": items})

    def _one(self, i: int, id: str, document: bytes) -> dict[str, object]:
        if id == self.poison:
            error = {"type": "mapper", "reason": "failed to parse"}
            return {"_id": id, "status": 400, "error": error}
        if i % 3 == 0 and id not in self.documents and id not in self.put_off:
            self.put_off.add(id)
            return {"status": 429, "error": {"type": "rejected", "reason": "queue is full"}}
        if id in self.documents:
            return {"status": 409, "error": {"type": "version_conflict", "reason": "exists"}}
        self.documents[id] = document
        return {"status": 201}


def rows(count: int) -> list[bytes]:
    return [b'{"create":{"_id":"d%d"}}\n{"n":%d}\n' % (i, i) for i in range(count)]


def bulk_of(proxy: Proxy) -> tuple[Server, Bulk, list[int]]:
    server = connect(parse(f"{proxy.url}/args"))
    seen: list[int] = []
    return server, Bulk(server, "args-1", seen.append), seen


@pytest.mark.thorough
def test_bulk_loses_and_doubles_nothing_on_a_server_that_puts_off(proxy: Proxy) -> None:
    store = Store()
    proxy.fault = store
    server, bulk, seen = bulk_of(proxy)
    bulk.send(rows(500))
    server.close()
    assert store.documents == {f"d{i}": b'{"n":%d}' % i for i in range(500)}
    assert seen[-1] == 500
    assert seen == sorted(seen)
    assert bulk.retried > 0
    assert server.retried > 0


@pytest.mark.thorough
def test_a_document_that_is_refused_is_named(proxy: Proxy) -> None:
    store = Store()
    store.poison = "d77"
    proxy.fault = store
    server, bulk, _ = bulk_of(proxy)
    with pytest.raises(ArgsearchError) as error:
        bulk.send(rows(500))
    server.close()
    assert "rejected document 'd77': failed to parse" in said(error)


def test_a_server_that_puts_off_for_ever_is_given_up(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulks, "BULK_ATTEMPTS", 3)
    item = {"create": {"status": 429, "error": {"type": "rejected", "reason": "queue is full"}}}

    def full(_method: str, path: str, body: bytes) -> Answer:
        items = [item] * (len(body.splitlines()) // 2)
        busy = orjson.dumps({"errors": True, "items": items})
        return 200, "application/json", ROOT if path == "/" else busy

    proxy.fault = full
    server, bulk, seen = bulk_of(proxy)
    with pytest.raises(ServerBusy) as error:
        bulk.send(rows(100))
    server.close()
    assert "documents 3 times; try again" in said(error)
    assert seen == []


@pytest.mark.servers
def test_a_slow_server_gives_the_same_answers_and_a_failing_one_none(
    behind: tuple[Engine, Proxy], embedded: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, proxy = behind
    monkeypatch.setattr(alias_follower, "STALE", 3600.0)  # these answers are for searches only
    proxy.fault = after(0.05)
    found = engine.search("zoos", k=20)
    assert found.hits.ids == embedded.search("zoos", k=20).hits.ids
    id = found.hits[0].id
    assert engine.argument(id) == found.hits[0].argument
    shards = {"total": 5, "successful": 4, "failed": 1}
    none = {"total": {"value": 1, "relation": "eq"}, "hits": []}
    part = {"timed_out": False, "_shards": shards, "hits": none}
    for fault, kind, words in (
        (always(429, b"{}"), ServerBusy, "429"),
        (always(200, HTML, "text/html"), NotASearchServer, ""),
        (always(200, orjson.dumps(part)), ArgsearchError, "1 of 5 shards did not answer"),
    ):
        proxy.fault = fault
        with pytest.raises(kind) as error:
            engine.search("zoos")
        assert words in said(error)
    proxy.fault = always(200, orjson.dumps({"docs": [{"_id": id, "error": LOST}]}))
    with pytest.raises(ArgsearchError) as error:
        engine.argument(id)
    assert f"document {id!r} could not be read ([n] gone); try again" in said(error)
    proxy.fault = None
    assert engine.search("zoos", k=20).hits.ids == found.hits.ids
    with TestClient(create_app(engine)) as client:
        assert client.get("/api/search?q=zoos").status_code == 200
        proxy.fault = always(503)
        answer = client.get("/api/search?q=zoos")
        assert answer.json()["title"] == "No search server"
        assert int(answer.headers["retry-after"]) > 0


LOST = {"type": "node_not_connected_exception", "reason": "[n] gone"}
"""A node that has just gone, as servers call it."""
WITHOUT = [
    (500, {"error": {"root_cause": [LOST]}}),
    (500, {"error": {"type": "search_phase_execution_exception", "caused_by": LOST}}),
    (200, {"_shards": {"failed": 1, "failures": [{"shard": 0, "reason": LOST}]}}),
    (200, {"docs": [{"_id": "1", "found": True}, {"_id": "2", "error": LOST}]}),
]
"""How answers tell of it: first hand, between finding and fetching, of one shard, of a document."""


@pytest.mark.thorough
@pytest.mark.parametrize(("status", "told"), WITHOUT)
def test_a_node_that_has_just_gone_is_asked_again_and_one_that_stays_away_is_told(
    proxy: Proxy, status: int, told: dict[str, object]
) -> None:
    asked: list[str] = []
    lost, whole = (
        (s, "application/json", one) for s, one in ((status, orjson.dumps(told)), (200, ROOT))
    )

    def once(_method: str, path: str, _body: bytes) -> Answer:
        asked.append(path)
        return lost if len(asked) == 2 else whole

    proxy.fault = once
    server = connect(parse(f"{proxy.url}/args"))
    assert server.request("GET", "/x") == orjson.loads(ROOT)
    assert (asked, server.retried) == (["/", "/x", "/x"], 1)
    proxy.fault = rest(lost)
    if status == 200:  # what is there is given to the caller, who sees what it lacks
        assert server.request("GET", "/x") == told
    else:
        with pytest.raises(ServerBusy, match="gone"):
            server.request("GET", "/x")
    assert server.retried == 1 + 5
    server.close()


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (ServerAbsent, 503),
        (ServerBusy, 503),
        (NotASearchServer, 503),
        (IndexReplaced, 503),
        (ServerRefused, 500),
    ],
)
def test_over_http_an_absent_server_is_no_fault_of_the_program(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch, kind: type[ArgsearchError], status: int
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise kind("http://node/secret: gone")

    with Engine.open(sample_index) as engine, TestClient(create_app(engine)) as client:
        monkeypatch.setattr(engine.backend, "search", fails)
        answer = client.get("/api/search?q=zoos")
        assert answer.status_code == status
        assert ("retry-after" in answer.headers) is (status == 503)
        assert "secret" not in answer.text
        assert client.get("/health").status_code == 200


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = shutil.which("openssl")
    if not program:
        pytest.skip("needs openssl; install it")
    folder = tmp_path_factory.mktemp("tls")
    command = f"{program} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    names = "subjectAltName=IP:127.0.0.1"
    files = ["-keyout", str(folder / "key"), "-out", str(folder / "certificate"), "-addext", names]
    subprocess.run([*command.split(), *files], check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key").read_bytes() + (folder / "certificate").read_bytes())
    return both


@pytest.mark.servers
def test_tls_needs_a_certificate_that_is_trusted(
    certificate: Path,
    server_url: str,
    sample_index: Path,
    embedded: Engine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Proxy(server_url, certificate) as proxy:
        address = f"{proxy.url}/over-tls"
        with pytest.raises(ServerRefused) as error:
            Engine.open(address)
        assert "ARGSEARCH_ES_CA_CERTS" in said(error)
        monkeypatch.setenv("ARGSEARCH_ES_CA_CERTS", str(certificate))
        write(sample_index, address)
        engine = Engine.open(address)
        assert engine.search("zoos").hits.ids == embedded.search("zoos").hits.ids
        engine.close()
        monkeypatch.delenv("ARGSEARCH_ES_CA_CERTS")
        monkeypatch.setenv("ARGSEARCH_ES_VERIFY", "false")
        connect(parse(address)).close()
