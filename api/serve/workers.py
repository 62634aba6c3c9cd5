"""Processes that answer, forked from one that has everything open: they share its memory."""

from __future__ import annotations

import gc
import logging
import mmap
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import connection
from multiprocessing.process import BaseProcess

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.platform import ALARM, HANGUP, block, signals, unblock
from argsearch.indexer.processes import end_with_parent

CANNOT_START = 3
"""Exit code of a process that did not come to answer."""
PAUSE, LONGEST_PAUSE = 0.2, 10.0
"""Seconds before a process that ended is replaced: doubled while those of its number end early.

Clients whose connections the kernel gave to its listening socket wait that long.
"""
EARLY = 2.0
"""Seconds of work below which a process ended early."""
BEAT = 0.5
"""Seconds from one sign of life of a process to the next, and from one look at them to the next."""
_TERMINAL = os.isatty(2) and not any(signal.getsignal(one) is signal.SIG_IGN for one in HANGUP)
"""Whether the server was started from a terminal, and its end is not ignored (as nohup does)."""
_ENDS = (signal.SIGINT, signal.SIGTERM)
_HELD = (*_ENDS, *ALARM)
"""What must not be followed inside of a fork; an alarm brings a signal that had to wait."""
_CUT = ": a file of the index was cut short where it lies; build it again and start anew"
_log = logging.getLogger("argsearch")


class ServerFailed(ArgsearchError):
    """The server, or one of its processes, could not start."""


def hung_up() -> bool:
    """Whether the terminal that the server was started from is gone: SIGHUP then means to end."""
    return _TERMINAL and not os.isatty(2)


@dataclass(frozen=True, slots=True)
class Keeping:
    """How processes are kept."""

    number: int
    grace: float
    """Seconds that a process that is stopped has to end."""
    silence: float
    """Seconds without a sign of life after which a process is ended and replaced."""


Answer = Callable[[int, Callable[[], None]], bool]
"""What a process does: told its number, from 0, and what to call as a sign of life."""


def keep(answer: Answer, keeping: Keeping) -> None:
    """Keep processes at work on `answer` until SIGINT or SIGTERM, then stop them.

    One that ends, or is silent for too long after its first sign of life, is replaced by another of
    its number. They are stopped by SIGTERM and, `grace` seconds later, SIGKILL. Raises ServerFailed
    when `answer` says of a first one that it could not start (false), after the others are stopped.
    To be called in the main thread.
    """
    gc.collect()
    gc.freeze()  # a collection must not write to the pages that the processes share
    with _told() as told:
        _Workers(answer, keeping, told).run()


