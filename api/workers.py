"""Processes that answer, forked from one that has everything open: they share its memory."""

from __future__ import annotations

import contextlib
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
from multiprocessing import connection
from multiprocessing.process import BaseProcess

from indexer.errors import ArgsearchError

CANNOT_START = 3
"""Exit code of a process whose like would only fail again."""
PAUSE = 0.2
"""Seconds before a process that ended is replaced."""
_log = logging.getLogger("argsearch")
_forking = multiprocessing.get_context("fork")


class WorkersFailed(ArgsearchError):
    """A process could not start."""


def keep(answer: Callable[[], bool], number: int, grace: float) -> None:
    """Keep `number` processes at work on `answer` until KeyboardInterrupt, then stop them.

    A process that ends is replaced. Raises WorkersFailed when `answer` says that it could not
    start (false), after the others are stopped: by SIGTERM and, `grace` seconds later, SIGKILL.
    """
    gc.collect()
    gc.freeze()  # a collection must not write to the pages that the processes share
    with _stopping(grace) as processes:
        processes += [_fork(answer) for _ in range(number)]
        while True:
            connection.wait([process.sentinel for process in processes])
            for i, process in enumerate(processes):
                if not process.is_alive():
                    processes[i] = _replaced(process, answer)


@contextmanager
def _stopping(grace: float) -> Iterator[list[BaseProcess]]:
    processes: list[BaseProcess] = []
    try:
        with contextlib.suppress(KeyboardInterrupt):
            yield processes
    finally:
        for process in processes:
            process.terminate()
        until = time.monotonic() + grace
        for process in processes:
            process.join(max(0.0, until - time.monotonic()))
            process.kill()


def _replaced(ended: BaseProcess, answer: Callable[[], bool]) -> BaseProcess:
    if ended.exitcode == CANNOT_START:
        raise WorkersFailed("a process of the server could not start; its log says why")
    _log.error("process %s ended (exit code %s); another starts", ended.pid, ended.exitcode)
    time.sleep(PAUSE)
    return _fork(answer)


def _fork(answer: Callable[[], bool]) -> BaseProcess:
    process = _forking.Process(target=_child, args=(answer,))
    process.start()
    return process


def _child(answer: Callable[[], bool]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(0 if answer() else CANNOT_START)


def _end_with_parent() -> None:
    """No process stays behind when the one that looks after them is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
