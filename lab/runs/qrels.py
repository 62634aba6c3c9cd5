"""Relevance (or quality) judgements in TREC form: `qid 0 docid grade`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern

from argsearch.lab.runs.text import Remarks, RunFormatError, Table, tables

QRELS_FORM = "qid iteration docid grade"


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judgements: query id → document id → grade (an integer; negative as given)."""

    path: str
    grades: Mapping[str, Mapping[str, int]]
    remarks: list[str] = field(default_factory=list)

    def not_negative(self) -> dict[str, dict[str, int]]:
        """The same grades with negative ones (spam, no argument) as 0, as trec_eval's gains."""
        return {
            query: {doc: max(0, grade) for doc, grade in grades.items()}
            for query, grades in self.grades.items()
        }


def read_qrels(path: str | Path) -> Qrels:
    """Read a file of judgements (plain, `.gz`, `.xz`, `.bz2`).

    Raises RunFormatError with the line number for a wrong number of columns, a grade that is no
    whole number, one document with two different grades in a topic, and an empty file. Accepted
    and counted in `remarks`: grades such as `4.0`, a judgement repeated with the same grade,
    CRLF, a byte-order mark, blank lines, negative grades.
    """
    remarks = Remarks(str(path))
    grades: dict[str, dict[str, int]] = {}
    for table in tables(path, QRELS_FORM, remarks):
        _add(table, grades, path, remarks)
    if not grades:
        raise RunFormatError(path, None, f"holds no lines `{QRELS_FORM}`")
    return Qrels(str(path), grades, remarks.lines())


def _add(
    table: Table, grades: dict[str, dict[str, int]], path: str | Path, remarks: Remarks
) -> None:
    queries, _, docs, words = table.columns
    values = _grades(table, words, path, remarks)
    for number, query, doc, value in zip(table.numbers, queries, docs, values, strict=True):
        topic = grades.get(query)
        if topic is None:
            topic = grades[intern(query)] = {}
        if doc in topic:
            if topic[doc] != value:
                problem = (
                    f"document {doc!r} of topic {query!r} has the grades {topic[doc]} and {value}"
                )
                raise RunFormatError(path, number, problem)
            remarks.add("judgements repeated with the same grade", number)
        topic[intern(doc)] = value
        if value < 0:
            remarks.add("negative grades, which count as 0", number)


def _grades(table: Table, words: Sequence[str], path: str | Path, remarks: Remarks) -> list[int]:
    try:
        if "_" not in "".join(words):
            return list(map(int, words))
    except ValueError:
        pass
    return [
        _grade(number, word, path, remarks)
        for number, word in zip(table.numbers, words, strict=True)
    ]


def _grade(number: int, word: str, path: str | Path, remarks: Remarks) -> int:
    try:
        value = float("nan") if "_" in word else float(word)
    except ValueError:
        value = float("nan")
    if not value.is_integer():
        raise RunFormatError(path, number, f"grade {word!r} is not a whole number")
    if not word.lstrip("+-").isdecimal():
        remarks.add("grades with a decimal point, read as whole numbers", number)
    return int(value)