@contextmanager
def _told() -> Iterator[int]:
    """A descriptor that gives the numbers of signals, SIGINT, SIGTERM or SIGHUP, that have come.

    Nothing else happens then.

    An exception instead could be raised, and lost, inside of a fork.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    heard = (*_ENDS, *HANGUP)
    before = {one: signal.getsignal(one) for one in heard}
    former = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        for one in heard:
            signal.signal(one, lambda *_: None)
        yield reader
    finally:
        signal.set_wakeup_fd(former)
        for one, handler in before.items():
            signal.signal(one, handler)
        os.close(reader)
        os.close(writer)


class Pulse:
    """Signs of life of processes, in memory that they share.

    Time counts only while the one that looks is at work itself: where all were halted, or the
    machine slept, nobody was silent.
    """

    def __init__(self, number: int, silence: float) -> None:
        self._beats = mmap.mmap(-1, number)
        """How often each has beaten: 0 is not yet, then 1 to 255 in a circle."""
        self._seen = bytearray(number)
        self._silences = [0.0] * number
        self._limit = silence
        self._looked = time.monotonic()

    def begin(self, i: int) -> None:
        """A new process of that number starts: it may take its time to its first sign."""
        self._beats[i] = self._seen[i] = 0
        self._silences[i] = 0.0

    def has_beaten(self, i: int) -> bool:
        """Whether the process of that number has given its first sign."""
        return self._beats[i] != 0

    def beat(self, i: int) -> None:
        """The process of that number is alive."""
        self._beats[i] = self._beats[i] % 255 + 1

    def silent(self) -> list[int]:
        """Who has been silent for too long; to be asked every BEAT seconds or so."""
        now = time.monotonic()
        passed, self._looked = min(now - self._looked, 2 * BEAT), now
        for i, beats in enumerate(self._beats[:]):
            quiet = beats == self._seen[i] != 0
            self._silences[i] = self._silences[i] + passed if quiet else 0.0
            self._seen[i] = beats
        return [i for i, silence in enumerate(self._silences) if silence > self._limit]


@dataclass(slots=True)
class _Workers:
    """The processes, and what they are made from."""

    answer: Answer
    keeping: Keeping
    told: int
    processes: list[BaseProcess] = field(default_factory=list)
    first: set[BaseProcess] = field(default_factory=set)
    started: dict[int, float] = field(default_factory=dict)
    """When the last process of each number was started (monotonic seconds)."""
    pauses: dict[int, float] = field(default_factory=dict)
    """The last pause of each number."""
    due: dict[int, float] = field(default_factory=dict)
    """When those that have ended are replaced."""
    ending: bool = False
    """Whether they have been told to stop."""
    pulse: Pulse = field(init=False)

    def __post_init__(self) -> None:
        self.pulse = Pulse(self.keeping.number, self.keeping.silence)

    def run(self) -> None:
        """Start, replace, and stop them when told."""
        try:
            self.processes.extend(map(self._fork, range(self.keeping.number)))
            self.first.update(self.processes)
            while not self._is_told():
                self._end_silent()
                self._replace_ended()
        finally:
            self._stop()

    def _is_told(self) -> bool:
        """Wait until there is something to do; whether it is to stop."""
        next_due = min(self.due.values(), default=float("inf")) - time.monotonic()
        at_work = [one.sentinel for i, one in enumerate(self.processes) if i not in self.due]
        if self.told in connection.wait([self.told, *at_work], max(0.0, min(BEAT, next_due))):
            come = os.read(self.told, 512)
            self.ending = self.ending or not {*_ENDS}.isdisjoint(come)
            if not {*HANGUP}.isdisjoint(come):
                self._pass_on()
        return self.ending

    def _pass_on(self) -> None:
        """SIGHUP is each process's: to look at the index, or to end where the terminal is gone."""
        self.ending = self.ending or hung_up()
        for process in self.processes:
            if process.pid and process.is_alive():
                os.kill(process.pid, HANGUP[0])

    def _end_silent(self) -> None:
        for i in self.pulse.silent():
            process = self.processes[i]
            if process.is_alive():
                _log.error(
                    "process %s gave no sign of life for %g s and is ended",
                    process.pid,
                    self.keeping.silence,
                )
                process.kill()
                process.join()

    def _replace_ended(self) -> None:
        for i, process in enumerate(self.processes):
            if not process.is_alive() and i not in self.due:
                self._plan(i, process)
        now = time.monotonic()
        for i in [i for i, due in self.due.items() if due <= now]:
            self.processes[i] = self._fork(i)
            del self.due[i]

    def _plan(self, i: int, process: BaseProcess) -> None:
        """Say that a process ended, and when another starts."""
        if process.exitcode == CANNOT_START and process in self.first:
            raise ServerFailed("a process of the server could not start; its log says why")
        code = process.exitcode
        why = _CUT if code in [-one for one in signals("SIGBUS")] else ""
        _log.error("process %s ended (exit code %s%s); another starts", process.pid, code, why)
        now = time.monotonic()
        early = not self.pulse.has_beaten(i) or now - self.started[i] < EARLY
        again = early and i in self.pauses
        self.pauses[i] = min(2 * self.pauses[i], LONGEST_PAUSE) if again else PAUSE
        self.due[i] = now + self.pauses[i]

    def _fork(self, i: int) -> BaseProcess:
        self.pulse.begin(i)
        self.started[i] = time.monotonic()
        process = multiprocessing.get_context("fork").Process(
            target=self._work, args=(i,), daemon=True
        )
        block(_HELD)  # kept for the new one until it is ready
        try:
            process.start()
        finally:
            unblock(_HELD)
        return process

    def _work(self, i: int) -> None:
        """What a new process does."""
        signal.set_wakeup_fd(-1)
        for end in _ENDS:
            signal.signal(end, signal.SIG_DFL)  # until the server takes them, and after it
        end_with_parent()
        unblock(_HELD)
        sys.exit(0 if self.answer(i, partial(self.pulse.beat, i)) else CANNOT_START)

    def _stop(self) -> None:
        for process in self.processes:
            process.terminate()
        until = time.monotonic() + self.keeping.grace
        for process in self.processes:
            process.join(max(0.0, until - time.monotonic()))
            process.kill()
            process.join()
