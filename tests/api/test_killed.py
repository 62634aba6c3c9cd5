"""Clients that ask without a pause while the processes that answer are killed, one by one."""

from __future__ import annotations

import http.client
import json
import os
import signal
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from argsearch.engine import Engine
from tests.api.clients import Clients
from tests.api.test_workers import Running
from tests.processes import PATIENCE, alive, eventually

pytestmark = pytest.mark.processes

QUESTIONS = ("should teachers get tenure", "zoos", "death penalty", "school uniforms", "the")
K = 5
BROKEN = (OSError, http.client.HTTPException)
"""What a client sees of a process that ends while it answers."""


@dataclass
class Asking:
    """Clients, each asking again as soon as it is answered, anew where its connection ends."""

    address: str
    wanted: dict[str, list[str]]
    """The ids that answer each question."""
    clients: int
    answered: int = 0
    failed: list[int] = field(default_factory=list)
    """The clients' ports of the requests that were not answered."""
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._counting = threading.Lock()
        self.crowd = Clients(self.clients, self._ask)
        self.crowd.begin()

    def _ask(self, turn: int) -> None:
        place = urlsplit(self.address)
        assert place.hostname
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=PATIENCE)
        while not self.crowd.over.is_set():
            question = QUESTIONS[turn % len(QUESTIONS)]
            turn += 1
            if connection.sock is None:
                connection.connect()  # which the kernel answers: this never fails
            port = connection.sock.getsockname()[1]
            try:
                connection.request("GET", f"/api/search?q={quote(question)}&k={K}")
                answer = connection.getresponse()
                content = answer.read()
            except BROKEN:
                connection.close()
                with self._counting:
                    self.failed.append(port)
                continue
            self._check(question, answer.status, content)
        connection.close()

    def _check(self, question: str, status: int, content: bytes) -> None:
        found = [hit["id"] for hit in json.loads(content)["hits"]] if status == 200 else []
        with self._counting:
            self.answered += 1
            if found != self.wanted[question]:
                self.wrong.append(f"{question}: {status} {content[:200]!r}")


def ports(process: int, server: int) -> set[int]:
    """The clients' ports of the connections that a process has, of a server's port."""
    folder = Path(f"/proc/{process}/fd")  # of a stopped one, which takes and closes nothing
    held = {str(one.readlink()) for one in folder.iterdir() if one.is_symlink()}
    found = set()
    # Others' connections come and go while the kernel lists them, and a listing may lack some.
    listings = [Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:] for _ in range(8)]
    for line in chain.from_iterable(listings):
        cells = line.split()
        (_, ours), (_, theirs) = (cells[i].split(":") for i in (1, 2))
        if int(ours, 16) == server and f"socket:[{cells[9]}]" in held:
            found.add(int(theirs, 16))
    return found


def kill(process: int, server: int) -> set[int]:
    """Kill a process that answers; the clients' ports of the connections that it had."""
    os.kill(process, signal.SIGSTOP)  # it takes no more
    stopped = Path(f"/proc/{process}/stat")
    assert eventually(lambda: stopped.read_text().rpartition(")")[2].split()[0] == "T")
    had = ports(process, server)
    os.kill(process, signal.SIGKILL)
    assert eventually(lambda: not alive(process))  # else it may be taken for one that answers
    return had


def killed_while_asked(index: Path, *, clients: int, seconds: float, every: float) -> None:
    """Kill one of two processes every so often: only requests that it was answering are lost."""
    with Engine.open(index) as engine:
        wanted = {q: [hit.id for hit in engine.search(q, k=K).hits] for q in QUESTIONS}
    server = Running(index, number=2)
    port = urlsplit(server.address).port
    assert port
    assert eventually(server.stands)
    asking = Asking(server.address, wanted, clients)
    lost: Counter[int] = Counter()
    kills: Counter[int] = Counter()
    try:
        begun = time.monotonic()
        for turn in range(1, int(seconds / every)):
            time.sleep(max(0.0, begun + turn * every - time.monotonic()))
            assert eventually(server.stands)
            victim = sorted(server.workers())[sum(kills.values()) % 2]
            before = asking.answered
            assert eventually(lambda before=before: asking.answered > before + clients)
            had = kill(victim, port)
            kills[victim] += 1
            lost.update(had)
        time.sleep(max(0.0, begun + seconds - time.monotonic()))
    finally:
        messages = asking.crowd.end(server)
    print(f"{asking.answered:,} answers, {len(asking.failed)} lost in {sum(kills.values())} kills")
    assert asking.wrong == []
    assert asking.answered > clients
    assert asking.failed, "a kill costs what the process was answering"
    assert not Counter(asking.failed) - lost, "one request of each connection to a killed process"
    assert messages.count("was sent SIGKILL") == sum(kills.values())
    assert "Traceback" not in messages


@pytest.mark.slow
def test_only_what_a_killed_process_was_answering_is_lost(sample_index):
    killed_while_asked(sample_index, clients=8, seconds=4, every=1)


@pytest.mark.nightly
def test_32_clients_lose_only_what_killed_processes_were_answering_in_a_minute(sample_index):
    killed_while_asked(sample_index, clients=32, seconds=60, every=5)
