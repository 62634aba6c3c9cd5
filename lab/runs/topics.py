"""Topics: Touché XML, TSV, JSON Lines (ir_datasets and TIRA forms), `irds:NAME`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argsearch.indexer.errors import MissingExtra
from argsearch.lab.runs.text import RunFormatError, read_text

_ID_KEYS = ("query_id", "qid", "id", "number", "_id")
_TITLE_KEYS = ("title", "query", "text")

Record = tuple[int | None, Mapping[str, str]]
"""A topic's line, where it has one, and its texts by their names."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic, with the field names of ir_datasets' ToucheQuery; absent texts are empty."""

    query_id: str
    title: str
    description: str = ""
    narrative: str = ""


def read_topics(source: str | Path) -> list[Topic]:
    """Read the topics of a file or of `irds:NAME`, in the file's order.

    The form is told from the content: `<` opens XML (Touché 2020–2022, TIRA), `{` or `[` JSON
    (Lines), anything else is TSV `qid<TAB>text`. Raises RunFormatError (file and line) for a
    malformed, repeated or empty topic and for a source without topics.
    """
    name = str(source)
    if name.startswith("irds:"):
        records = _from_ir_datasets(name)
    else:
        text = read_text(source)
        forms = {"<": _from_xml, "{": _from_json_lines, "[": _from_json}
        records = forms.get(text.lstrip()[:1], _from_tsv)(text, name)
    topics: dict[str, Topic] = {}
    for line, fields in records:
        topic = _topic(line, fields, name)
        if topic.query_id in topics:
            raise RunFormatError(name, line, f"topic {topic.query_id!r} is there twice")
        topics[topic.query_id] = topic
    if not topics:
        raise RunFormatError(name, None, "holds no topics")
    return list(topics.values())


def _topic(line: int | None, fields: Mapping[str, str], name: str) -> Topic:
    texts = {key: " ".join(value.split()) for key, value in fields.items()}
    query_id, title = (
        next((texts[key] for key in keys if texts.get(key)), "") for keys in (_ID_KEYS, _TITLE_KEYS)
    )
    if not query_id:
        raise RunFormatError(name, line, "a topic has no number (query_id)")
    if " " in query_id:
        problem = f"topic number {query_id!r} holds a space, which a run file cannot carry"
        raise RunFormatError(name, line, problem)
    if not title:
        raise RunFormatError(name, line, f"topic {query_id!r} has no title")
    return Topic(query_id, title, texts.get("description", ""), texts.get("narrative", ""))


def _from_tsv(text: str, name: str) -> Iterator[Record]:
    for line, row in enumerate(text.splitlines(), 1):
        if row.strip():
            cells = row.split("\t")
            if len(cells) != 2:
                problem = f"{len(cells)} tab-separated columns, 2 are needed: qid<TAB>text"
                raise RunFormatError(name, line, problem)
            yield line, {"query_id": cells[0], "title": cells[1]}


def _from_json_lines(text: str, name: str) -> Iterator[Record]:
    for line, row in enumerate(text.split("\n"), 1):
        if row.strip():
            yield line, _texts(_parsed(row, name, line), name, line)


def _from_json(text: str, name: str) -> Iterator[Record]:
    for value in _parsed(text, name, None):
        yield None, _texts(value, name, None)


def _parsed(text: str, name: str, line: int | None) -> Any:
    """The value of a JSON text that begins in `line`; None: at the file's beginning."""
    import json

    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"not JSON ({error.msg}, column {error.colno})"
        raise RunFormatError(name, line or error.lineno, problem) from error
    except (ValueError, RecursionError) as error:  # such as a number of thousands of digits
        said = "nested too deep" if isinstance(error, RecursionError) else error
        raise RunFormatError(name, line, f"not JSON ({said})") from error


def _texts(value: object, name: str, line: int | None) -> Mapping[str, str]:
    if not isinstance(value, Mapping):
        raise RunFormatError(name, line, f"a topic is an object, not {value!r:.60}")
    inner = value.get("original_query")
    merged = {**(inner if isinstance(inner, Mapping) else {}), **value}
    return {
        str(key): str(field)
        for key, field in merged.items()
        if isinstance(field, str | int) and not isinstance(field, bool)
    }


def _from_xml(text: str, name: str) -> Iterator[Record]:
    from xml.parsers import expat

    reader = _XmlTopics(name, expat.ParserCreate())
    try:
        reader.parser.Parse(text, True)
    except expat.ExpatError as error:
        problem = f"not well-formed XML ({expat.ErrorString(error.code)}, column {error.offset})"
        raise RunFormatError(name, error.lineno, problem) from error
    yield from reader.records


class _XmlTopics:
    """Collects the texts inside each `<topic>`, with the line it starts on."""

    def __init__(self, name: str, parser: Any) -> None:
        self.name = name
        self.parser = parser
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._refuse
        self.records: list[Record] = []
        self._open: list[str] = []
        self._line = 0
        self._fields: dict[str, str] | None = None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "topic":
            self._line, self._fields = self.parser.CurrentLineNumber, dict(attributes)
        self._open.append(tag)

    def _text(self, text: str) -> None:
        if self._fields is not None and self._open[-1] != "topic":
            tag = self._open[-1]
            self._fields[tag] = self._fields.get(tag, "") + text

    def _refuse(self, *_: object) -> None:
        problem = "declares an entity, of which a few lines can make gigabytes; write the text out"
        raise RunFormatError(self.name, self.parser.CurrentLineNumber, problem)

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag == "topic" and self._fields is not None:
            self.records.append((self._line, self._fields))
            self._fields = None


def _from_ir_datasets(name: str) -> Iterator[Record]:
    try:
        import ir_datasets
    except ImportError as error:
        raise MissingExtra(f"ir_datasets, which reads {name!r},", "datasets") from error
    try:
        dataset = ir_datasets.load(name.removeprefix("irds:"))
    except KeyError as error:
        raise RunFormatError(name, None, "ir_datasets knows no such data set") from error
    if not dataset.has_queries():
        raise RunFormatError(name, None, "this ir_datasets data set holds no topics")
    for query in dataset.queries_iter():
        fields = query._asdict()
        fields.setdefault("title", query.default_text())
        yield None, _texts(fields, name, None)
