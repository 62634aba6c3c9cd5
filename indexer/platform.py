"""What operating systems do differently, and what stands in where one lacks it.

Windows has no fork, no fcntl, no mask of signals and no SIGHUP; macOS lacks some of what Linux has.
Each is looked for by itself, so that a system that lacks one of them has the others.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any


def optional(module: str) -> Any:
    """Return a module of Python's that not every system has; None where this one has not."""
    with suppress(ImportError):
        return import_module(module)
    return None


def signals(*names: str) -> tuple[signal.Signals, ...]:
    """Return those of the named signals that this system has."""
    return tuple(signal.Signals[name] for name in names if hasattr(signal, name))


HANGUP = signals("SIGHUP")
"""Empty where there is none."""
FORKS = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether processes are forked. On macOS a forked one may end where it calls a system library."""
_fcntl = optional("fcntl")
MOVES_OPEN_FILES = _fcntl is not None
"""Whether files that are open may be renamed and removed, which Windows does not let."""


def cores() -> int:
    """Return how many processor cores this process may use, at least 1."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on, and PYTHON_CPU_COUNT changes it
        return os.process_cpu_count() or 1
    return processors()


def processors() -> int:
    """Return how many cores the system gives this process, whatever Python was told to use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def block(numbers: Iterable[int]) -> None:
    """Let signals to this thread, and to what it starts, wait; they come at once on Windows."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)


def is_running(process: int) -> bool:
    """Return whether a process of this machine runs, true where nobody can tell (Windows)."""
    if not hasattr(os, "killpg"):
        return True  # os.kill would end it there
    try:
        os.kill(process, 0)
    except OSError as error:  # any other: it is another user's
        return not isinstance(error, ProcessLookupError)
    return True


def is_own(path: Path) -> bool:
    """Return whether a file is this user's, true on Windows, where folders guard themselves."""
    return not hasattr(os, "geteuid") or path.lstat().st_uid == os.geteuid()


@dataclass(slots=True)
class FolderLock:
    """A lock of a folder; the system lets go of it when its process ends, however that ends.

    By flock the folder itself is locked, and nothing else is left of it. Without that the package
    filelock locks a file beside it: on Windows a folder in which a file is open has a fixed name.
    """

    folder: Path
    held: Any = None
    """The descriptor of the folder, or the lock of the file beside it."""

    def hold(self) -> bool:
        """Lock the folder; whether it is the one of that name. May be called again.

        Raises BlockingIOError where another holds it, FileNotFoundError, other OSErrors.
        """
        if _fcntl is None:
            return self._hold_beside()
        if self.held is None:
            self.held = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        _fcntl.flock(self.held, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(self.held), self.folder.lstat())

    def _hold_beside(self) -> bool:
        from filelock import FileLock, Timeout

        if not stat.S_ISDIR(self.folder.lstat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(self.folder))
        lock = self.held or FileLock(self.folder.with_name(f"{self.folder.name}.lock"))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from None
        self.held = lock
        return self.folder.is_dir()

    def holds(self, folder: Path) -> bool:
        """Whether it is held, and of what lies at `folder`: a lock goes along with its folder.

        That of a file beside it goes along with the name.
        """
        if not isinstance(self.held, int):
            return self.held is not None
        with suppress(OSError):
            return os.path.samestat(os.fstat(self.held), folder.lstat())
        return False

    def let_go(self) -> None:
        """Unlock; a second call does nothing."""
        if self.held is not None:
            lock, self.held = self.held, None
            if isinstance(lock, int):
                os.close(lock)
            else:
                lock.release(force=True)
