"""Processes that tests start: whether one runs, and waiting for what they do."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 60.0
"""Seconds after which what does not come is a failure.

Nothing else may hang on a clock: what a test waits for is what it sees.
"""


_HALTED = """
import sys
from argsearch.api.cli import main, stopping
stopping.SAME_SIGNAL_SECONDS = 600.0
{}
main.main()
"""


def patient(program: str = "") -> list[str]:
    """Begin a command line, after some lines, in which SIGTERM comes once, however often sent."""
    return [sys.executable, "-c", _HALTED.format(program)]


def alive(pid: int) -> bool:
    """Whether the process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def eventually(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether the condition comes to hold before the time is over."""
    until = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < until:
        time.sleep(0.02)
    return holds


def descendants(pid: int) -> set[int]:
    """The processes that it and they have started and that run."""
    found: set[int] = set()
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = {int(word) for word in path.read_text().split()}
        except (FileNotFoundError, ProcessLookupError):
            continue
        found |= children.union(*map(descendants, children))
    return {process for process in found if alive(process)}


def memory_of(pid: int) -> dict[str, int]:
    """KiB of its memory by kind, as "Pss" and "Private_Dirty"; raises OSError where it ended."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {kind.rstrip(":"): int(size) for kind, size, *_ in map(str.split, lines)}


def spawned(pid: int) -> set[int]:
    """Those of its descendants that `multiprocessing` gives work to: none that watches."""
    found = set()
    for process in descendants(pid):
        with suppress(FileNotFoundError, ProcessLookupError):  # it may have ended
            if b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes():
                found.add(process)
    return found


def in_a_thread(work: Callable[[], T]) -> T:
    """Return what the work returns: a browser of another test keeps a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()
