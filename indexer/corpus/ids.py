"""Ids of the documents that were read: in a set, or on disk if there may be very many."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path, PurePath

CACHE_KIB = 16_384
"""Memory that ids on disk may use, in KiB."""
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
"""SQLite error codes for a full disk, and for a disk that is either full or failing."""


def in_utf8(name: str) -> str:
    """Return the name of a file, with a byte that is not UTF-8 written as `\\xe9`."""
    return os.fsencode(name).decode(errors="backslashreplace")


def file_name(source: str) -> str:
    """Return a source's file name without white space, to make ids from it."""
    return "".join(in_utf8(PurePath(source).name).split())


class IdsOnDisk:
    """Ids in a temporary database file; memory use does not grow with the number of ids."""

    def __init__(self, path: Path) -> None:
        """Create the file `path`, which must not exist; the owner of its folder removes it."""
        # Another thread may collect an abandoned reader, and so close it.
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        # The file lives only as long as this process, so nothing has to survive a crash.
        for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{CACHE_KIB}"):
            self._database.execute(f"PRAGMA {pragma}")
        self._database.execute("CREATE TABLE ids (id TEXT PRIMARY KEY) WITHOUT ROWID")
        self._database.execute("BEGIN")

    def __contains__(self, id: object) -> bool:
        found = self._database.execute("SELECT 1 FROM ids WHERE id = ?", (id,))
        return found.fetchone() is not None

    def add(self, id: str) -> None:
        """Add a new id; raise OSError if the disk is full or failing."""
        try:
            self._database.execute("INSERT INTO ids VALUES (?)", (id,))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _FULL:
                raise
            raise OSError(errno.ENOSPC, str(error)) from error

    def close(self) -> None:
        """Close the file."""
        self._database.close()


IdSet = set[str] | IdsOnDisk
"""Ids of the documents seen so far."""
