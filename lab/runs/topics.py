"""Read topics from Touché XML, TSV, JSON Lines (as in ir_datasets and TIRA), or `irds:NAME`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argsearch.indexer.errors import MissingExtra
from argsearch.lab.runs.text import (
    BYTE_ORDER_MARK,
    LARGEST,
    RunFormatError,
    decoded,
    has_lone_surrogate,
    lines_of,
    read_bytes,
)

_ID_KEYS = ("query_id", "qid", "id", "number", "_id")
_TITLE_KEYS = ("title", "query", "text")
_XML = (b"<", b"\0<", b"\xff\xfe<\0", b"\xfe\xff\0<")
_TOPIC = re.compile(rb"<(?:[\w.-]+:)?topic(?![\w.:-])")

Record = tuple[int | None, Mapping[str, str]]
"""Line number of a topic (if known), and the topic's texts by field name."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic, with the field names of ir_datasets' ToucheQuery. Missing texts are empty."""

    query_id: str
    title: str
    description: str = ""
    narrative: str = ""


def read_topics(source: str | Path) -> list[Topic]:
    """Read topics from a file or from `irds:NAME`, preserving their order.

    A file that begins with `<` is XML (Touché 2020–2022, TIRA), in the encoding that it declares or
    UTF-16. A file that begins with `{` is read as JSON Lines; one that begins with `[` is read as
    JSON. Other files are TSV, `qid<TAB>text`. Raises RunFormatError, with file and line, if a topic
    is malformed, repeated or empty, or if there are no topics.
    """
    name = str(source)
    if name.startswith("irds:"):
        records = _from_ir_datasets(name)
    else:
        content = read_bytes(source)
        if content.removeprefix(BYTE_ORDER_MARK).lstrip().startswith(_XML):
            records = _from_xml(content, name)
        else:
            text = decoded(content, name)
            forms = {"{": _from_json_lines, "[": _from_json}
            records = forms.get(text.lstrip()[:1], _from_tsv)(text, name)
    topics: dict[str, Topic] = {}
    for line, fields in records:
        topic = _topic(line, fields, name)
        if topic.query_id in topics:
            raise RunFormatError(name, line, f"topic {topic.query_id!r} appears twice")
        topics[topic.query_id] = topic
    if not topics:
        raise RunFormatError(name, None, "the file has no topics")
    return list(topics.values())


def _topic(line: int | None, fields: Mapping[str, str], name: str) -> Topic:
    texts = {key: " ".join(value.split()) for key, value in fields.items()}
    query_id, title = (
        next((texts[key] for key in keys if texts.get(key)), "") for keys in (_ID_KEYS, _TITLE_KEYS)
    )
    if has_lone_surrogate("".join(texts.values())):
        raise RunFormatError(name, line, f"topic {query_id!r} has a lone surrogate; remove it")
    if not query_id:
        raise RunFormatError(name, line, "a topic has no number (query_id)")
    if " " in query_id:
        problem = f"the topic number {query_id!r} contains a space, which run files do not allow"
        raise RunFormatError(name, line, problem)
    if not title:
        raise RunFormatError(name, line, f"topic {query_id!r} has no title")
    return Topic(query_id, title, texts.get("description", ""), texts.get("narrative", ""))


def _from_tsv(text: str, name: str) -> Iterator[Record]:
    for line, row in lines_of(text):
        if row.strip():
            cells = row.split("\t")
            if len(cells) != 2:
                problem = f"the line must have 2 columns, qid<TAB>text, not {len(cells)}"
                raise RunFormatError(name, line, problem)
            yield line, {"query_id": cells[0], "title": cells[1]}


def _from_json_lines(text: str, name: str) -> Iterator[Record]:
    for line, row in lines_of(text):
        if row.strip():
            yield line, _texts(_parsed(row, name, line), name, line)


def _from_json(text: str, name: str) -> Iterator[Record]:
    for value in _parsed(text, name, None):
        yield None, _texts(value, name, None)


def _parsed(text: str, name: str, line: int | None) -> Any:
    """Parse a JSON text that begins in line `line`, or at the beginning of the file if None."""
    import json

    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"the file is not JSON ({error.msg}, column {error.colno})"
        raise RunFormatError(name, line or error.lineno, problem) from error
    # A number with thousands of digits raises a plain ValueError.
    except (ValueError, RecursionError) as error:
        said = "too many nested levels" if isinstance(error, RecursionError) else error
        raise RunFormatError(name, line, f"the file is not JSON ({said})") from error


def _texts(value: object, name: str, line: int | None) -> Mapping[str, str]:
    if not isinstance(value, Mapping):
        raise RunFormatError(name, line, f"a topic must be an object, not {value!r:.60}")
    inner = value.get("original_query")
    # TIRA wraps the published topic; the outer id and query take precedence.
    merged = {**(inner if isinstance(inner, Mapping) else {}), **value}
    return {
        str(key): str(field)
        for key, field in merged.items()
        if isinstance(field, str | int) and not isinstance(field, bool)
    }


def _from_xml(content: bytes, name: str) -> Iterator[Record]:
    from xml.etree import ElementTree
    from xml.parsers.expat import ErrorString

    class Builder(ElementTree.TreeBuilder):
        """Builder of elements without namespaces, with at most LARGEST characters of text."""

        size = 0

        def start(self, tag: str, attrs: dict[str, str]) -> ElementTree.Element:
            return super().start(tag.rpartition("}")[2], attrs)

        def end(self, tag: str) -> ElementTree.Element:
            return super().end(tag.rpartition("}")[2])

        def data(self, data: str) -> None:
            """Add text. Raises RunFormatError once the total exceeds LARGEST characters."""
            # A few lines of entities can unpack to gigabytes. expat only limits their nesting.
            self.size += len(data)
            if self.size > LARGEST:
                raise RunFormatError(name, None, f"its entities make more than {LARGEST >> 20} MiB")
            super().data(data)

    source: str | bytes = content
    # Valid UTF-8 is read as UTF-8, because some programs declare "utf8" or "utf-16" for it.
    with suppress(UnicodeDecodeError):
        if b"\0" not in content[:4]:
            source = content.removeprefix(BYTE_ORDER_MARK).decode()
    parser = ElementTree.XMLParser(target=Builder())
    try:
        parser.feed(source)
        root = parser.close()
    except ElementTree.ParseError as error:
        row, column = error.position
        problem = f"the XML is not well-formed ({ErrorString(error.code)}, column {column})"
        raise RunFormatError(name, row, problem) from error
    except (LookupError, ValueError) as error:
        problem = f"the file cannot be decoded ({error}); save it as UTF-8"
        raise RunFormatError(name, 1, problem) from error
    # ElementTree stores no line numbers, so find the tags in the text, in the same order.
    lines = [n for n, row in enumerate(content.splitlines(), 1) for _ in _TOPIC.finditer(row)]
    topics = list(root.iter("topic"))
    known = lines if len(lines) == len(topics) else [None] * len(topics)
    for line, topic in zip(known, topics, strict=True):
        # Of nested topics, only the innermost is a topic. The outer elements contain it.
        if topic.find(".//topic") is not None:
            continue
        inner: dict[str, str] = {}
        for one in topic.iter():
            if one is not topic:
                inner[one.tag] = inner.get(one.tag, "") + "".join(one.itertext())
        yield line, topic.attrib | inner


def _from_ir_datasets(name: str) -> Iterator[Record]:
    try:
        import ir_datasets
    except ImportError as error:
        raise MissingExtra(f"ir_datasets, which reads {name!r},", "datasets") from error
    try:
        dataset = ir_datasets.load(name.removeprefix("irds:"))
    except KeyError as error:
        raise RunFormatError(name, None, "ir_datasets has no such data set") from error
    if not dataset.has_queries():
        raise RunFormatError(name, None, "this ir_datasets data set has no topics")
    for query in dataset.queries_iter():
        fields = query._asdict()
        fields.setdefault("title", query.default_text())
        yield None, _texts(fields, name, None)
