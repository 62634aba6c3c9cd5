"""Clients that mean harm: the server goes on answering the others, about as fast as before."""

from __future__ import annotations

import asyncio
import http.client
import resource
import socket
import statistics
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from argsearch.api.http.app import create_app
from argsearch.api.serve import serving
from tests.api.awkward import serving as served
from tests.processes import eventually, in_a_thread, memory_of

pytestmark = pytest.mark.processes

ROUNDS = 60
IDLE = 300
SLACK = 0.02
"""Seconds beside twice the usual time: other work on the machine."""


def address(live: str) -> tuple[str, int]:
    host, port = live.removeprefix("http://").split(":")
    return host, int(port)


def typical(live: str, rounds: int = ROUNDS) -> float:
    """Median seconds of a search by a client of its own."""
    seconds = []
    for number in range(rounds):
        begun = time.perf_counter()
        with urllib.request.urlopen(f"{live}/api/search?q=zoos+{number}", timeout=60) as answer:
            assert answer.status == 200
            assert answer.read()
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds)


@contextmanager
def connections(live: str, number: int) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection(address(live), timeout=60))
            for _ in range(number)
        ]


def send(live: str, request: bytes) -> bytes:
    """What comes back for these bytes."""
    answer = bytearray()
    with (
        socket.create_connection(address(live), timeout=60) as connection,
        suppress(ConnectionError),  # it may be ended before all of it is read
    ):
        connection.sendall(request)
        while part := connection.recv(1 << 16):
            answer += part
    return bytes(answer)


@pytest.fixture(scope="module")
def usual(live: str) -> float:
    """Seconds of a search while nobody else asks."""
    typical(live)
    return typical(live)


@pytest.mark.nightly
def test_idle_connections_cost_the_others_nothing(live: str, usual: float) -> None:
    with connections(live, IDLE):
        assert typical(live) < 2 * usual + SLACK


@pytest.mark.nightly
def test_slow_clients_cost_the_others_nothing(live: str, usual: float) -> None:
    """A hundred requests, a byte each tenth of a second; as many answers that nobody reads."""
    request = b"GET /api/search?q=zoos HTTP/1.1\r\nHost: a\r\n\r\n"
    with connections(live, 100) as slow, connections(live, 100) as deaf:
        for one in deaf:
            one.sendall(request * 20)
        done = threading.Event()

        def trickle() -> None:
            for byte in b"GET /api/search?q=zoos HTTP/1.1\r\nX: " + b"a" * 600:
                for one in slow:
                    one.sendall(bytes([byte]))
                if done.wait(0.1):
                    return

        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            typical(live, 5)  # what the deaf ones asked for is answered by then
            assert typical(live) < 2 * usual + SLACK
        finally:
            done.set()
            thread.join()


@pytest.mark.slow
def test_a_large_body_is_not_held(awkward_index: Path) -> None:
    """100 MB with a request: its answer comes, others too, and memory does not grow by it."""
    with served(awkward_index) as live:
        pid = _listener(address(live)[1])
        typical(live, 5)  # loads what searches need
        before = memory_of(pid)["Rss"]
        for method in ("POST", "GET"):
            assert _sent_whole(live, method) in {b"200", b"413", b"closed"}
        assert memory_of(pid)["Rss"] < before + (30 << 10)


def _sent_whole(live: str, method: str) -> bytes:
    """The status of a request with a body of 100 MB, beside which others are answered."""
    head = f"{method} /api/search?q=zoos HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n"
    with socket.create_connection(address(live), timeout=60) as one:
        one.sendall(f"{head}Content-Length: 100000000\r\n\r\n".encode())
        one.settimeout(5)
        sent = 0
        with suppress(OSError):  # it need not take what it does not read
            while sent < 100_000_000:
                sent += one.send(bytes(1 << 20))
        typical(live, 5)
        one.settimeout(30)
        try:
            return one.recv(1 << 16).split()[1]
        except (OSError, IndexError):
            return b"closed"


