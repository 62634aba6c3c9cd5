"""This engine over HTTP: `argsearch serve` in processes of its own."""

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
        """MiB of each process that answers: its own, and its share of what several map.

        Its own is what it has written; pages of the index that only it has read so far are the
        system's, kept once for all.
        """
        parent = self.process.pid
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        kib = [memory_of(int(pid)) for pid in children or [str(parent)]]
        return [{"own": k["Private_Dirty"] / 1024, "proportional": k["Pss"] / 1024} for k in kib]


@contextmanager
def serve(index: Path, workers: int) -> Iterator[Served]:
    """The server on a free port, ready to answer."""
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
    """What each number of CLIENTS sees after a warm-up; and MiB of each process that answers."""
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
"""What the page asks for a question, and how it says so."""
MOVED = "both sides, a slider moved"
"""What the page asks for a question that it has an answer to."""
MOVES, QUESTIONS = 9, 50
"""Moves, and questions of each: more together than answers are remembered."""


def page(index: Path, seconds: float, questions: Sequence[Question]) -> dict[str, dict[str, Any]]:
    """What one client sees that asks as the page does, by `PAGE` and MOVED.

    questions: so many that none comes back while anything of its answer is remembered.
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
    """The HTTP request of each question."""
    return [
        request(f"/api/search?q={quote(question.text)}&k={k}&config={config}{more}")
        for question in questions
    ]
