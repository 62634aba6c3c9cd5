"""Files that a user names as a command's output."""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_STREAM = re.compile(r"/dev/(?P<name>stdin|stdout|stderr)|/(dev|proc/self)/fd/(?P<number>\d{1,9})")
_STREAM_NAMES = ("stdin", "stdout", "stderr")
MOST_SYMLINKS = 40
"""Links that lead from one to the next, as Linux follows them."""


@contextmanager
def writing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for writing; a regular file is there afterwards as a whole or as it was before.

    A link is followed and stays. A pipe or a device is written to as it is. Raises OSError.
    """
    named = Path(path)
    if (number := _open_stream(named)) is not None:
        # A duplicate shares its place in the file; opening /dev/stdout would begin at the start
        # again.
        with os.fdopen(os.dup(number), "wb") as stream:
            yield stream
        return
    if is_written_in_place(named):
        with named.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(named))
    # In the same folder, from where it can be renamed in one step.
    aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.{os.getpid()}.partial")
    try:
        with aside.open("xb") as stream:
            if target.is_file():
                # The new file can be read by whoever could read the old one.
                aside.chmod(stat.S_IMODE(target.stat().st_mode))
            yield stream
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def is_written_in_place(path: Path) -> bool:
    """Return whether a path names a pipe, a device or an open stream, which no file can replace."""
    if _open_stream(path) is not None:
        return True
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def is_standard_output(path: Path) -> bool:
    """Return whether a path names what the standard output goes to."""
    try:
        return os.path.samestat(path.stat(), os.fstat(1))
    except OSError:
        return False


def _open_stream(path: Path) -> int | None:
    """Return the number of the open file that a path such as /dev/stdout names, or None.

    Follow links one by one: /dev/stdout is itself a link, in the end to what it was redirected to.
    """
    place = Path.cwd() / path
    for _ in range(MOST_SYMLINKS):
        place = Path(os.path.normpath(place))
        if found := _STREAM.fullmatch(f"/{str(place).lstrip('/')}"):
            return _STREAM_NAMES.index(found["name"]) if found["name"] else int(found["number"])
        if not place.is_symlink():
            return None
        place = place.parent / place.readlink()
    return None
