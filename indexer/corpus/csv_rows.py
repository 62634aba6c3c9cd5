"""Reads CSV (UTF-8, one header row; comma, tab, semicolon or bar) with one of two sets of columns.

* args.me's own CSV (the preprocessed corpus): `id`, `conclusion`, `premises`, `context` and more;
  `premises`, `context` and `sentences` hold Python or JSON literals.
* The simple form: `id`, `conclusion`, `premise`, `stance`; one premise per row.

Names are case-insensitive. `Argument ID` and `doc_id` also mean `id`; the stances `in favor of` and
`against` mean PRO and CON (as in the shared tasks' tables). An empty conclusion or stance is None.
Every other column goes into the context, unless the cell is empty. The caller can map fields to
columns with other names. Without an id column, ids are made from row numbers.
"""

from __future__ import annotations

import ast
import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from argsearch.indexer.corpus import jsonlines
from argsearch.indexer.corpus.jsonlines import Record, lines
from argsearch.indexer.corpus.mending import mend_raw, mend_value
from argsearch.indexer.corpus.report import DocumentFault, ReadReport, StreamFault, shown
from argsearch.indexer.errors import InvalidParameter, either

DELIMITERS = ",\t;|"
MOST_COLUMNS = 1_000
"""Maximum number of columns in a CSV file."""
_ID_NAMES = {"argument id": "id", "doc_id": "id", "docid": "id"}
_SAID = {"in favor of": "PRO", "in favour of": "PRO", "against": "CON"}
_LITERALS = frozenset({"context", "sentences"})
CSV_COLUMNS = "id, conclusion, premise, stance or args.me's id, conclusion, premises, context"


MEANT = ("id", "conclusion", "premise", "stance", "premises", "context")
"""Fields that a column can hold."""
_KNOWN = frozenset(MEANT)


def check_columns(called: Mapping[str, str]) -> None:
    """Raise InvalidParameter for an unknown field or an empty column name."""
    for name, column in called.items():
        if name not in MEANT or not column.strip():
            allowed = f"NAME=COLUMN, where NAME is {either(MEANT)} and COLUMN is in the CSV"
            raise InvalidParameter("--column", f"{name}={column}", allowed)


def delimiter_of(header: str, called: Mapping[str, str]) -> str | None:
    """Return the character that splits a header row into known columns, or None."""
    for delimiter in DELIMITERS:
        try:
            cells = next(csv.reader([header], delimiter=delimiter), [])
        except csv.Error:  # a cell beyond the reader's limit: the file is no CSV
            continue
        names = _columns(cells, called)
        if ("id" in names or called) and ("premise" in names or "premises" in names):
            return delimiter
    return None


def _columns(names: Iterable[str], called: Mapping[str, str]) -> list[str]:
    """Return the field of each column, from `called` or else from the column's own name."""
    plain = [name.strip() for name in names]
    lowered = [name.lower() for name in plain]
    known = [_ID_NAMES.get(name, name) for name in lowered]
    own = [k if k in _KNOWN or k in _LITERALS else p for k, p in zip(known, plain, strict=True)]
    meant = {column.strip().lower(): name for name, column in called.items()}
    others = [f"column.{name}" if name in called else name for name in own]
    return [meant.get(low, name) for low, name in zip(lowered, others, strict=True)]


def records(
    blocks: Iterable[bytes], report: ReadReport, called: Mapping[str, str]
) -> Iterator[Record]:
    """Yield the last line number of each row, and its document in args.me's format (or a fault)."""
    # The limit applies to the whole process, so never lower it.
    csv.field_size_limit(max(csv.field_size_limit(), (1 << 31) - 1))
    text = _text(blocks, report)
    header = next(text, "")
    delimiter = delimiter_of(header, called)
    if delimiter is None:
        said = f"the header row must have the columns {CSV_COLUMNS}, not {shown(header.strip())}"
        raise StreamFault(f"{said}; for other names, give --column premise=COLUMN")
    columns = _columns(next(csv.reader([header], delimiter=delimiter)), called)
    if len(columns) > MOST_COLUMNS:
        raise StreamFault(f"the CSV has {len(columns):,} columns; the limit is {MOST_COLUMNS:,}")
    if twice := sorted(name for name, times in Counter(columns).items() if times > 1):
        raise StreamFault(f"the header row repeats {', '.join(twice)}; name each column once")
    taken = 0

    def bounded() -> Iterator[str]:
        """Yield the lines, but limit the number of characters per row."""
        nonlocal taken
        most = jsonlines.LONGEST_RECORD >> 20
        for line in text:
            taken += len(line)
            if taken > jsonlines.LONGEST_RECORD:
                raise StreamFault(
                    f"a row must have at most {most} Mi characters, but one has more (perhaps a "
                    "quote that is not closed)"
                )
            yield line

    rows = csv.reader(bounded(), delimiter=delimiter, strict=True)
    while True:
        taken = 0
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                raise StreamFault(
                    f"the CSV is cut off: line {rows.line_num + 1} ends inside a quoted cell; "
                    "copy or download the file again"
                ) from error
            fault = DocumentFault("row", f"it is not CSV ({error}); quote its cells as in RFC 4180")
            yield rows.line_num + 1, fault
            continue
        if row:
            yield rows.line_num + 1, _document(columns, row, report)


def _text(blocks: Iterable[bytes], report: ReadReport) -> Iterator[str]:
    for line in lines(blocks):
        # Searching for these bytes is far cheaper than mending each line.
        if b"\0" in line or b"\xed" in line:
            line, replaced = mend_raw(line)
            report.replaced_characters += replaced
        text = line.decode(errors="surrogateescape")
        yield text if text.endswith(("\r", "\n")) else text + "\n"


def _document(columns: list[str], row: list[str], report: ReadReport) -> Any:
    if len(row) != len(columns):
        return DocumentFault("row", f"it must have {len(columns)} cells, not {len(row)}")
    cells = dict(zip(columns, row, strict=True))
    try:
        "".join(row).encode()
    except UnicodeEncodeError as error:
        byte = ord(error.object[error.start]) - 0xDC00
        return DocumentFault("encoding", f"byte {byte:#04x} is not UTF-8; save the file as UTF-8")
    try:
        document: dict[str, Any] = {
            **({"id": cells["id"]} if "id" in cells else {}),
            "conclusion": cells.get("conclusion") or None,
        }
        document["premises"] = _premises(cells, report)
        context = _literal(cells, "context", report) if cells.get("context") else {}
        others = {
            k: _literal(cells, k, report) if k in _LITERALS else v
            for k, v in cells.items()
            if v and k not in _KNOWN
        }
    except DocumentFault as fault:
        return fault
    if "premises" in cells:
        others.update({name: cells[name] for name in ("premise", "stance") if cells.get(name)})
    return {**document, "context": context, **others}


def _premises(cells: dict[str, str], report: ReadReport) -> Any:
    if "premises" in cells:
        return _literal(cells, "premises", report)
    stance = cells.get("stance") or None
    return [{"text": cells["premise"], "stance": _SAID.get((stance or "").lower(), stance)}]


def _literal(cells: dict[str, str], name: str, report: ReadReport) -> Any:
    """Return the JSON or Python literal in a cell as a JSON value."""
    text = cells[name]
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        value, replaced = mend_value(ast.literal_eval(text))
        value = orjson.loads(orjson.dumps(value))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise DocumentFault(
            name, f"{name} must be JSON or Python data, not {shown(text)}"
        ) from error
    report.replaced_characters += replaced
    return value
