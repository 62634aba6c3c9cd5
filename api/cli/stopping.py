"""Let a command clean up when Ctrl-C or SIGTERM stops it."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

SAME_SIGNAL_SECONDS = 1.0
"""Seconds within which a second SIGTERM is ignored (`timeout` sends SIGTERM twice)."""


class Stopping:
    """Context in which SIGTERM raises KeyboardInterrupt in the main thread, just like Ctrl-C."""

    def __init__(self) -> None:
        self.terminated = False
        """True after a SIGTERM."""
        self._last = -math.inf
        self._before: Any = None

    def __enter__(self) -> Stopping:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, self._come)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            # A late signal must not change the exit code.
            signal.signal(signal.SIGTERM, signal.SIG_IGN if self.terminated else self._before)

    def _come(self, _number: int, _frame: FrameType | None) -> None:
        now, last = time.monotonic(), self._last
        if now - last >= SAME_SIGNAL_SECONDS:  # else it would interrupt the cleanup
            self.terminated, self._last = True, now
            raise KeyboardInterrupt


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the process at once, as the system does without a handler.

    Use this context for a loop that reads input in a thread: the read would delay an exception.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [(one, signal.signal(one, signal.SIG_DFL)) for one in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for one, handler in before:
            signal.signal(one, handler)