def _listener(port: int) -> int:
    """The process that listens on a port."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    inodes = {
        f"socket:[{row[9]}]"
        for row in map(str.split, lines)
        if row[1].endswith(f":{port:04X}") and row[3] == "0A"
    }
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if str(link.readlink()) in inodes:
                return int(link.parts[2])
        except OSError:
            continue
    raise AssertionError(f"nobody listens on {port}")


@pytest.mark.parametrize(
    "method", [b"FOO", b"TRACE", b"CONNECT", b"PROPFIND", b"get", b"G\0T", b"G" * 70_000]
)
def test_unknown_methods_are_refused(live: str, method: bytes) -> None:
    answer = send(live, method + b" / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert not answer or answer.split()[1] in {b"400", b"404", b"405", b"501"}
    assert typical(live, 3)


HOSTS = [
    b"Host: evil.example\r\n",
    b"Host: evil.example\r\nHost: other.example\r\n",
    b"",
    b"Host: evil.example:99999\r\n",
    b"Host: a@evil.example/\r\n",
    b"Host: a\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: evil.example\r\n",
    b"Host: \xff\xfeevil.example\r\n",
]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    "path", [b"/", b"/docs/", b"/api/search/", b"//evil.example/x", b"http://evil.example/docs/"]
)
def test_no_answer_repeats_the_host(live: str, host: bytes, path: bytes) -> None:
    answer = send(live, b"GET " + path + b" HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n")
    head = answer.partition(b"\r\n\r\n")[0].lower()
    assert head.split()[1] in {b"200", b"400", b"404"}
    assert b"evil" not in head
    assert b"\nlocation:" not in head


class Looking(uvicorn.Server):
    """A server that looks at its connections at each tick, not once a second."""

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(10 * counter)


@contextmanager
def running(answers: Path | ASGIApp) -> Iterator[tuple[int, uvicorn.Server]]:
    """A server of an index, or application, in a thread of this process, and its port."""
    app = create_app(answers) if isinstance(answers, Path) else answers
    # seconds that pass here while others compute end nothing
    settings = {**serving.settings(), "log_level": "critical", "timeout_keep_alive": 3600}
    server = Looking(uvicorn.Config(app, **settings))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            assert eventually(lambda: server.started)
            yield listener.getsockname()[1], server
        finally:
            server.should_exit = True
            thread.join(60)


class Hands:
    """A clock that a test moves on, for a server that looks at its connections all the time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = self.looks = 0.0
        monkeypatch.setattr(serving, "time", SimpleNamespace(monotonic=self._look))

    def _look(self) -> float:
        self.looks += 1
        return self.now

    def move(self, seconds: float) -> None:
        """Let so many seconds pass, and the server look before and after it."""
        for passed in (seconds, 0.0):
            looks = self.looks
            assert eventually(lambda looks=looks: self.looks > looks + 1)
            self.now += passed

    def end(self, opened: set[Any]) -> None:
        """Let time pass until all of these are ended: the kernel may still have taken some bytes.

        Of what nobody reads it takes so much, and no more.
        """
        for _ in range(9):
            self.move(serving.SILENT)
            if not opened:
                break
        assert eventually(lambda: not opened)


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    return Hands(monkeypatch)


def test_connections_that_ask_nothing_are_closed(awkward_index: Path, hands: Hands) -> None:
    begun = b"GET /health HTTP/1.1\r\nHost"
    with (
        running(awkward_index) as (port, server),
        connections(f"http://127.0.0.1:{port}", 3) as silent,
    ):
        opened = server.server_state.connections
        silent[1].sendall(begun)
        assert eventually(lambda: len(opened) == 3)
        assert eventually(lambda: sum(one.received for one in set(opened)) == len(begun))
        hands.move(serving.SILENT / 2)
        assert len(opened) == 3
        hands.move(serving.SILENT)
        assert eventually(lambda: not opened)
        assert [one.recv(1) for one in silent] == [b""] * 3


