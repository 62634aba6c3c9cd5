"""Differences between operating systems, and replacements for missing features.

Windows has no fork, no fcntl, no signal mask and no SIGHUP; macOS lacks some features of Linux.
Each feature is detected separately, so that a system that lacks one feature still uses the others.
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
    """Return a standard module that only some systems have, or None if this system lacks it."""
    with suppress(ImportError):
        return import_module(module)
    return None


def signals(*names: str) -> tuple[signal.Signals, ...]:
    """Return the named signals that this system has."""
    return tuple(signal.Signals[name] for name in names if hasattr(signal, name))


HANGUP = signals("SIGHUP")
"""A tuple with SIGHUP, or an empty tuple if the system has no SIGHUP."""
FORKS = hasattr(os, "fork") and sys.platform != "darwin"
"""True if workers are forked. On macOS, a forked process may crash in a system library."""
_fcntl = optional("fcntl")
MOVES_OPEN_FILES = _fcntl is not None
"""True if open files can be renamed and removed; Windows does not allow this."""


def cores() -> int:
    """Return the number of processor cores that this process may use, at least 1."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13 or later; honours PYTHON_CPU_COUNT
        return os.process_cpu_count() or 1
    return processors()


def processors() -> int:
    """Return the number of cores that the system gives this process, ignoring Python's settings."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def block(numbers: Iterable[int]) -> None:
    """Block signals in this thread and the threads it starts; Windows still delivers them."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)


def is_own(path: Path) -> bool:
    """Return whether this user owns a file; always true on Windows, which uses permissions."""
    return not hasattr(os, "geteuid") or path.lstat().st_uid == os.geteuid()


@dataclass(slots=True)
class FolderLock:
    """A lock on a folder; the system releases it when the process ends, even if it is killed.

    flock locks the folder itself and leaves no file behind. Without flock, the package filelock
    locks a file beside the folder, because Windows cannot rename a folder with an open file.
    """

    folder: Path
    held: Any = None
    """Descriptor of the folder, or lock on the file beside it."""

    def hold(self) -> bool:
        """Lock the folder; return whether it is still at its path. May be called again.

        Raises BlockingIOError if another process holds the lock, or another OSError.
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
        """Return whether this lock now locks `folder`; a lock moves along with its folder.

        A lock on a file beside the folder stays with the folder's name instead.
        """
        if not isinstance(self.held, int):
            return self.held is not None
        with suppress(OSError):
            return os.path.samestat(os.fstat(self.held), folder.lstat())
        return False

    def let_go(self) -> None:
        """Release the lock; a second call does nothing."""
        if self.held is not None:
            lock, self.held = self.held, None
            if isinstance(lock, int):
                os.close(lock)
            else:
                lock.release(force=True)
