"""Detects a source's format by its first bytes, or by its name if these are ambiguous."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePath
from typing import NamedTuple

import orjson

from argsearch.indexer.corpus import argsme_json, csv_rows, jsonlines, kialo
from argsearch.indexer.corpus.jsonlines import Record
from argsearch.indexer.corpus.report import ReadReport, StreamFault, shown
from argsearch.indexer.corpus.streams import FORM_BYTES, Peeked
from argsearch.ranking import plugins

ALLOWED = (
    'it must be args.me JSON ({"arguments": [...]} or a list), JSON Lines (one document per line, '
    "in args.me, BEIR, Pyserini or TIRA format), CSV or Kialo's export (Discussion Title: ...), "
    "each plain or .gz, .xz, .zst, .zip"
)
_BOM = b"\xef\xbb\xbf"
_FIRST_KEY = re.compile(rb'\s*\{\s*"((?:[^"\\]|\\.)*)"')
_DOCUMENT_KEYS = frozenset(
    {b"id", b"conclusion", b"premises", b"context", b"_id", b"title", b"text", b"contents"}
    | {b"docno", b"doc_id", b"default_text", b"original_document"}
)
_WIDE = (b"\xff\xfe", b"\xfe\xff")


class CorpusForm(NamedTuple):
    """A format's name, the unit in which its record positions are counted, and its reader."""

    name: str
    place: str
    records: Callable[[Peeked, ReadReport], Iterator[Record]]


LINES = CorpusForm("JSON Lines", "line", jsonlines.records)


_PLUGGED = plugins.named("readers")
"""Readers in other packages, by file name extension."""


def form_of(source: str, blocks: Peeked, columns: Mapping[str, str]) -> CorpusForm:
    """Return the form of a decompressed source, and remove a byte-order mark.

    columns: maps fields to CSV columns with other names, such as premise: text.

    Raises StreamFault if the bytes match no known format.
    """
    if blocks.head.startswith(_BOM):
        blocks.head = blocks.head[len(_BOM) :]
    if blocks.head.startswith(_WIDE):
        raise StreamFault(f"the file is UTF-16 text; save it as UTF-8; {ALLOWED}")
    if reader := _PLUGGED.get(_suffix(source)[1:]):
        return CorpusForm(reader.name, "record", plugins.load(reader))
    if blocks.head.startswith(kialo.HEADS):
        return CorpusForm("Kialo", "line", kialo.records)
    first = blocks.head.lstrip()[:1]
    if first not in (b"[", b"{"):
        return _table(source, blocks.head, columns)
    if first == b"{" and _holds_lines(source, blocks.head):
        return LINES
    records = partial(argsme_json.records, bare=first == b"[")
    return CorpusForm("args.me JSON", "before byte", records)


def _holds_lines(source: str, head: bytes) -> bool:
    """Return whether the first object is a document and not the container of all documents."""
    line, *others = head.lstrip().splitlines()
    rest = b"".join(others)
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = None
    if value is not None and (
        value.keys() & {"arguments", "id", "premises", "_id", "docno"} or rest.strip()
    ):
        return "arguments" not in value or "id" in value
    key = _FIRST_KEY.match(head)
    if key and key[1] == b"arguments":
        return False
    if key and key[1] in _DOCUMENT_KEYS and (rest or len(head) >= FORM_BYTES):
        return True
    return _suffix(source) != ".json"


def _suffix(source: str) -> str:
    """Return the lower-case extension that names the form, ignoring compression."""
    suffixes = [s.lower() for s in PurePath(source).suffixes]
    named = [s for s in suffixes if s not in (".gz", ".xz", ".zst", ".zip")]
    return named[-1] if named else ""


def _table(source: str, head: bytes, columns: Mapping[str, str]) -> CorpusForm:
    line = head.splitlines()[0]
    named = _suffix(source) in (".csv", ".tsv")
    controls = sum(byte < 9 or 13 < byte < 32 for byte in head[:4096])
    try:
        text = line.decode()
    except UnicodeDecodeError:
        if controls or not named:
            raise StreamFault(_no_text(head)) from None
        raise StreamFault(f"the header row is not UTF-8: {shown(line)}; save it as UTF-8") from None
    if named or csv_rows.delimiter_of(text, columns):
        return CorpusForm("CSV", "line", partial(csv_rows.records, called=columns))
    if controls > len(head[:4096]) // 100:
        raise StreamFault(_no_text(head))
    if _suffix(source) in (".jsonl", ".ndjson") or source == "-":
        return LINES
    raise StreamFault(
        f"the file begins with {shown(text)}; {ALLOWED}; CSV needs the columns "
        f"{csv_rows.CSV_COLUMNS}"
    )


def _no_text(head: bytes) -> str:
    return f"the file begins with {shown(head[:16])}, which is not text; {ALLOWED}"
