"""Finds files in our folders that others wrote, because these must never be replaced or removed."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path, PurePosixPath

MOST_ENTRIES = 3
"""Maximum number of entries that an error message lists."""


def foreign_entries(folder: Path, own: Collection[str]) -> list[str]:
    """Return all entries of a folder except our own, sorted; names of folders end with `/`.

    Links count as foreign and are not followed. A subfolder is foreign if it contains none of our
    files. Raises OSError if a folder cannot be read.

    Args:
        folder: the folder to search.
        own: paths of our files (or folders), relative to the folder, with `/`.
    """
    own_folders = {str(parent) for name in own for parent in PurePosixPath(name).parents} | set(own)
    found = []
    for place, folders, files in os.walk(folder, onerror=_fail):
        here = Path(place).relative_to(folder)
        for name in files:
            path = here / name
            if path.as_posix() not in own or (folder / path).is_symlink():
                found.append(path.as_posix())
        for name in list(folders):
            path = here / name
            if path.as_posix() not in own_folders or (folder / path).is_symlink():
                folders.remove(name)
                found.append(f"{path.as_posix()}/")
    return sorted(found)


def _fail(error: OSError) -> None:
    raise error


def listed(entries: list[str]) -> str:
    """Return the first few entries, and how many more there are, for an error message."""
    more = f" and {len(entries) - MOST_ENTRIES} more" if len(entries) > MOST_ENTRIES else ""
    return ", ".join(map(repr, entries[:MOST_ENTRIES])) + more


def remove_files(folder: Path, own: Collection[str], last: str) -> None:
    """Remove our files from a folder, then its subfolders and the folder itself if empty.

    last: the file that lists the others. It is removed last, so that a later command can finish an
    interrupted removal. Raises OSError if a file cannot be removed.
    """
    for name in sorted(own, key=lambda name: name == last):
        (folder / name).unlink(missing_ok=True)
    inner = {parent for name in own for parent in PurePosixPath(name).parents}
    for parent in sorted({PurePosixPath(), *inner}, key=lambda path: -len(path.parts)):
        # A folder that contains anything else stays.
        with suppress(OSError):
            (folder / parent).rmdir()
