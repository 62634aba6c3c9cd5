"""Clients that ask without a pause while the processes that answer are killed, one by one."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from itertools import chain
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from argsearch.engine import Engine
from tests.api.clients import Asking, Seen
from tests.api.test_workers import Running
from tests.processes import alive, eventually

pytestmark = pytest.mark.processes

QUESTIONS = ("should teachers get tenure", "zoos", "death penalty", "school uniforms", "the")
K = 5


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
        wanted = {
            f"/api/search?q={quote(q)}&k={K}": [hit.id for hit in engine.search(q, k=K).hits]
            for q in QUESTIONS
        }

    def look(path: str, status: int, content: bytes, _answer: object) -> Seen:
        found = [hit["id"] for hit in json.loads(content)["hits"]] if status == 200 else []
        right = found == wanted[path]
        return "answers", None if right else f"{path}: {status} {content[:200]!r}"

    server = Running(index, number=2)
    port = urlsplit(server.address).port
    assert eventually(server.stands)
    asking = Asking(server.address, list(wanted), clients, look)
    lost: Counter[int] = Counter()
    kills: Counter[int] = Counter()
    try:
        begun = time.monotonic()
        for turn in range(1, int(seconds / every)):
            time.sleep(max(0.0, begun + turn * every - time.monotonic()))
            assert eventually(server.stands)
            victim = sorted(server.workers())[sum(kills.values()) % 2]
            before = asking.seen["answers"]
            assert eventually(lambda before=before: asking.seen["answers"] > before + clients)
            had = kill(victim, port)
            kills[victim] += 1
            lost.update(had)
        time.sleep(max(0.0, begun + seconds - time.monotonic()))
    finally:
        messages = asking.end(server)
    answers = asking.seen["answers"]
    print(f"{answers:,} answers, {len(asking.failed)} lost in {sum(kills.values())} kills")
    assert asking.wrong == []
    assert answers > clients
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
