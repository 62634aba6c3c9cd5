"""Worker processes that end with the process they work for, however that one ends."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import resource_tracker
from multiprocessing.process import parent_process
from typing import Any

_PR_SET_PDEATHSIG = 1
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
"""Signals whose handlers may raise; an alarm brings one that had to wait."""


def start_worker(process: multiprocessing.process.BaseProcess) -> None:
    """Start a process that multiprocessing spawns, whole: a signal to stop waits until it stands.

    A process that has begun and is not told its work complains that it ran out of input. Ctrl-C,
    which a terminal sends to every process, is kept from it until it ends with its parent.
    """
    resource_tracker.ensure_running()  # lets Ctrl-C through, so that it comes first
    with _postponed():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _postponed() -> Iterator[None]:
    """Within, what the handlers of signals do waits; they are raised again at its end.

    To block them would not do: where another thread takes one, it is this one that handles it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # no signal is handled here
        return
    came: set[int] = set()
    before: dict[int, Any] = {one: signal.getsignal(one) for one in _STOPS}
    heard = [one for one in _STOPS if callable(before[one]) or before[one] is signal.SIG_DFL]
    waits = True

    def hold(number: int, _frame: object) -> None:
        if waits:
            came.add(number)
        else:  # met while the handlers are put back
            signal.signal(number, before[number])
            signal.raise_signal(number)

    try:
        for one in heard:
            signal.signal(one, hold)
        yield
    finally:
        waits = False
        for one in heard:
            signal.signal(one, before[one])
        for number in sorted(came, reverse=True):  # SIGTERM says more than Ctrl-C
            signal.raise_signal(number)


def end_with_parent() -> None:
    """In a worker that multiprocessing started: end it at once when its parent has ended.

    On Linux the kernel sees to that, which a worker that hangs or is halted cannot hold up (it
    watches the thread that started the worker); elsewhere a thread does. Ctrl-C, which a terminal
    sends to every process, is left to the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    parent = parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent.pid:  # it went before the kernel was told
            os._exit(1)
    else:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def begin(module: str = "", function: str = "", *arguments: Any) -> None:
    """What a pool's new process does first: tie itself to its parent, then what is to be done.

    That is named by text, so that nothing that takes time is imported before it is tied.
    """
    end_with_parent()
    if module:
        getattr(import_module(module), function)(*arguments)
