"""Write signals: all known features of every result, to train a ranker in another tool.

The file has one row for each line of the run, in the same order. The file's name selects the
format: SVMlight (as in LETOR) with numbers only, or CSV that also has labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from argsearch.indexer.errors import InvalidParameter, either
from argsearch.indexer.format.columns import Column
from argsearch.indexer.output import write_csv
from argsearch.lab.runs.text import RunFormatError, replacing
from argsearch.lab.runs.trec import ranked

if TYPE_CHECKING:
    from argsearch.engine.results.results import Results

FACTORS = {
    "S": "the score by which the run is sorted",
    "R": "relevance",
    "C": "similarity of the question and the conclusion's cluster",
    "Q": "predicted quality",
    "P": "similarity of the question and the premises",
}
"""Factors of a score (docs/formulas.md), by their symbols in the score's explanation."""
FORMS = (".svm", ".txt", ".csv")
"""Allowed file extensions: `.csv` is CSV, and the others are SVMlight."""
Grades = Mapping[str, Mapping[str, int]]
"""Grades by topic and argument."""
Value = float | str | None
"""A number, a label, or None if there is no value."""


@dataclass(frozen=True, slots=True)
class SignalFeature:
    """A feature in SVMlight rows: a factor, a numeric column, or the presence of one label."""

    name: str
    doc: str
    column: str
    label: str | None = None

    def of(self, row: Mapping[str, Value]) -> float | None:
        """Return the feature's value in a row, or None if the row has no value."""
        value = row[self.column]
        if self.label is not None:
            return float(value == self.label)
        return None if value is None else float(value)


def features(columns: Mapping[str, Column]) -> list[SignalFeature]:
    """Return an index's features: the factors, then one per numeric column or label, in order.

    Columns whose labels come from the corpus have no features; only CSV files contain them.
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
    """An open signals file, in SVMlight or CSV format."""

    stream: TextIO
    as_csv: bool
    features: Sequence[SignalFeature]
    numbers: Mapping[str, int]
    """Number of each topic: its id, or its position if any id is not a number."""
    grades: Grades | None = None
    """Grades by topic and argument, used as labels. If None, every label is 0."""

    def add(self, topic: str, results: Results) -> None:
        """Write the rows of a topic."""
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
        """Return a row without its label: `qid:1 1:23.7 2:3.9 … # id`, omitting missing values."""
        values = ((i, f.of(row)) for i, f in enumerate(self.features, 1))
        cells = [f"{i}:{value!r}" for i, value in values if value is not None]
        return f"qid:{qid} {' '.join(cells)} # {id}\n"


def rows_of(results: Results) -> Iterator[dict[str, Value]]:
    """Yield the factors and columns of each hit."""
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
    """Open a signals file. It is written as a temporary file and then renamed.

    With grades, an argument's label is its grade, or 0 if the grade is negative or missing. In CSV,
    a column contains the grade as given, or is empty. Raises InvalidParameter if the file's name
    does not end in one of FORMS, and RunFormatError if a topic is repeated.
    """
    form = path.suffix.lower()
    if form not in FORMS:
        raise InvalidParameter("--signals", str(path), f"a name that ends in {either(FORMS)}")
    if len(set(topics)) < len(topics):
        raise RunFormatError(path, None, "a topic is ranked twice")
    # SVMlight only allows numbers as topics, and `007` and `7` would be equal.
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
