"""Reads arguments from sources in every supported form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.corpus.ids import IdSet, file_name
from argsearch.indexer.corpus.report import (
    CorpusError,
    DocumentFault,
    OnError,
    ReadReport,
    SourceReport,
    StreamFault,
)
from argsearch.indexer.errors import InvalidParameter

_REMEDY = "fix the document, or leave bad documents out with on_error=skip (--on-error skip)"

_WANTED = (
    'give {"arguments": [...]}, a bare list, JSON Lines, CSV or Kialo\'s export with at '
    "least one document"
)


def read(
    source: str | Path, *, on_error: OnError = "stop", report: ReadReport | None = None
) -> Iterator[Argument]:
    """Yield the arguments of one source in order; skip those with an earlier argument's id.

    The source is a path, `irds:NAME`, or `-` for standard input. A file contains args.me JSON, JSON
    Lines, CSV or Kialo's export, plain, .gz, .xz, .zst or .zip. ARCHIVE.zip/MEMBER is a file in a
    larger archive. A bad document stops the reading or, with "skip", is left out and counted in
    `report`. A broken container always ends the reading.

    Raises InvalidParameter at once, and CorpusError or MissingExtra while iterating.
    """
    return read_many([source], on_error=on_error, report=report)


def read_many(
    sources: Iterable[str | Path],
    *,
    on_error: OnError = "stop",
    report: ReadReport | None = None,
    columns: Mapping[str, str] | None = None,
    seen: IdSet | None = None,
) -> Iterator[Argument]:
    """Yield the arguments of several sources in order, as `read` does for one source.

    columns: maps fields to CSV columns with other names, such as premise: text. seen: collects the
    ids of all sources; None: a set in memory.
    """
    if on_error not in get_args(OnError):
        raise InvalidParameter("on_error", on_error, "stop or skip")
    named = [str(source) for source in sources]
    if not named:
        raise InvalidParameter("sources", named, "a list of at least one source")
    if named.count("-") > 1:
        raise InvalidParameter("sources", named, "a list with - (standard input) at most once")
    from argsearch.indexer.corpus.csv_rows import check_columns

    check_columns(columns or {})
    report = ReadReport() if report is None else report
    return _read_all(named, on_error, report, columns or {}, set() if seen is None else seen)


def _read_all(
    sources: Sequence[str],
    on_error: OnError,
    report: ReadReport,
    columns: Mapping[str, str],
    seen: IdSet,
) -> Iterator[Argument]:
    for source in sources:
        reading = _Reading(source, on_error, report, columns, SourceReport(source))
        before = report.skipped
        try:
            yield from reading.arguments(seen)
        except StreamFault as fault:
            raise CorpusError(reading.name, reading.position(), str(fault)) from fault
        if reading.number == 0:
            raise CorpusError(reading.name, "", f"the source has no documents; {_WANTED}")
        if report.skipped - before == reading.number:
            raise CorpusError(
                reading.name,
                "",
                f"all {reading.number:,} documents are bad; the first is {reading.first_fault}",
            )


@dataclass(slots=True)
class _Reading:
    """A source that is being read, with the current position for messages."""

    source: str
    on_error: OnError
    report: ReadReport
    columns: Mapping[str, str]
    about: SourceReport
    number: int = 0
    """Number of documents read so far, good or bad."""
    first_fault: str = ""
    place: str = ""

    @property
    def name(self) -> str:
        """Name of the source in messages."""
        return "standard input" if self.source == "-" else self.source

    def position(self, place: int | None = None) -> str:
        """Return the number of the current document, and its place if it is known."""
        where = f"document {self.number:,}" if self.number else ""
        return f"{where}, {self.place} {place:,}" if place and self.place else where

    def arguments(self, seen: IdSet) -> Iterator[Argument]:
        """Yield the good documents whose ids are not in `seen`, and add their ids to it."""
        from argsearch.indexer.corpus.documents import to_argument

        report, about = self.report, self.about
        report.sources.append(about)
        for place, value in self._records():
            self.number += 1
            try:
                if type(value) is DocumentFault:
                    raise value
                report.made_id = about.form == "Kialo" or (
                    about.form == "CSV" and "id" not in value
                )
                if report.made_id and "id" not in value:  # a row of a table without ids
                    value["id"] = f"{file_name(self.source)}-{self.number}"
                argument = to_argument(value, report)
            except DocumentFault as fault:
                self._bad(place, fault)
                continue
            if argument.id in seen:
                report.repeat(argument.id)
                continue
            seen.add(argument.id)
            report.keep(argument)
            about.documents += 1
            yield argument

    def _bad(self, place: int, fault: DocumentFault) -> None:
        position = self.position(place)
        if self.on_error == "stop":
            raise CorpusError(self.name, position, f"{fault.problem}; {_REMEDY}") from fault
        error = CorpusError(self.name, position, fault.problem)
        self.first_fault = self.first_fault or f"{position}: {fault.problem}"
        self.report.skip(fault.kind, str(error))

    def _records(self) -> Iterator[tuple[int, Any]]:
        from argsearch.indexer.corpus import irds

        if self.source.startswith(irds.PREFIX):
            return irds.records(self.source, self.report, self.about)
        from argsearch.indexer.corpus.forms import form_of
        from argsearch.indexer.corpus.streams import unpacked

        blocks = unpacked(self.source, self.about)
        if not blocks.head.strip():
            raise StreamFault("the file is empty; give a corpus with at least one document")
        form = form_of(self.source, blocks, self.columns)
        self.about.form, self.place = form.name, form.place
        return form.records(blocks, self.report)
