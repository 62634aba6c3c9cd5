"""Folders for the time of one process; what a killed one left is removed by the next."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


def remove(folder: Path) -> None:
    """Remove what can be; unlike shutil.rmtree it never turns Ctrl-C into another error."""
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        folder.rmdir()


@contextmanager
def scratch_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A folder `prefix…` in `parent` (the system's temporary folder), removed on leaving.

    It is locked while this process or one forked from it lives. Folders of that prefix that are
    this user's and that nobody locks were left by a process that was killed: they are removed
    first. Raises OSError where no folder can be made.
    """
    parent = parent or Path(tempfile.gettempdir())
    for left in parent.glob(f"{prefix}*"):
        if re.fullmatch(rf"{re.escape(prefix)}[0-9a-f]{{16}}", left.name):
            _remove_if_left(left)
    while True:
        scratch = _Scratch(parent / f"{prefix}{secrets.token_hex(8)}")
        try:
            scratch.folder.mkdir(mode=0o700)
            if scratch.take():
                yield scratch.folder
                return
        finally:
            try:
                scratch.leave()
            finally:
                scratch.leave()  # Ctrl-C may have come in the middle of the first


@dataclass(slots=True)
class _Scratch:
    """A folder and the descriptor that holds its lock."""

    folder: Path
    lock: int | None = None

    def take(self) -> bool:
        """Lock the new folder; false where another process thought that it was left."""
        try:
            return self.hold()
        except (BlockingIOError, FileNotFoundError):
            return False
        except OSError:
            return True  # a file system without locks, where nobody removes what is left

    def hold(self) -> bool:
        """Lock the folder; whether it is the one of that name. Raises OSError."""
        self.lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(self.lock), self.folder.lstat())

    def leave(self) -> None:
        """Remove the folder and let go."""
        remove(self.folder)
        self.let_go()

    def let_go(self) -> None:
        """Unlock."""
        if self.lock is not None:
            lock, self.lock = self.lock, None
            os.close(lock)


def _remove_if_left(folder: Path) -> None:
    found = _Scratch(folder)
    with suppress(OSError):
        if found.hold() and folder.lstat().st_uid == os.geteuid():
            remove(folder)
    found.let_go()
