"""Folders that may hold other people's files beside ours; those are never replaced or removed."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path, PurePosixPath

MOST_ENTRIES = 3
"""Number of entries that a message names."""


def foreign_entries(folder: Path, own: Collection[str]) -> list[str]:
    """Return everything in a folder except the given files, sorted; folder names end with `/`.

    Links count as foreign and are not followed. A folder is foreign if it contains none of the
    given files. Raises OSError if a folder cannot be read.

    Args:
        folder: the folder to look at.
        own: paths of the files (or folders), relative to the folder, with `/`.
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
    """Return the first few entries and the number of remaining ones, for a message."""
    more = f" and {len(entries) - MOST_ENTRIES} more" if len(entries) > MOST_ENTRIES else ""
    return ", ".join(map(repr, entries[:MOST_ENTRIES])) + more


def remove_files(folder: Path, own: Collection[str], last: str) -> None:
    """Remove the given files of a folder, then the folder and its subfolders if they are empty.

    last: the file that lists the others. It is removed last, so that a later command can finish an
    interrupted removal. Raises OSError if a file cannot be removed.
    """
    for name in sorted(own, key=lambda name: name == last):
        (folder / name).unlink(missing_ok=True)
    inner = {parent for name in own for parent in PurePosixPath(name).parents}
    for parent in sorted({PurePosixPath(), *inner}, key=lambda path: -len(path.parts)):
        # A folder that holds anything else stays.
        with suppress(OSError):
            (folder / parent).rmdir()
