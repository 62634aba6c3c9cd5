"""Half an hour of everything at once: wrong answers, memory, and how long small answers take.

`python -m tests.soak MINUTES [FOLDER]` serves an index in two processes while clients ask small
and large pages, both sides, units, pages and nonsense, others are slow, processes are killed, and
the index is built anew from one corpus and another in turn. Every answer is held to what an engine
of its own gives for that fingerprint. FOLDER (docs) gets soak.csv, a line every ten seconds, and
soak.svg. The corpora are of args.me where ARGSEARCH_DATA is set, else the sample. Exits with 1
where an answer was wrong, /health took longer than 0.2 s, or memory went on growing.
"""

from __future__ import annotations

import csv
import http.client
import lzma
import multiprocessing
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, urlsplit

import orjson
from starlette.testclient import TestClient

from argsearch.api.http.app import create_app
from tests.api.awkward import ARGUMENTS
from tests.api.test_workers import Running
from tests.fuzz.targets import SAMPLE
from tests.processes import eventually, memory_of

EVERY = 10.0
"""Seconds of a line of the table."""
KILL, BUILD = 20.0, 30.0
"""Seconds from one kill, or build, to the next."""
AFTER_KILL = 2.0
"""Seconds in which a client may wait for the process that replaces a killed one."""
SLOWEST_HEALTH = 0.2
GROWTH = 1.15
"""How much more memory the last quarter may take than the second."""
PARTS = ("vectors", "near_duplicates", "counter", "pairs", "premises")
QUESTIONS = (
    "should teachers get tenure",
    "should zoos be abolished",
    "is the death penalty just",
    "school uniforms",
    "should animals be used in tests",
    "the government should",
)
SMALL = [f"/api/search?q={quote(q)}&k=5" for q in QUESTIONS]
LARGE = [
    f"/api/search?q={quote(q)}&k=1000{more}" for q in QUESTIONS for more in ("", "&explain=true")
]
MIXED = [
    f"/api/{path}{'&' if '?' in path else '?'}q={quote(question)}"
    for question in QUESTIONS
    for path in (
        "search?side=both&k=5",
        "search?sides=true&facet=stance",
        "search?collapse=true&page=2&where=words%20%3E%2050",
        "pairs",
        "premises",
        "suggest",
    )
]
PAGES = ("/", "/docs", "/ready", "/metrics", "/api/map")
HOSTILE = (
    "/api/search",
    "/api/search?q=%00&k=-1",
    "/api/search?q=a&k=1000000",
    "/api/arguments/%2e%2e%2f",
    f"/api/search?q={'a' * 3000}",
    "/?index=nope",
)
"""What is answered with a problem."""
VOLATILE = {"milliseconds"}
BROKEN = (OSError, http.client.HTTPException)


def plain(content: bytes) -> Any:
    """An answer without what differs from one time to the next."""
    answer = orjson.loads(content)
    return {name: value for name, value in answer.items() if name not in VOLATILE}


def corpora(folder: Path) -> list[Path]:
    """Two corpora, the second without every third argument of the first."""
    data = os.environ.get("ARGSEARCH_DATA")
    source = Path(data or "", "argsme-subset/args-me-subset.json.xz")
    content = (SAMPLE / "arguments.json").read_bytes()
    if data:
        with lzma.open(source) as packed:
            content = packed.read()
    arguments = orjson.loads(content)["arguments"] + ARGUMENTS
    paths = [folder / "all.json", folder / "fewer.json"]
    for path, some in zip(paths, (arguments, [*arguments[::3], *arguments[1::3]]), strict=True):
        path.write_bytes(orjson.dumps({"arguments": some}))
    return paths


def index(corpus: Path, out: Path) -> None:
    """Build an index in its place, in a process of its own."""
    parts = [word for part in PARTS for word in ("--with", part)]
    command = [sys.executable, "-m", "argsearch", "index", str(corpus), "--out", str(out)]
    subprocess.run([*command, "--force", "--quiet", *parts], check=True, capture_output=True)


def golden(out: Path) -> dict[str, Any]:
    """The right answers of an index, by path."""
    with TestClient(create_app(out)) as client:
        found = {path: client.get(path) for path in (*SMALL, *LARGE, *MIXED)}
    assert {answer.status_code for answer in found.values()} == {200}
    return {path: plain(answer.content) for path, answer in found.items()}


