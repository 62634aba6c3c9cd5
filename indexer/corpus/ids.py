"""The ids of the documents that were read: in a set, or on disk where there may be any number."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path, PurePath

CACHE_KIB = 16_384
"""Memory of ids on disk."""
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
"""SQLite's errors of a disk that takes no more: the second of one that is full, or broken."""


def in_utf8(name: str) -> str:
    """The name of a file; a byte of it that is not UTF-8 is written as `\\xe9`."""
    return os.fsencode(name).decode(errors="backslashreplace")


def file_name(source: str) -> str:
    """The name of a source's file without white space, of which ids are made."""
    return "".join(in_utf8(PurePath(source).name).split())


class IdsOnDisk:
    """Ids in a file of their own, whose memory does not grow with them."""

    def __init__(self, path: Path) -> None:
        """path: of a file that is not there; who made its folder removes it."""
        # Another thread may collect, and so close, a reader that was given up.
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        # The file lives as long as this process: nothing has to survive a crash.
        for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{CACHE_KIB}"):
            self._database.execute(f"PRAGMA {pragma}")
        self._database.execute("CREATE TABLE ids (id TEXT PRIMARY KEY) WITHOUT ROWID")
        self._database.execute("BEGIN")

    def __contains__(self, id: object) -> bool:
        found = self._database.execute("SELECT 1 FROM ids WHERE id = ?", (id,))
        return found.fetchone() is not None

    def add(self, id: str) -> None:
        """Take an id that is not there; raises OSError where the disk takes no more."""
        try:
            self._database.execute("INSERT INTO ids VALUES (?)", (id,))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _FULL:
                raise
            raise OSError(errno.ENOSPC, str(error)) from error

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()


IdSet = set[str] | IdsOnDisk
"""Ids that were met."""
