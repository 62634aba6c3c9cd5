"""Measure this engine over HTTP, with `argsearch serve` in its own processes."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import quote, urlsplit

from benchmarks.corpora import Question
from benchmarks.load import CLIENTS, load, request
from benchmarks.measuring import ROOT
from benchmarks.plan import BOOSTED, PAGED
from tests.processes import memory_of


@dataclass(frozen=True, slots=True)
class Served:
    """A running `argsearch serve`."""

    port: int
    process: subprocess.Popen[str]

    def memory(self) -> list[dict[str, float]]:
        """Return MiB of each answering process: its own, and its share of memory that several map.

        Its own memory is the pages that it has written. Pages of the index are cached once for all
        processes, even if only one process has read them so far.
        """
        parent = self.process.pid
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        kib = [memory_of(int(pid)) for pid in children or [str(parent)]]
        return [{"own": k["Private_Dirty"] / 1024, "proportional": k["Pss"] / 1024} for k in kib]


@contextmanager
def serve(index: Path, workers: int) -> Iterator[Served]:
    """Start the server on a free port, and wait until it is ready."""
    command = [sys.executable, "-m", "argsearch", "serve", "--index", str(index)]
    with subprocess.Popen(
        [*command, "--port", "0", "--workers", str(workers), "--quiet"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout
            port = urlsplit(process.stdout.readline().strip()).port
            if port is None:
                raise RuntimeError("argsearch serve did not start")
            _ready(port)
            yield Served(port, process)
        finally:
            process.terminate()
            process.wait(timeout=30)


def _ready(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            pass
        time.sleep(0.1)
    raise RuntimeError("argsearch serve was not ready after 60 s")


def loads(
    index: Path, workers: int, seconds: float, questions: Sequence[Question]
) -> tuple[list[dict[str, Any]], list[dict[str, float]]]:
    """Measure a load with each number of CLIENTS after a warm-up, and the processes' memory."""
    asked = requests(questions, 10, BOOSTED)
    with serve(index, workers) as served:
        load(served.port, 8, seconds / 4, asked)
        measured = [load(served.port, clients, seconds, asked) for clients in CLIENTS]
        return measured, served.memory()


PAGE = {
    "ten hits with their gists": "",
    "the same, near-duplicates collapsed": "&collapse=true",
    "both sides, ten hits each": "&side=both",
}
"""Requests that the page sends for a question, with their parameters."""
MOVED = "both sides, a slider moved"
"""The page's request for a question when the user moves a slider."""
MOVES, QUESTIONS = 9, 50
"""Numbers of moves and of questions for each move. Together they exceed the server's cache."""


def page(index: Path, seconds: float, questions: Sequence[Question]) -> dict[str, dict[str, Any]]:
    """Measure the load of one client that sends the page's requests, by PAGE and MOVED.

    questions: so many that no question is repeated while its answer is cached.
    """
    found = {}
    with serve(index, 1) as served:
        for what, more in PAGE.items():
            asked = requests(questions, 10, PAGED, more)
            load(served.port, 1, seconds / 4, asked[::-1])
            found[what] = load(served.port, 1, seconds, asked)
        moved = list[bytes]()
        for move in range(1, MOVES + 1):
            more = f"&side=both&w_quality={move / 10}"
            moved += requests(questions[:QUESTIONS], 10, PAGED, more)
        load(served.port, 1, seconds / 4, moved[::-1])
        found[MOVED] = load(served.port, 1, seconds, moved)
    return found


def requests(questions: Sequence[Question], k: int, config: str, more: str = "") -> list[bytes]:
    """Return the HTTP request for each question."""
    return [
        request(f"/api/search?q={quote(question.text)}&k={k}&config={config}{more}")
        for question in questions
    ]
