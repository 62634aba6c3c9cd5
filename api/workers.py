"""Processes that answer, forked from one that has everything open: they share its memory."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import connection
from multiprocessing.process import BaseProcess

from indexer.errors import ArgsearchError

CANNOT_START = 3
"""Exit code of a process that did not come to answer."""
PAUSE, LONGEST_PAUSE = 0.2, 10.0
"""Seconds before a process that ended is replaced: doubled while new ones end as soon."""
_ENDS = (signal.SIGINT, signal.SIGTERM)
_log = logging.getLogger("argsearch")


class ServerFailed(ArgsearchError):
    """The server, or one of its processes, could not start."""


def keep(answer: Callable[[int], bool], number: int, grace: float) -> None:
    """Keep `number` processes at work on `answer` until SIGINT or SIGTERM, then stop them.

    Each is given its number, from 0; one that ends is replaced by another of its number.
    They are stopped by SIGTERM and, `grace` seconds later, SIGKILL. Raises ServerFailed when
    `answer` says of a first one that it could not start (false), after the others are stopped. To
    be called in the main thread.
    """
    gc.collect()
    gc.freeze()  # a collection must not write to the pages that the processes share
    reader, writer = os.pipe()
    try:
        with _told() as told:
            _Workers(answer, grace, (reader, writer), told).run(number)
    finally:
        os.close(reader)
        os.close(writer)


@contextmanager
def _told() -> Iterator[int]:
    """A descriptor that can be read once SIGINT or SIGTERM has come; else nothing happens then.

    An exception instead could be raised, and lost, inside of a fork.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = {end: signal.signal(end, lambda *_: None) for end in _ENDS}
    former = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(former)
        for end, handler in before.items():
            signal.signal(end, handler)
        os.close(reader)
        os.close(writer)


@dataclass(slots=True)
class _Workers:
    """The processes, and what they are made from."""

    answer: Callable[[int], bool]
    grace: float
    alive: tuple[int, int]
    """A pipe whose end comes when the process that looks after the others has gone."""
    told: int
    processes: list[BaseProcess] = field(default_factory=list)
    first: set[BaseProcess] = field(default_factory=set)
    pause: float = PAUSE
    replaced: float = float("-inf")
    """When a process was last replaced (monotonic seconds)."""

    def run(self, number: int) -> None:
        """Start, replace, and stop them when told."""
        try:
            self.processes.extend(map(self._fork, range(number)))
            self.first.update(self.processes)
            while not self._is_told():
                self._replace_ended()
        finally:
            self._stop()

    def _is_told(self) -> bool:
        sentinels = [process.sentinel for process in self.processes]
        return self.told in connection.wait([self.told, *sentinels])

    def _replace_ended(self) -> None:
        for i, process in enumerate(self.processes):
            if process.is_alive():
                continue
            if process.exitcode == CANNOT_START and process in self.first:
                raise ServerFailed("a process of the server could not start; its log says why")
            code = process.exitcode
            _log.error("process %s ended (exit code %s); another starts", process.pid, code)
            soon = time.monotonic() - self.replaced < LONGEST_PAUSE
            self.pause = min(2 * self.pause, LONGEST_PAUSE) if soon else PAUSE
            if not connection.wait([self.told], self.pause):
                self.processes[i], self.replaced = self._fork(i), time.monotonic()

    def _fork(self, i: int) -> BaseProcess:
        process = multiprocessing.get_context("fork").Process(
            target=self._work, args=(i,), daemon=True
        )
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)  # kept for the new one until it is ready
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)
        return process

    def _work(self, i: int) -> None:
        """What a new process does."""
        reader, writer = self.alive
        os.close(writer)
        signal.set_wakeup_fd(-1)
        for end in _ENDS:
            signal.signal(end, signal.SIG_DFL)  # until the server takes them, and after it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)
        threading.Thread(target=self._end_with_parent, args=(reader,), daemon=True).start()
        sys.exit(0 if self.answer(i) else CANNOT_START)

    def _end_with_parent(self, alive: int) -> None:
        os.read(alive, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(self.grace)
        os.kill(os.getpid(), signal.SIGKILL)

    def _stop(self) -> None:
        for process in self.processes:
            process.terminate()
        until = time.monotonic() + self.grace
        for process in self.processes:
            process.join(max(0.0, until - time.monotonic()))
            process.kill()
            process.join()
