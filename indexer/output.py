"""Output files that a user names on the command line, and CSV."""

from __future__ import annotations

import csv
import io
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

_STREAM = re.compile(r"/dev/(?P<name>stdin|stdout|stderr)|/(dev|proc/self)/fd/(?P<number>\d{1,9})")
_STREAM_NAMES = ("stdin", "stdout", "stderr")
MOST_SYMLINKS = 40
"""Maximum number of links to follow in a chain, as in Linux."""
_FORMULA = re.compile(
    r"[\t\r\n]|[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*[=+@＝＋－＠﹢﹣﹦﹫-]"
)
"""Start of a cell that a spreadsheet would evaluate, after any invisible characters."""
_DECIMAL = re.compile(r"[+-]\d+\.\d+")


def write_csv(stream: TextIO, rows: Iterable[Iterable[object]], line_end: str = "\n") -> None:
    """Write rows as CSV, with an apostrophe before each text that begins like a formula.

    Other people wrote the texts, so no spreadsheet may evaluate them. Numbers stay as they are.
    """
    line = io.StringIO(newline="")
    # With another line end than its own, csv would not quote a cell with a carriage return.
    writer = csv.writer(line)
    for row in rows:
        writer.writerow([_harmless(cell) for cell in row])
        stream.write(line.getvalue().removesuffix("\r\n") + line_end)
        line.seek(0)
        line.truncate()


def as_it_was(cell: str) -> str:
    """Return a cell without the apostrophe that `write_csv` adds, to match ids from its tables."""
    return cell[1:] if cell[:1] == "'" and _FORMULA.match(cell.lstrip("'")) else cell


def _harmless(cell: object) -> object:
    # A cell that has apostrophes before a formula gets one more, so that `as_it_was` is exact.
    if not isinstance(cell, str) or _DECIMAL.fullmatch(cell):
        return cell
    return f"'{cell}" if _FORMULA.match(cell.lstrip("'")) else cell


@contextmanager
def writing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for writing; a regular file is replaced only after everything is written.

    Links are followed and kept. Pipes and devices are written to directly. Raises OSError.
    """
    named = Path(path)
    if (number := _open_stream(named)) is not None:
        # A duplicate keeps the position in the file; opening /dev/stdout would start at the
        # beginning again.
        with os.fdopen(os.dup(number), "wb") as stream:
            yield stream
        return
    if is_written_in_place(named):
        with named.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(named))
    # The temporary file is in the same folder, so that it can be renamed in one step.
    aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.{os.getpid()}.partial")
    try:
        with aside.open("xb") as stream:
            if target.is_file():
                # The new file has the permissions of the old file.
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
    """Return whether a path names the file that standard output is redirected to."""
    try:
        return os.path.samestat(path.stat(), os.fstat(1))
    except OSError:
        return False


def _open_stream(path: Path) -> int | None:
    """Return the descriptor of the open file that a path such as /dev/stdout names, or None.

    Links are followed one by one, because /dev/stdout is itself a link to the redirected file.
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
