"""Several processes behind one address: shared memory, replacement, an end without orphans."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.awkward import one_line_error
from tests.processes import alive, within

NUMBER = 2


class Running:
    """`argsearch serve --workers number`."""

    def __init__(self, index: Path, number: int = NUMBER) -> None:
        words = ["serve", "--index", str(index), "--port", "0", "--workers", str(number)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "api.cli.main", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()

    def workers(self) -> set[int]:
        """Process ids of the processes that answer."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return {int(word) for word in path.read_text().split() if alive(int(word))}

    def get(self, path: str) -> bytes:
        """The content of an answer."""
        with urllib.request.urlopen(self.address + path, timeout=30) as answer:
            return bytes(answer.read())

    def end(self) -> None:
        """Stop it, if it is still there."""
        self.process.terminate()
        try:
            self.process.communicate(timeout=30)
        finally:
            self.process.kill()


@pytest.fixture
def running(awkward_index: Path) -> Iterator[Running]:
    server = Running(awkward_index)
    yield server
    server.end()


def test_processes_share_what_is_loaded(running):
    assert within(30, lambda: len(running.workers()) == NUMBER)
    for _ in range(20):
        assert json.loads(running.get("/api/search?q=zoos"))["hits"]
    for worker in running.workers():
        lines = Path(f"/proc/{worker}/smaps_rollup").read_text().splitlines()
        private = sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
        assert private < 80 * 1024, lines


def test_counts_of_all_processes_are_joined(running):
    for _ in range(10):
        running.get("/api/search?q=zoos")
    counted = [
        float(line.split()[-1])
        for line in running.get("/metrics").decode().splitlines()
        if line.startswith("argsearch_http_requests_total") and 'route="/api/search"' in line
    ]
    assert sum(counted) == 10


def test_a_process_that_dies_is_replaced(running):
    assert within(30, lambda: len(running.workers()) == NUMBER)
    before = running.workers()
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    assert within(30, lambda: len(running.workers() - {killed}) == NUMBER)
    assert before - {killed} < running.workers()
    for _ in range(10):
        assert running.get("/health")
    running.process.terminate()
    _, messages = running.process.communicate(timeout=30)
    assert f"process {killed} ended (exit code -9); another starts" in messages
    assert "Traceback" not in messages


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_all_processes_stop_with_the_first(running, end):
    assert within(30, lambda: len(running.workers()) == NUMBER)
    workers = running.workers()
    running.process.send_signal(end)
    _, messages = running.process.communicate(timeout=30)
    assert running.process.returncode == 0
    assert messages.splitlines()[-1] == "stopped"
    assert "Traceback" not in messages
    assert not any(alive(worker) for worker in workers)


@pytest.mark.parametrize("pause", [0.0, 0.02, 0.05, 0.1])
def test_an_end_while_processes_are_started_is_not_lost(awkward_index, pause):
    server = Running(awkward_index, number=24)
    assert within(30, lambda: len(server.workers()) > 0)
    time.sleep(pause)
    workers = server.workers()
    server.process.send_signal(signal.SIGTERM)
    _, messages = server.process.communicate(timeout=30)
    assert server.process.returncode == 0
    assert messages.splitlines()[-1] == "stopped"
    assert "Traceback" not in messages
    assert not any(alive(worker) for worker in workers)


def test_no_process_outlives_the_one_that_looks_after_them(running):
    assert within(30, lambda: len(running.workers()) == NUMBER)
    workers = running.workers()
    running.process.kill()
    assert within(10, lambda: not any(alive(worker) for worker in workers))


def test_where_nothing_can_be_shared_each_process_opens_the_index(awkward_index):
    """As with a search server or a neural encoder: the check runs in a process of its own."""
    program = "import sys; from api.cli import main; from indexer.encoders import protocol; "
    program += "protocol.EncoderSpec.light = False; sys.exit(main.run(sys.argv[1:]))"
    words = ["serve", "--index", str(awkward_index), "--port", "0", "--workers", str(NUMBER)]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with urllib.request.urlopen(f"{address}/ready", timeout=60) as answer:
            assert json.load(answer)["documents"] == 66
        process.terminate()
        assert process.communicate(timeout=30)[1].splitlines()[-1] == "stopped"


def test_what_is_wrong_is_said_before_anything_listens(awkward_index, tmp_path):
    words = ["serve", "--index", str(tmp_path), "--port", "0", "--workers", str(NUMBER)]
    ended = subprocess.run(
        [sys.executable, "-m", "api.cli.main", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "is not an index" in one_line_error(ended.stderr)
