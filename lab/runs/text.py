"""Text files of the field (topics, qrels, runs): opening, decoding, blocks of whole lines."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.output import writing

BLOCK = 1 << 23
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


@dataclass(frozen=True, slots=True)
class Table:
    """A block's columns; `numbers[i]` is the line number of row i."""

    numbers: Sequence[int]
    columns: Sequence[Sequence[str]]


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


def read_bytes(path: str | Path) -> bytes:
    """Return the whole unpacked file without a byte-order mark."""
    with open_bytes(path) as stream:
        content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise RunFormatError(path, None, f"unpacked it has over {LARGEST >> 20} MiB")
        return content.removeprefix(BYTE_ORDER_MARK)


def decode(raw: bytes, path: str | Path, first: int) -> str:
    """Decode UTF-8; a RunFormatError names the line of the first bad byte."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first + raw.count(b"\n", 0, error.start)
        problem = f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise RunFormatError(path, line, problem) from error


def blocks(path: str | Path, remarks: Remarks) -> Iterator[tuple[int, str]]:
    """Yield the file in blocks of some megabytes, so that a huge one is never held as text.

    A block is the number of its first line and whole lines without the last line end.
    """
    first, rest = 1, b""
    with open_bytes(path) as stream:
        while chunk := stream.read(BLOCK):
            head, newline, tail = (rest + chunk).rpartition(b"\n")
            rest = tail
            if len(rest) > LONGEST_LINE:
                line = first + head.count(b"\n") + bool(newline)
                raise RunFormatError(path, line, f"a line of over {LONGEST_LINE >> 20} MiB")
            if newline:
                text = _text(head + newline, path, first, remarks)
                yield first, text
                first += text.count("\n") + 1
        if rest:
            yield first, _text(rest, path, first, remarks)


def _text(raw: bytes, path: str | Path, first: int, remarks: Remarks) -> str:
    if first == 1 and raw.startswith(BYTE_ORDER_MARK):
        remarks.add("byte-order mark, skipped", 1)
        raw = raw.removeprefix(BYTE_ORDER_MARK)
    if b"\r" in raw:
        ends = raw.count(b"\r\n")
        remarks.add("lines with Windows line ends (CRLF), read as LF", first, ends)
        raw = raw.replace(b"\r\n", b"\n")
    if b"\0" in raw:
        line = first + raw.count(b"\n", 0, raw.index(b"\0"))
        raise RunFormatError(path, line, "holds a NUL byte; this is not a text file")
    return decode(raw.removesuffix(b"\n"), path, first)


def tables(path: str | Path, form: str, remarks: Remarks) -> Iterator[Table]:
    """Yield the columns of a file whose lines are `form`, such as `qid Q0 docid rank score tag`.

    Blank lines and lines before the first row that start with `#` (ir_metadata's own header in a
    run file) are skipped; any other number of columns is a RunFormatError.
    """
    width, begun = len(form.split()), False
    for first, text in blocks(path, remarks):
        table = _regular(first, text, width) or _irregular(first, text, path, form, begun, remarks)
        if table.numbers:
            begun = True
            yield table


def _regular(first: int, text: str, width: int) -> Table | None:
    """Split a whole block at once; None unless its constant second column proves every row."""
    words = text.split()
    lines = text.count("\n") + 1
    seconds = set(words[1::width])
    if len(words) != lines * width or len(seconds) != 1 or seconds.pop() not in ("Q0", "q0", "0"):
        return None
    return Table(range(first, first + lines), [words[i::width] for i in range(width)])


def _irregular(
    first: int, text: str, path: str | Path, form: str, begun: bool, remarks: Remarks
) -> Table:
    numbers, rows = [], []
    for number, line in enumerate(text.split("\n"), first):
        row = line.split()
        if not row:
            remarks.add("blank lines, skipped", number)
        elif not begun and row[0].startswith("#"):
            remarks.add("comment lines before the first row, skipped", number)
        else:
            begun = True
            if len(row) != len(form.split()):
                problem = f"{len(row)} columns, {len(form.split())} are needed: {form}"
                raise RunFormatError(path, number, problem + _LOOKS_LIKE.get(len(row), ""))
            numbers.append(number)
            rows.append(row)
    return Table(numbers, list(zip(*rows, strict=True)))


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
