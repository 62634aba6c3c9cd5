"""Worker processes that end with the process they work for, however that one ends."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from importlib import import_module
from multiprocessing.process import parent_process
from typing import Any

_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """In a worker that multiprocessing started: end it at once when its parent has ended.

    On Linux the kernel sees to that, which a worker that hangs or is halted cannot hold up (it
    watches the thread that started the worker); elsewhere a thread does. Ctrl-C, which a terminal
    sends to every process, is left to the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
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
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    if module:
        getattr(import_module(module), function)(*arguments)
