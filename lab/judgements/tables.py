"""Helpers that read the files of published corpora, and their errors."""

from __future__ import annotations

import csv
import io
import lzma
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from argsearch.indexer.errors import ArgsearchError


class JudgementsError(ArgsearchError):
    """Judgements cannot be read."""

    def __init__(self, source: str | Path, what: str) -> None:
        super().__init__(f"the judgements {str(source)!r} {what}")


def table(
    source: Path,
    text: str,
    columns: Sequence[str],
    delimiter: str = ",",
    *,
    quoted: bool = True,
    ragged: bool = False,
) -> Iterator[list[str]]:
    """Yield the named columns of each row; with `ragged`, short rows are padded with "".

    With `quoted`, `csv.field_size_limit` limits the length of a cell; otherwise it is unlimited.
    Raises JudgementsError if a column is missing, a row is short, or the text is not CSV.
    """
    lines = io.StringIO(text, newline="")
    # In CSV mode, a lone quotation mark in a text would swallow the lines after it.
    split = (line.rstrip("\r\n").split(delimiter) for line in lines)
    reader = csv.reader(lines, delimiter=delimiter) if quoted else split
    try:
        header = next(reader, [])
        if missing := [name for name in columns if name not in header]:
            needed = ", ".join(columns)
            raise JudgementsError(source, f"have no column {missing[0]!r}; required: {needed}")
        places = [header.index(name) for name in columns]
        for number, row in enumerate(reader, 2):
            row += [""] * len(header) if ragged else []
            if len(row) <= max(places):
                what = f"need {len(header)} columns in each line, but line {number} has {len(row)}"
                raise JudgementsError(source, what)
            yield [row[place] for place in places]
    except csv.Error as error:
        raise JudgementsError(source, f"are not CSV ({error})") from error


def only(source: Path, pattern: str) -> Path:
    """Return a folder's only matching file; raise JudgementsError if there is not exactly one."""
    found = sorted(source.rglob(pattern)) if source.is_dir() else []
    if len(found) != 1:
        what = f"must be a folder with exactly one file matching {pattern}, not {len(found)}"
        raise JudgementsError(source, what)
    return found[0]


def file_or_only(source: Path, pattern: str) -> Path:
    """Return a file's own path, or that of the only match in a folder; raise JudgementsError."""
    if not source.exists():
        raise JudgementsError(source, "do not exist; give a file or its folder")
    return source if source.is_file() else only(source, pattern)


def decoded(path: Path) -> str:
    """Return the UTF-8 text of a plain or .xz file; raise JudgementsError if this fails."""
    try:
        content = path.read_bytes()
        if path.suffix == ".xz":
            content = lzma.decompress(content)
        return content.decode("utf-8-sig")
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise JudgementsError(path, f"cannot be read as UTF-8 CSV ({error})") from error


def files_of(source: Path, part: str, ending: str) -> Iterator[tuple[str, str]]:
    """Yield the stem and text of each file under `part` in a tar archive or folder.

    Files are sorted by name. Raises JudgementsError if there are no files or one is not UTF-8.
    """
    found = sorted(_members(source, part, ending))
    if not found:
        raise JudgementsError(source, f"have no *{part}*/*{ending}; give the archive or its folder")
    for name, content in found:
        try:
            yield Path(name).name.removesuffix(ending), content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise JudgementsError(source, f"have a file {name!r}, not UTF-8 ({error})") from error


def _members(source: Path, part: str, ending: str) -> Iterator[tuple[str, bytes]]:
    if source.is_dir():
        for path in source.rglob(f"*{ending}"):
            if part in path.parent.name:
                yield path.name, path.read_bytes()
        return
    try:
        with tarfile.open(source) as archive:
            for member in archive:
                path = Path(member.name)
                if member.isfile() and path.name.endswith(ending) and part in path.parent.name:
                    content = archive.extractfile(member)
                    # The content is only None for folders and devices, which isfile() excludes.
                    assert content is not None
                    yield path.name, content.read()
    except (OSError, EOFError, tarfile.TarError) as error:
        raise JudgementsError(source, f"cannot be read ({error})") from error


def number(source: Path, text: str) -> float:
    """Parse a score; raise JudgementsError if it is not a number."""
    try:
        return float(text)
    except ValueError:
        raise JudgementsError(source, f"must have numbers as scores, not {text!r}") from None


def words(name: str) -> str:
    """Convert the name of an issue or stance to words, with spaces for hyphens."""
    return " ".join(name.split("-")).strip()


def plain(text: str) -> str:
    """Return a text without the stray line breaks of the debate portal."""
    return " ".join(text.replace("<br/>", " ").split())


def evidence(text: str) -> str:
    """Return a piece of evidence from Wikipedia without its reference marks."""
    return plain(text.replace("[REF]", " "))
