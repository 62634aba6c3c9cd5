"""Ctrl-C and SIGTERM stop a command, wherever they meet it."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

AGAIN = 0.01
"""Seconds until a signal that could not be followed comes once more."""
PATIENCE = 1.0
"""Seconds for which a signal waits for an import to end."""
ONCE = 1.0
"""Seconds in which a second SIGTERM is the same one (`timeout` sends it twice)."""
_IMPORTS = "<frozen importlib._bootstrap>"


class Stopping:
    """Within it, Ctrl-C and SIGTERM raise KeyboardInterrupt in the main thread, and none is lost.

    A signal waits for an import to end (in the middle of one, libraries pass over it, make an
    error of another kind of it, and crash), and comes once more where it meets what Python lets no
    error out of (what C calls back, the end of an object). A SIGTERM that is sent twice does not
    disturb the cleaning up. Where Ctrl-C is ignored or handled otherwise, it is left so.
    """

    def __init__(self) -> None:
        self.terminated = False
        """Whether SIGTERM came."""
        self.awaited: int | None = None
        """The signal that has come and could not be followed yet."""
        self._since = math.inf
        self._last = -math.inf
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Stopping:
        if threading.current_thread() is threading.main_thread():
            self._dropped_before = sys.unraisablehook
            sys.unraisablehook = self._dropped
            ours = {signal.SIGTERM: self._come, signal.SIGALRM: self._come_again}
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                ours[signal.SIGINT] = self._come
            for one, handler in ours.items():
                self._handlers[one] = signal.signal(one, handler)
        return self

    def __exit__(self, *_: object) -> None:
        if not self._handlers:
            return
        self._await(None)
        for one, handler in self._handlers.items():
            signal.signal(one, handler)
        if self.terminated:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.unraisablehook = self._dropped_before

    def _come(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if number == signal.SIGTERM:
            if now - self._last < ONCE:
                return
            self.terminated = True
        if _importing(frame) and now - self._since < PATIENCE:
            self._since = min(self._since, now)
            self._await(number)
            return
        self._await(None)
        self._last = now
        raise KeyboardInterrupt

    def _dropped(self, what: UnraisableHookArgs) -> None:
        if what.exc_type is not KeyboardInterrupt:
            self._dropped_before(what)
            return
        self._last = -math.inf
        self._await(signal.SIGTERM if self.terminated else signal.SIGINT)

    def _await(self, number: int | None) -> None:
        if self.awaited is not None or number is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0 if number is None else AGAIN)
        self.awaited = number

    def _come_again(self, _alarm: int, frame: FrameType | None) -> None:
        if self.awaited is not None:
            self._come(self.awaited, frame)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTS:
            return True
        frame = frame.f_back
    return False
