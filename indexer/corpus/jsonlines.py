"""JSON Lines: one document per line (UTF-8; blank lines are skipped).

A document has args.me's format or one of three others:

* BEIR's `{"_id": …, "title": …, "text": …}`: the title is the conclusion, the text the premise;
* Pyserini's `{"id": …, "contents": …}`: the contents are the premise, and there is no conclusion;
* TIRA's `{"docno": …, "text": …, "original_document": {…}}`: the original is read if it has
  premises or a text (with its title as the conclusion), else the text is the premise.

In these forms the stance is unknown unless it is given, and other keys go into the context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from argsearch.indexer.corpus.mending import mend_json
from argsearch.indexer.corpus.report import DocumentFault, ReadReport, StreamFault, shown

LONGEST_RECORD = 1 << 28
"""Maximum length of a line, in bytes. A longer line is no document and would exhaust the memory."""

Record = tuple[int, Any]
"""Position in the source (in the unit of its format), and the parsed value or the fault."""


def lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield a stream's lines, which end in `\n`, `\r\n` or `\r`; only a lone `\n` is removed."""
    for line in _parts(blocks):
        if b"\r" in line:
            yield from (line + b"\n").splitlines(keepends=True)
        else:
            yield line


def _parts(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the parts of a stream between line feeds."""
    held: list[bytes] = []
    size = 0
    for block in blocks:
        *whole, last = block.split(b"\n")
        if whole:
            yield b"".join((*held, whole[0]))
            yield from whole[1:]
            held, size = [], 0
        held.append(last)
        size += len(last)
        if size > LONGEST_RECORD:
            raise StreamFault(
                f"each line must be one document of at most {LONGEST_RECORD >> 20} MiB, but one "
                "line is longer"
            )
    if size:
        yield b"".join(held)


def mended_value(text: bytes, report: ReadReport) -> Any:
    """Return the JSON value of an invalid text after mending it, or a DocumentFault."""
    mended, replaced = mend_json(text)
    try:
        value = orjson.loads(mended)
    except orjson.JSONDecodeError as error:
        return _fault(text, error)
    report.replaced_characters += replaced
    return value


def _fault(text: bytes, error: orjson.JSONDecodeError) -> DocumentFault:
    try:
        text.decode()
    except UnicodeDecodeError as undecodable:
        return DocumentFault(
            "encoding",
            f"byte {undecodable.start + 1} of the line is {text[undecodable.start]:#04x}, "
            "which is not UTF-8; save the file as UTF-8",
        )
    if error.pos >= len(text.decode().rstrip()):
        found = f"it ends inside a JSON object: {shown(text[-40:].decode(errors='replace'))}"
    else:
        found = f"it is invalid JSON at column {error.colno} ({error.msg}): {shown(text.decode())}"
    return DocumentFault("json", f"{found}; each line must be one document (a JSON object)")


def records(blocks: Iterable[bytes], report: ReadReport) -> Iterator[Record]:
    """Yield the number and the value (or fault) of each line that is not blank."""
    loads = orjson.loads
    for number, line in enumerate(lines(blocks), 1):
        try:
            # Most lines are valid JSON; only mend and parse lines again that orjson rejects.
            value = loads(line)
            yield number, value if type(value) is dict and "premises" in value else shaped(value)
        except orjson.JSONDecodeError:
            if line and not line.isspace():
                yield number, shaped(mended_value(line, report))


def shaped(value: Any) -> Any:
    """Convert a document in BEIR's, Pyserini's or TIRA's form to args.me's; return others as is."""
    if type(value) is not dict or "premises" in value:
        return value
    if "_id" in value and "text" in value:
        id_, text, conclusion = value["_id"], value["text"], value.get("title") or None
        known = {"_id", "text", "title", "metadata"}
    elif "id" in value and "contents" in value:
        id_, text, conclusion = value["id"], value["contents"], None
        known = {"id", "contents"}
    elif value.keys() & {"docno", "doc_id"} and value.keys() & {"text", "default_text"}:
        return _of_tira(dict(value))
    else:
        return value
    more = value.get("metadata") if "metadata" in known else None
    document = {
        "id": id_,
        "conclusion": conclusion,
        "premises": [{"text": text, "stance": None}],
        "context": dict(more) if type(more) is dict else {},
    }
    others = {key: kept for key, kept in value.items() if key not in known}
    return {**document, **{f"document.{k}" if k in document else k: v for k, v in others.items()}}


def _of_tira(value: dict[str, Any]) -> dict[str, Any]:
    doc_id, text = value.pop("doc_id", None), value.pop("default_text", None)
    id_, text = value.pop("docno", doc_id), value.pop("text", text)
    original = value.pop("original_document", None)
    # In files for re-ranking it is a list with one document.
    if type(original) is list and original:
        original = original[0]
    published = original if type(original) is dict else {}
    fields = {"text": text, **value, **published, "doc_id": id_}
    if type(premises := fields.pop("premises", None)) is not list:
        return of_fields(fields)
    # In JSON, ir_datasets' named tuples are lists, and a missing conclusion is the text "None".
    names = ("text", "stance", "annotations")
    made = [dict(zip(names, one, strict=False)) if type(one) is list else one for one in premises]
    if fields.get("conclusion") == "None":
        del fields["conclusion"]
    others = {k: v for k, v in fields.items() if k not in ("doc_id", "text", "premises_texts")}
    return {**others, "id": id_, "premises": made}


def of_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Convert a document with doc_id, text and perhaps title and stance to args.me's form."""
    id_, text = fields.pop("doc_id"), fields.pop("text")
    title, stance = fields.pop("title", None), fields.pop("stance", None)
    return {
        "id": id_,
        "conclusion": title or None,
        "premises": [{"text": text, "stance": stance or None}],
        "context": {name: value for name, value in fields.items() if value},
    }
