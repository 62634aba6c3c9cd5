"""Ctrl-C and SIGTERM stop a command, wherever they meet it."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar

from argsearch.indexer.platform import ALARM

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

AGAIN = 0.01
"""Seconds until a signal that could not be followed comes once more."""
PATIENCE = 5.0
"""Seconds for which a signal waits for an import to end, if it is not sent a second time."""
ONCE = 1.0
"""Seconds in which a second SIGTERM is the same one (`timeout` sends it twice)."""
LAST = 4.5
"""Seconds after a signal until an overseen command that does not follow it is killed."""
_IMPORTS = "<frozen importlib._bootstrap>"


class Stopping:
    """Within it, Ctrl-C and SIGTERM raise KeyboardInterrupt in the main thread, and none is lost.

    A signal waits for an import to end (in the middle of one, libraries pass over it, make an
    error of another kind of it, and crash), and comes once more where it meets what Python lets no
    error out of (what C calls back, the end of an object). A SIGTERM that is sent twice does not
    disturb the cleaning up. Where Ctrl-C is ignored or handled otherwise, it is left so.
    On Windows, which has no alarm, it does not wait.
    """

    now: ClassVar[Stopping | None] = None
    """The one that is entered."""

    def __init__(self) -> None:
        self.terminated = False
        """Whether SIGTERM came."""
        self._awaited: int | None = None
        self._since: float | None = None
        self._last = -math.inf
        self._ended = self._dropping = False
        self._handlers: dict[int, Any] = {}
        self._overseer: Popen[bytes] | None = None

    def __enter__(self) -> Stopping:
        if threading.current_thread() is threading.main_thread():
            self._dropped_before = sys.unraisablehook
            sys.unraisablehook = self._dropped
            ours: dict[int, Any] = {signal.SIGTERM: self._come}
            ours |= dict.fromkeys(ALARM, self._come_again)
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                ours[signal.SIGINT] = self._come
            for one, handler in ours.items():
                self._handlers[one] = signal.signal(one, handler)
            Stopping.now = self
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        if not self._handlers:
            return
        if self._overseer is not None:
            signal.set_wakeup_fd(-1)
            self._overseer.communicate()
        Stopping.now = None
        for one, handler in self._handlers.items():
            again = one == signal.SIGTERM and self.terminated
            signal.signal(one, signal.SIG_IGN if again else handler)
        sys.unraisablehook = self._dropped_before

    def end(self) -> None:
        """From here on nothing is raised."""
        self._ended = True
        self._await(None)

    def oversee(self, seconds: float = LAST) -> None:
        """From here on end this process so long after a signal, though C code holds Python's lock.

        Nothing is done on Windows, which gives the numbers of signals to no other process.
        What a killed build leaves is not locked, and the next one removes it.
        """
        if not hasattr(os, "setsid"):
            return
        program = str(Path(__file__).with_name("overseer.py"))
        words = [sys.executable, "-I", "-S", program, str(os.getpid()), str(seconds)]
        self._overseer = Popen(words, stdin=PIPE, start_new_session=True)
        assert self._overseer.stdin is not None
        os.set_blocking(self._overseer.stdin.fileno(), False)
        signal.set_wakeup_fd(self._overseer.stdin.fileno(), warn_on_full_buffer=False)

    def take(self) -> bool:
        """Whether a signal has come that could not be followed yet; it is the caller's now."""
        awaited = self._awaited is not None
        self._await(None)
        return awaited

    def _come(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if number == signal.SIGTERM:
            self.terminated = True
            if now - self._last < ONCE:
                return
            self._last = now
        again = self._awaited == number
        self._await(number)
        if again or not ALARM or not _importing(frame):
            self._raise()

    def _come_again(self, _alarm: int, frame: FrameType | None) -> None:
        if self._since is None or self._awaited is None:
            return
        late = time.monotonic() - self._since > PATIENCE
        if late or not _importing(frame):
            self._raise()
        else:
            self._await(self._awaited)

    def _raise(self) -> None:
        if self._dropping:
            return  # the alarm comes again
        self._await(None)
        if not self._ended:
            raise KeyboardInterrupt

    def _dropped(self, what: UnraisableHookArgs) -> None:
        if what.exc_type is not KeyboardInterrupt:
            self._dropped_before(what)
            return
        self._dropping = True
        self._await(signal.SIGTERM if self.terminated else signal.SIGINT)
        self._dropping = False

    def _await(self, number: int | None) -> None:
        if number is None and self._awaited is None:
            return
        self._awaited = number
        if number is None:
            self._since = None
        elif self._since is None:
            self._since = time.monotonic()
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0.0 if number is None else AGAIN)


@contextmanager
def signals_first() -> Iterator[None]:
    """What fails while a signal waits to be followed raises KeyboardInterrupt instead.

    So does the end of a process, or of a pipe, that the same signal ended.
    """
    try:
        yield
    except Exception as error:
        if Stopping.now is not None and Stopping.now.take():
            raise KeyboardInterrupt from error
        raise


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTS:
            return True
        frame = frame.f_back
    return False
