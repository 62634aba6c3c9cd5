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
from urllib.error import URLError
from urllib.parse import quote, urlsplit

import psutil

from benchmarks.corpora import Question
from benchmarks.load import request
from benchmarks.measuring import ROOT


@dataclass(frozen=True, slots=True)
class Served:
    """A running `argsearch serve`."""

    port: int
    process: subprocess.Popen[str]

    def memory(self) -> list[dict[str, float]]:
        """MiB of each process that answers: private, and its share of what several map."""
        parent = psutil.Process(self.process.pid)
        processes = [p for p in parent.children(recursive=True) if "spawn_main" in _command(p)]
        found = []
        for process in processes or [parent]:
            info = process.memory_full_info()
            found.append({"private": info.uss / 2**20, "proportional": info.pss / 2**20})
        return found


def _command(process: psutil.Process) -> str:
    return " ".join(process.cmdline())


@contextmanager
def serve(index: Path, workers: int) -> Iterator[Served]:
    """The server on a free port, ready to answer."""
    command = [sys.executable, "-m", "api.cli.main", "serve", "--index", str(index)]
    process = subprocess.Popen(
        [*command, "--port", "0", "--workers", str(workers), "--quiet"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
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


def requests(questions: Sequence[Question], k: int, config: str) -> list[bytes]:
    """The HTTP request of each question."""
    return [
        request(f"/api/search?q={quote(question.text)}&k={k}&config={config}")
        for question in questions
    ]
