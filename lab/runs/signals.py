"""Signals: what is known of every candidate, for those who learn rankings elsewhere.

One row a line of the run, in its order. As SVMlight (LETOR's form) with numbers alone, or as CSV
with labels too; the file's name decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import Column
from argsearch.indexer.output import write_csv
from argsearch.lab.runs.text import RunFormatError, replacing
from argsearch.lab.runs.trec import ranked

if TYPE_CHECKING:
    from argsearch.engine.results.results import Results

FACTORS = {
    "S": "the score that the run is in the order of",
    "R": "relevance",
    "C": "similarity of the question and the conclusion's cluster",
    "Q": "predicted quality",
    "P": "similarity of the question and the premises",
}
"""The factors of a score (docs/formulas.md), by their symbols, as they are in its explanation."""
FORMS = (".svm", ".txt", ".csv")
"""How the file's name ends: SVMlight, SVMlight, CSV."""
Grades = Mapping[str, Mapping[str, int]]
"""Topic → argument → grade."""
Value = float | str | None
"""A number, a label, or None where there is none."""


@dataclass(frozen=True, slots=True)
class SignalFeature:
    """A number of an SVMlight row: a factor, a column's number, or whether it has a label."""

    name: str
    doc: str
    column: str
    label: str | None = None

    def of(self, row: Mapping[str, Value]) -> float | None:
        """The value in one row; None where there is none."""
        value = row[self.column]
        if self.label is not None:
            return float(value == self.label)
        return None if value is None else float(value)


def features(columns: Mapping[str, Column]) -> list[SignalFeature]:
    """The numbers of an index, in their order: factors, columns, and each of a column's labels.

    A column whose labels are the corpus' own has no numbers; CSV has it.
    """
    found = [SignalFeature(name, doc, name) for name, doc in FACTORS.items()]
    for column in columns.values():
        if column.kind == "number":
            found.append(SignalFeature(column.name, column.doc, column.name))
        for label in column.labels or ():
            said = f"1 where {column.name} is {label}, else 0"
            found.append(SignalFeature(f"{column.name}={label}", said, column.name, label))
    return found


@dataclass(frozen=True)
class Signals:
    """A file of signals that is being written: rows of SVMlight, or of CSV."""

    stream: TextIO
    as_csv: bool
    features: Sequence[SignalFeature]
    numbers: Mapping[str, int]
    """Each topic's number: its own, or its place where one of them is no number."""
    grades: Grades | None = None
    """Grades of arguments by topic, for the label; None: every label is 0."""

    def add(self, topic: str, results: Results) -> None:
        """Write a topic's rows."""
        ids, scores = results.hits.ids, results.hits.scores.tolist()
        rows = dict(zip(ids, rows_of(results), strict=True))
        order = [id for _, id in ranked(ids, scores)]
        given = (self.grades or {}).get(topic, {})
        if self.as_csv:
            grade = [] if self.grades is None else [given.get]
            cells = (
                (topic, id, rank, *(of(id) for of in grade), *rows[id].values())
                for rank, id in enumerate(order, 1)
            )
            write_csv(self.stream, cells)
        else:
            qid = self.numbers[topic]
            lines = (f"{max(0, given.get(id, 0))} {self._svm(qid, id, rows[id])}" for id in order)
            self.stream.writelines(lines)

    def _svm(self, qid: int, id: str, row: Mapping[str, Value]) -> str:
        """`qid:1 1:23.7 2:3.9 … # id`, what follows the label; what has no value is left out."""
        values = ((i, f.of(row)) for i, f in enumerate(self.features, 1))
        cells = [f"{i}:{value!r}" for i, value in values if value is not None]
        return f"qid:{qid} {' '.join(cells)} # {id}\n"


def rows_of(results: Results) -> Iterator[dict[str, Value]]:
    """The factors and columns of each hit."""
    columns = results.hits.columns()
    for i, hit in enumerate(results.hits):
        row: dict[str, Value] = {}
        for name in FACTORS:
            node = hit.explanation.find(name)
            row[name] = None if node is None else node.value
        row |= {name: values[i] for name, values in columns.items()}
        yield row | {"S": hit.score}


@contextmanager
def written(
    path: Path,
    columns: Mapping[str, Column],
    topics: Sequence[str],
    grades: Grades | None = None,
) -> Iterator[Signals]:
    """A file of signals, written aside and renamed into place.

    With grades an argument's label is its grade, 0 where it is negative or was not judged; in CSV
    the grade is a column as it was given, and empty where there is none. Raises InvalidParameter
    for another name than FORMS knows, RunFormatError for a topic that is ranked twice.
    """
    form = path.suffix.lower()
    if form not in FORMS:
        raise InvalidParameter("--signals", str(path), f"a name that ends in {', '.join(FORMS)}")
    if len(set(topics)) < len(topics):
        raise RunFormatError(path, None, "a topic is ranked twice")
    # SVMlight knows numbers alone, and `007` and `7` would be the same one.
    whole = all(id.isdecimal() and str(int(id)) == id for id in topics)
    numbers = {id: int(id) if whole else place for place, id in enumerate(topics, 1)}
    found = features(columns)
    with replacing(path) as raw, TextIOWrapper(raw, "utf-8", newline="") as stream:
        if form == ".csv":
            judged = [] if grades is None else ["grade"]
            head = ["topic", "id", "rank", *judged, *FACTORS, *columns]
            write_csv(stream, [head])
        else:
            label = "label 0" if grades is None else "the grade (0 if unjudged)"
            lines = [f"{label}, qid, the signals below, the argument's id"]
            lines += [f"{i} {f.name}: {f.doc}" for i, f in enumerate(found, 1)]
            lines += [f"qid {n} is topic {id}" for id, n in numbers.items() if str(n) != id]
            stream.writelines(f"# {line}\n" for line in lines)
        yield Signals(stream, form == ".csv", found, numbers, grades)
