"""Text files of the field (topics, qrels, runs): opening, decoding, rows of words."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.output import writing

LONGEST_LINE = 1 << 20
"""Bytes of a line of judgements or of a run, at most."""
LARGEST = 1 << 26
"""Bytes of a file of topics, unpacked, at most."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LOOKS_LIKE = {
    4: " (this looks like a file of judgements)",
    6: " (this looks like a run file; judgements come first, then runs)",
}
"""What is said of a line with another number of columns, by that number."""


class RunFormatError(ArgsearchError):
    """A topics, qrels or run file that cannot be used; names the file, the line and the remedy."""

    def __init__(self, path: str | Path, line: int | None, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}" if line is not None else f"{path}: {problem}")
        self.line = line


@dataclass(slots=True)
class Remarks:
    """What a reader accepted although it is not as it should be: counted, with the first line."""

    path: str
    met: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Each remark's first line and count."""

    def add(self, remark: str, line: int, count: int = 1) -> None:
        """Count `remark` (a plural noun phrase); `line` is where it was met first."""
        if count:
            first, before = self.met.get(remark, (line, 0))
            self.met[remark] = first, before + count

    def lines(self) -> list[str]:
        """One sentence for each kind of remark, in the order they were met."""
        return [f"{self.path}:{line}: {n:,} {said}" for said, (line, n) in self.met.items()]


@contextlib.contextmanager
def open_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file, unpacking `.gz`, `.xz` and `.bz2` by name; a damaged one is a RunFormatError."""
    opened: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
    try:
        with opened.get(Path(path).suffix.lower(), open)(path, "rb") as stream:
            yield cast(BinaryIO, stream)
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise RunFormatError(path, None, f"damaged compressed file ({error})") from error
    except OSError as error:
        problems = {
            FileNotFoundError: "no such file",
            IsADirectoryError: "is a folder, a file is needed",
        }
        problem = problems.get(type(error), f"cannot be read ({error.strerror or error})")
        raise RunFormatError(path, None, problem) from error


def read_text(path: str | Path) -> str:
    """Return the text of a file, unpacked and without a mark; raises RunFormatError."""
    with open_bytes(path) as stream:
        # One byte more than allowed tells a file that is too large, and unpacks no more of it.
        content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise RunFormatError(path, None, f"unpacked it has over {LARGEST >> 20} MiB")
        return _decoded(content.removeprefix(BYTE_ORDER_MARK), path, 1)


def _decoded(raw: bytes, path: str | Path, first: int) -> str:
    """Decode UTF-8; a RunFormatError names the line of the first bad byte."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first + raw.count(b"\n", 0, error.start)
        problem = f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise RunFormatError(path, line, problem) from error


def rows(path: str | Path, form: str, remarks: Remarks) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the words of each line; `form` is such as `qid Q0 docid rank score tag`.

    Blank lines and lines before the first row that start with `#` (ir_metadata's own header in a
    run file) are skipped; any other number of columns is a RunFormatError.
    """
    width, begun, number = len(form.split()), False, 0
    with open_bytes(path) as stream:
        # Not `for line in stream`: a packed file of a few kilobytes can hold a line of gigabytes.
        while raw := stream.readline(LONGEST_LINE + 1):
            number += 1
            if len(raw) > LONGEST_LINE:
                raise RunFormatError(path, number, f"a line of over {LONGEST_LINE >> 20} MiB")
            if number == 1 and raw.startswith(BYTE_ORDER_MARK):
                remarks.add("byte-order mark, skipped", number)
                raw = raw.removeprefix(BYTE_ORDER_MARK)
            if raw.endswith(b"\r\n"):
                remarks.add("lines with Windows line ends (CRLF), read as LF", number)
            # UTF-16 without its mark passes for UTF-8 that has a NUL beside each letter.
            if b"\0" in raw:
                raise RunFormatError(path, number, "holds a NUL byte; this is not a text file")
            row = _decoded(raw, path, number).split()
            if len(row) == width and (begun or not row[0].startswith("#")):
                begun = True
                yield number, row
            elif not row:
                remarks.add("blank lines, skipped", number)
            elif not begun and row[0].startswith("#"):
                remarks.add("comment lines before the first row, skipped", number)
            else:
                problem = f"{len(row)} columns, {width} are needed: {form}"
                raise RunFormatError(path, number, problem + _LOOKS_LIKE.get(len(row), ""))


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for `argsearch.indexer.output.writing`.

    A name that ends in `.gz` is compressed, with no time stamp: equal content, equal bytes.
    """
    try:
        with writing(path) as raw:
            if Path(path).suffix.lower() == ".gz":
                with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield raw
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise RunFormatError(path, None, problem) from error