@dataclass
class Soak:
    """What goes on, and what was seen of it since the last line."""

    address: str
    right: dict[str, dict[str, Any]]
    """Answers by path, of each fingerprint."""
    over: threading.Event = field(default_factory=threading.Event)
    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def connection(self) -> http.client.HTTPConnection:
        """A new connection."""
        place = urlsplit(self.address)
        return http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)

    def client(self, number: int, paths: Sequence[str], pause: float) -> None:
        """Ask one after the other, by chance, until it is over."""
        random, connection = Random(number), self.connection()
        while not self.over.wait(pause):
            path = random.choice(paths)
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                self._check(path, answer, answer.read())
            except BROKEN:
                connection.close()
                self._note("lost")

    def _check(self, path: str, answer: http.client.HTTPResponse, content: bytes) -> None:
        status, known = answer.status, path in self.right[next(iter(self.right))]
        if status == 503 and answer.getheader("Retry-After") and path in LARGE:
            self._note("refused")
            self.over.wait(1.0)
        elif path in HOSTILE:
            self._note("hostile", f"{path}: {status}" if not 400 <= status < 500 else None)
        elif status != 200:
            self._note("other", f"{path}: {status} {content[:200]!r}")
        elif known and "fingerprint" in (told := plain(content)):
            right = self.right.get(told["fingerprint"], {}).get(path)
            self._note(
                "answers", f"{path}: not {told['fingerprint'][:8]}'s" if told != right else None
            )
        else:
            self._note("answers")

    def _note(self, what: str, wrong: str | None = None) -> None:
        with self.lock:
            self.seen[what] += 1
            if wrong:
                self.wrong.append(wrong)

    def slow(self) -> None:
        """Connections that send heads and bodies byte by byte, or read no answer."""
        place = urlsplit(self.address)
        begun = (
            b"GET / HTTP/1.1\r\nHost: a\r\nX: ",
            b"POST /api/search HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n",
            f"GET {LARGE[0]} HTTP/1.1\r\nHost: a\r\n\r\n".encode() * 4,
        )
        while not self.over.is_set():
            held = []
            try:
                for number in range(30):
                    one = socket.create_connection((place.hostname, place.port or 0), timeout=30)
                    held.append(one)
                    one.sendall(begun[number % 3])
                for _ in range(300):
                    if self.over.wait(0.1):
                        break
                    for number, one in enumerate(held):
                        if number % 3 < 2:
                            one.sendall(b" ")
            except OSError:
                self._note("closed")  # as they should be
            for one in held:
                one.close()


def probe(address: str, told: Any) -> None:
    """In a process of its own: (moment, seconds) of small searches and of /health, each 50 ms."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
    while True:
        for path in ("/health", SMALL[int(time.monotonic() * 20) % len(SMALL)]):
            begun = time.monotonic()
            try:
                connection.request("GET", path)
                connection.getresponse().read()
                told.send((path == "/health", begun, time.monotonic() - begun))
            except BROKEN:
                connection.close()
        time.sleep(0.05)


def memory(processes: set[int]) -> float:
    """MiB that the processes have written, the largest one's."""
    found = [0.0]
    for pid in processes:
        with suppress(OSError):
            found.append(memory_of(pid)["Private_Dirty"] / 1024)
    return max(found)


def every(seconds: float, over: threading.Event, act: Callable[[int], None]) -> threading.Thread:
    """Do something again and again, in a thread."""

    def acts() -> None:
        turn = 0
        while not over.wait(seconds):
            act(turn)
            turn += 1

    return threading.Thread(target=acts)


def soak(minutes: float, folder: Path) -> bool:
    """Go on for so many minutes; whether all was well."""
    with tempfile.TemporaryDirectory(prefix="argsearch-soak-") as name:
        work = Path(name)
        sources, right = corpora(work), {}
        for source in sources:
            index(source, work / source.stem)
            found = golden(work / source.stem)
            right[found[SMALL[0]]["fingerprint"]] = found
        shutil.copytree(work / "all", work / "served")
        server = Running(work / "served", "--quiet", patient=False)
        threading.Thread(target=server.process.stderr.read, daemon=True).start()  # type: ignore[union-attr]
        soaking = Soak(server.address, right)
        theirs, ours = multiprocessing.Pipe(duplex=False)
        prober = multiprocessing.get_context("fork").Process(
            target=probe, args=(server.address, ours), daemon=True
        )
        prober.start()
        kills: list[float] = []

        def kill(turn: int) -> None:
            if eventually(lambda: len(server.workers()) == 2, 30):
                kills.append(time.monotonic())
                os.kill(sorted(server.workers())[turn % 2], signal.SIGKILL)

        threads = [
            every(KILL, soaking.over, kill),
            every(
                BUILD, soaking.over, lambda turn: index(sources[(turn + 1) % 2], work / "served")
            ),
            threading.Thread(target=soaking.slow),
        ]
        crowd = [(SMALL, 0.05)] * 2 + [(LARGE, 0.1)] * 24 + [(MIXED, 0.1)] * 2
        crowd += [([*PAGES, *HOSTILE], 0.1)]
        threads += [
            threading.Thread(target=soaking.client, args=(number, paths, pause))
            for number, (paths, pause) in enumerate(crowd)
        ]
        for thread in threads:
            thread.start()
        try:
            lines = _watched(minutes, soaking, theirs, kills, server)
        finally:
            soaking.over.set()
            prober.kill()
            for thread in threads:
                thread.join()
            server.end()
    print("\n".join(sorted(set(soaking.wrong))[:20]))
    _write(lines, folder)
    return _well(lines)


