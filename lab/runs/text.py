"""Open and decode text files of topics, qrels, and runs, and split them into rows."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.output import writing

LONGEST_LINE = 1 << 20
"""Maximum number of bytes per line of judgements or of a run."""
LARGEST = 1 << 26
"""Maximum number of bytes of a topics file, uncompressed."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FIELD = re.compile(r"[^ \t\n\v\f\r]+")
_LOOKS_LIKE = {
    4: " (this looks like a file of judgements)",
    6: " (this looks like a run file; judgements come first, then runs)",
}
"""Hints for files with the wrong number of columns, keyed by that number."""


class RunFormatError(ArgsearchError):
    """Unusable topics, qrels or run file. The message gives the file, the line, and the remedy."""

    def __init__(self, path: str | Path, line: int | None, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}" if line is not None else f"{path}: {problem}")
        self.line = line


@dataclass(slots=True)
class Remarks:
    """Deviations that the reader of a file accepted, each with its count and first line."""

    path: str
    met: dict[str, tuple[int, int]] = field(default_factory=dict)
    """First line and count of each remark."""

    def add(self, remark: str, line: int, count: int = 1) -> None:
        """Add `count` to a remark (a plural noun phrase). line: where it first occurred."""
        if count:
            first, before = self.met.get(remark, (line, 0))
            self.met[remark] = first, before + count

    def lines(self) -> list[str]:
        """Return one sentence per remark, in order of first occurrence."""
        return [f"{self.path}:{line}: {n:,} {said}" for said, (line, n) in self.met.items()]


@contextlib.contextmanager
def open_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file, and uncompress `.gz`, `.xz`, and `.bz2`. Raises RunFormatError on failure."""
    opened: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
    try:
        with opened.get(Path(path).suffix.lower(), open)(path, "rb") as stream:
            yield cast(BinaryIO, stream)
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise RunFormatError(path, None, f"the compressed file is damaged ({error})") from error
    except OSError as error:
        problems = {
            FileNotFoundError: "there is no such file",
            IsADirectoryError: "this is a folder, but must be a file",
        }
        problem = problems.get(type(error), f"the file cannot be read ({error.strerror or error})")
        raise RunFormatError(path, None, problem) from error


def read_bytes(path: str | Path) -> bytes:
    """Return the unpacked bytes of a file of topics or tables. Raises RunFormatError."""
    with open_bytes(path) as stream:
        # One byte above the limit reveals a file that is too large, without uncompressing the rest.
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise RunFormatError(path, None, f"it has more than {LARGEST >> 20} MiB unpacked")
    return content


def read_text(path: str | Path) -> str:
    """Return the uncompressed text without a byte-order mark. Raises RunFormatError on failure."""
    return decoded(read_bytes(path), path)


def has_lone_surrogate(text: str) -> bool:
    """Return True if a text has a lone surrogate, which JSON can escape but UTF-8 cannot encode."""
    return text != text.encode(errors="ignore").decode()


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield the number and text of each line. Only `\n`, `\r\n` and `\r` end a line.

    `str.splitlines` would also split at form feeds, U+0085 and U+2028. Texts may contain these.
    """
    return enumerate(io.StringIO(text, newline=None), 1)


def decoded(raw: bytes, path: str | Path, first: int = 1) -> str:
    """Decode UTF-8, or raise a RunFormatError that names the line of the first invalid byte."""
    try:
        return raw.removeprefix(BYTE_ORDER_MARK).decode()
    except UnicodeDecodeError as error:
        raw = error.object
        line = first + len((raw[: error.start] + b".").splitlines()) - 1
        problem = f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise RunFormatError(path, line, problem) from error


def rows(path: str | Path, form: str, remarks: Remarks) -> Iterator[tuple[int, list[str]]]:
    """Yield each line's number and words. form: the columns, as in `qid Q0 docid rank score tag`.

    Blank lines are skipped. Lines before the first row that begin with `#`, such as the header of
    ir_metadata, are skipped too. Raises RunFormatError if the number of columns is wrong.
    """
    width, begun, number = len(form.split()), False, 0
    with (
        open_bytes(path) as stream,
        io.TextIOWrapper(stream, "utf-8", "surrogateescape", newline="") as text,
    ):
        # Not `for line in stream`: a small compressed file can hold a line of gigabytes.
        while line := text.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise RunFormatError(path, number, f"it has more than {LONGEST_LINE:,} characters")
            if number == 1 and line.startswith("\ufeff"):
                remarks.add("byte-order mark, skipped", number)
                line = line[1:]
            if line.endswith("\r\n"):
                remarks.add("lines with Windows line endings (CRLF), read as LF", number)
            # UTF-16 without a byte-order mark decodes as UTF-8 with a NUL next to each letter.
            if "\0" in line:
                raise RunFormatError(path, number, "not a text file: it contains a NUL byte")
            if line.isascii():
                row = line.split()
            else:
                decoded(line.encode("utf-8", "surrogateescape"), path, number)
                # As in trec_eval, other white space, such as U+00A0, is part of a word.
                row = _FIELD.findall(line)
            if len(row) == width and (begun or not row[0].startswith("#")):
                begun = True
                yield number, row
            elif not row:
                remarks.add("blank lines, skipped", number)
            elif not begun and row[0].startswith("#"):
                remarks.add("comment lines before the first row, skipped", number)
            else:
                problem = f"it must have {width} columns ({form}), not {len(row)}"
                raise RunFormatError(path, number, problem + _LOOKS_LIKE.get(len(row), ""))


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for writing with `argsearch.indexer.output.writing`.

    `.gz` files are compressed without a time stamp, so that equal content gives equal bytes.
    """
    try:
        with writing(path) as raw:
            if Path(path).suffix.lower() == ".gz":
                with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield raw
    except OSError as error:
        problem = f"the file cannot be written ({error.strerror or error})"
        raise RunFormatError(path, None, problem) from error
