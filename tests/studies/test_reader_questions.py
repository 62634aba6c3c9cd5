"""The questions of the reader's count, and the labels that ship."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from studies.reader import judged
from studies.reader.lists import QUESTIONS, questions

ROOT = Path(__file__).parents[2]


def test_the_questions_are_forty_of_every_kind() -> None:
    asked = questions()
    assert len({q.id for q in asked}) == len({q.text.casefold() for q in asked}) == 40
    kinds = [kind for q in asked for kind in q.kinds]
    assert kinds.count("undirected") * 3 >= 40
    assert all(kinds.count(kind) >= 4 for kind in ("one-word", "misspelt", "long", "lacking"))
    assert kinds.count("undirected") + kinds.count("directed") == 40


NAMES = ("second", "frozen", "unseen", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
FILES = [QUESTIONS, *(QUESTIONS.with_name(f"{name}.tsv") for name in NAMES)]
JUDGEMENTS = [
    (QUESTIONS, judged.JUDGED),
    *((file, file.with_name(f"{file.stem}_judged.tsv")) for file in FILES[1:]),
]


def test_no_question_is_in_two_lists() -> None:
    asked = [q.text.casefold() for file in FILES for q in questions(file)]
    assert len(set(asked)) == len(asked) == 367
    for file in FILES[1:3]:
        kinds = [kind for q in questions(file) for kind in q.kinds]
        assert all(kinds.count(kind) >= 3 for kind in ("one-word", "misspelt", "long", "lacking"))


@pytest.mark.parametrize("list_", FILES, ids=lambda file: file.stem)
def test_no_question_was_trained_or_tried_on(list_: Path) -> None:
    known = set()
    for file in (
        "lab/training/stance/sided.tsv",
        "lab/training/stance/subjects.tsv",
        "tests/engine/stance_labels.tsv",
    ):
        with (ROOT / file).open(encoding="utf-8", newline="") as stream:
            known |= {row["question"].casefold() for row in csv.DictReader(stream, delimiter="\t")}
    assert len(known) > 100
    assert not known & {q.text.casefold() for q in questions(list_)}


@pytest.mark.parametrize(("list_", "labels"), JUDGEMENTS, ids=["first", *NAMES])
def test_the_labels_that_ship_are_of_its_questions(list_: Path, labels: Path) -> None:
    with labels.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    asked = {q.id for q in questions(list_)}
    assert {row["item"][:3] for row in rows} == asked
    assert all(row["right"] in ("0", "1", "n", "") for row in rows)