def _watched(
    minutes: float, soaking: Soak, told: Any, kills: list[float], server: Running
) -> list[dict[str, Any]]:
    """A line every EVERY seconds."""
    lines: list[dict[str, Any]] = []
    begun, killed = time.monotonic(), 0
    while (now := time.monotonic()) < begun + minutes * 60:
        time.sleep(EVERY)
        small, health = [], []
        while told.poll():
            of_health, moment, took = told.recv()
            at_kill = any(moment < one + AFTER_KILL and one < moment + took for one in kills)
            if not at_kill:  # who had a killed process waits for the next one
                (health if of_health else small).append(took * 1000)
        with soaking.lock:
            seen, wrong = Counter(soaking.seen), len(soaking.wrong)
            soaking.seen.clear()
        line = {
            "minute": round((now + EVERY - begun) / 60, 2),
            "memory_mib": round(memory(server.workers()), 1),
            "small_p50_ms": round(statistics.median(small or [0]), 2),
            "small_max_ms": round(max(small, default=0), 1),
            "health_p50_ms": round(statistics.median(health or [0]), 2),
            "health_max_ms": round(max(health, default=0), 1),
            **{what: seen[what] for what in ("answers", "hostile", "refused", "lost", "closed")},
            "kills": len(kills) - killed,
            "wrong": wrong,
        }
        killed = len(kills)
        lines.append(line)
        print(line, flush=True)
    return lines


def _well(lines: list[dict[str, Any]]) -> bool:
    """Print the summary; whether it is as it should be."""
    bounds = [number * len(lines) // 4 for number in range(5)]
    quarters = [
        statistics.median(line["memory_mib"] for line in lines[begin:end] or lines)
        for begin, end in pairwise(bounds)
    ]
    slowest, wrong = max(line["health_max_ms"] for line in lines), lines[-1]["wrong"]
    print(
        f"{sum(line['answers'] for line in lines):,} answers, {wrong} wrong; /health {slowest:g} "
        f"ms at most; medians of memory by quarter {', '.join(map('{:g}'.format, quarters))} MiB"
    )
    grown = quarters[3] > GROWTH * quarters[1]
    return not (wrong or slowest > SLOWEST_HEALTH * 1000 or grown)


def _write(lines: list[dict[str, Any]], folder: Path) -> None:
    """The table as CSV, and its figure."""
    with (folder / "soak.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "soak"
    from matplotlib import pyplot

    figure, (upper, lower) = pyplot.subplots(2, 1, sharex=True, figsize=(7, 4))
    minutes = [line["minute"] for line in lines]
    for name, label in (
        ("health_max_ms", "/health, slowest of ten seconds"),
        ("small_p50_ms", "small search, median"),
    ):
        upper.semilogy(minutes, [max(0.1, line[name]) for line in lines], label=label)
    upper.axhline(SLOWEST_HEALTH * 1000, color="grey", linestyle=":")
    upper.set_ylabel("ms")
    upper.legend(loc="lower right", fontsize="small")
    lower.plot(
        minutes, [line["memory_mib"] for line in lines], label="memory of the larger process, MiB"
    )
    lower.plot(minutes, [line["wrong"] for line in lines], label="wrong answers")
    lower.set_ylim(bottom=0)
    lower.set_xlabel("minutes")
    lower.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(folder / "soak.svg", metadata={"Date": None})


if __name__ == "__main__":
    ended = soak(float(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "docs"))
    sys.exit(0 if ended else 1)