@pytest.mark.slow
def test_a_connection_in_use_stays(awkward_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is looked at between two of its requests."""
    looked, now = [0.0], 0.0

    def clock() -> float:
        looked.append(now)
        return now

    monkeypatch.setattr(serving, "SILENT", 0.6)
    monkeypatch.setattr(serving, "time", SimpleNamespace(monotonic=clock))
    with (
        running(awkward_index) as (port, _),
        closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection,
    ):
        for _ in range(20):
            connection.request("GET", "/health")
            assert connection.getresponse().read()
            used, now, before = connection.sock, now + 0.5, len(looked)
            assert eventually(lambda before=before: len(looked) > before + 2)
            assert connection.sock is used


@pytest.mark.parametrize("path", ["/api/search", "/api/nope"])
def test_one_who_leaves_in_the_middle_of_a_body_leaves_no_traceback(
    awkward_index: Path, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    with running(awkward_index) as (port, server):
        address = f"http://127.0.0.1:{port}"
        with connections(address, 1) as [one]:
            one.sendall(f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{{".encode())
            assert eventually(lambda: server.server_state.tasks or path != "/api/search")
        assert eventually(lambda: not server.server_state.connections)
        assert eventually(lambda: not server.server_state.tasks)
        assert typical(address, 1)
    assert [record for record in caplog.records if record.exc_info] == []
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


BODY = b"POST /api/search HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{"


@pytest.mark.slow
def test_a_body_that_comes_steadily_may_take_long(awkward_index: Path, hands: Hands) -> None:
    """Eight times as long as one of whom nothing comes."""
    body = orjson.dumps({"questions": ["zoos"], "k": 1}).ljust(8 * serving.BODY_PIECE_BYTES)
    head = f"POST /api/search HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n"
    with (
        running(awkward_index) as (port, server),
        connections(f"http://127.0.0.1:{port}", 1) as [slow],
    ):
        slow.sendall(head.encode())
        assert eventually(lambda: bool(server.server_state.tasks))
        [connection] = server.server_state.connections
        for begin in range(0, len(body), serving.BODY_PIECE_BYTES):
            hands.move(serving.SILENT * 0.9)
            slow.sendall(body[begin : begin + serving.BODY_PIECE_BYTES])
            came = len(head) + begin + serving.BODY_PIECE_BYTES
            assert eventually(lambda came=came: connection.received == came)
        assert slow.recv(12) == b"HTTP/1.1 200"


def test_a_body_has_a_time_however_it_comes(awkward_index: Path, hands: Hands) -> None:
    with running(awkward_index) as (port, server):
        with connections(f"http://127.0.0.1:{port}", 2) as (slow, silent):
            for one in (slow, silent):
                one.sendall(BODY)
            assert eventually(lambda: len(server.server_state.tasks) == 2)
            for _ in range(3):
                hands.move(serving.SILENT / 4)
                slow.sendall(b" ")
            assert len(server.server_state.connections) == 2
            hands.move(serving.SILENT / 2)
            assert eventually(lambda: not server.server_state.connections)
            assert eventually(lambda: not server.server_state.tasks)
        assert typical(f"http://127.0.0.1:{port}", 1)


@pytest.mark.parametrize("pieces", [1, 64])
def test_an_answer_that_nobody_reads_has_a_time(hands: Hands, pieces: int) -> None:
    async def large(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for left in range(pieces, 0, -1):
            body = bytes((64 << 20) // pieces)  # more than what the kernel takes
            await send({"type": "http.response.body", "body": body, "more_body": left > 1})

    with running(large) as (port, server), connections(f"http://127.0.0.1:{port}", 2) as deaf:
        for one in deaf:
            one.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            assert one.recv(9) == b"HTTP/1.1 "
        hands.move(serving.SILENT / 2)
        assert len(server.server_state.connections) == 2
        hands.end(server.server_state.connections)
        assert eventually(lambda: not server.server_state.tasks)


def test_one_who_reads_an_answer_slowly_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """ANSWER_PIECE_BYTES at a time, each within the time."""
    left, now, ended = 8 * serving.ANSWER_PIECE_BYTES, 0.0, []

    class Connection:
        transport = SimpleNamespace(
            get_write_buffer_size=lambda: left, abort=lambda: ended.append(now)
        )

    monkeypatch.setattr(serving, "_waiting", {Connection(): (None, now)})
    monkeypatch.setattr(serving, "time", SimpleNamespace(monotonic=lambda: now))
    for _ in range(8):
        left, now = left - serving.ANSWER_PIECE_BYTES // 2, now + serving.SILENT * 0.4
        in_a_thread(lambda: asyncio.run(serving.look()))
    assert not ended
    for _ in range(4):
        now += serving.SILENT * 0.4
        in_a_thread(lambda: asyncio.run(serving.look()))
    assert ended


@pytest.mark.slow
def test_others_are_answered_once_512_that_say_too_little_are_ended(
    awkward_index: Path, hands: Hands, request: pytest.FixtureRequest
) -> None:
    """Those who send no head, a body byte by byte and read nothing, a third of all each."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    request.addfinalizer(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * serving.MOST_OPEN)), hard))
    whole = b"GET /api/search?q=the+uniforms+zoos&k=1000 HTTP/1.1\r\nHost: a\r\n\r\n"
    with running(awkward_index) as (port, server):
        address = f"http://127.0.0.1:{port}"
        opened, tasks = server.server_state.connections, server.server_state.tasks
        with connections(address, serving.MOST_OPEN - 1) as many, ExitStack() as last:
            for number, one in enumerate(many):
                one.sendall((b"GET / HTTP/1.1\r\nHost", BODY, whole)[number % 3])
            assert eventually(lambda: sum(one.received > 0 for one in set(opened)) == len(many))
            last.enter_context(connections(address, 1))  # from now on it refuses what is asked
            assert eventually(lambda: len(opened) == serving.MOST_OPEN)
            with pytest.raises(urllib.error.HTTPError, match="503"):
                urllib.request.urlopen(f"{address}/health", timeout=60)
            assert eventually(lambda: len(tasks) <= serving.MOST_OPEN // 3 + 1)
            for _ in range(3):
                hands.move(serving.SILENT / 3 + 1)
                for one in many[1::3]:
                    with suppress(OSError):  # it may have been ended
                        one.sendall(b" ")
            hands.end(opened)
            assert eventually(lambda: not tasks)
            with urllib.request.urlopen(f"{address}/health", timeout=60) as answer:
                assert answer.status == 200
