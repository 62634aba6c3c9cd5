"""The questions of the reader's count, and the labels that ship."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from studies.reader import judged
from studies.reader.lists import SIDES, questions, read_rows
from studies.reader.scoring import counted

ROOT = Path(__file__).parents[2]


def test_each_question_is_in_one_of_the_lists() -> None:
    asked = questions()
    assert len({q.id for q in asked}) == len({q.text.casefold() for q in asked}) == 456
    assert len({q.list for q in asked}) == 13
    assert len(questions(named=["tenth"])) == 30


@pytest.mark.parametrize(("name", "least"), [("first", 4), ("second", 3), ("frozen", 3)])
def test_early_lists_have_every_kind(name: str, least: int) -> None:
    asked = questions(named=[name])
    kinds = [kind for q in asked for kind in q.kinds]
    assert all(kinds.count(kind) >= least for kind in ("one-word", "misspelt", "long", "lacking"))
    assert kinds.count("undirected") + kinds.count("directed") == len(asked)


def test_no_question_was_trained_or_tried_on() -> None:
    known = set()
    for file in (
        "lab/training/stance/sided.tsv",
        "tests/engine/stance_labels.tsv",
    ):
        with (ROOT / file).open(encoding="utf-8", newline="") as stream:
            known |= {row["question"].casefold() for row in csv.DictReader(stream, delimiter="\t")}
    assert len(known) > 100
    assert not known & {q.text.casefold() for q in questions()}


def test_the_labels_that_ship_are_of_all_questions() -> None:
    rows = read_rows(judged.JUDGED)
    assert {row["item"][:3] for row in rows} == {q.id for q in questions()}
    assert all(row["right"] in ("0", "1", "n", "") for row in rows)


@pytest.mark.slow
@pytest.mark.data
def test_search_by_meaning_empties_no_list_that_was_right(built, real_corpus) -> None:
    # One question of a sport the corpus lacks ("Springboks") loses its only place.
    plain = replace(load_config("default").index, parts=("vectors", "near_duplicates"))
    meant = replace(plain, parts=(*plain.parts, "meaning"), meaning_encoder="wordllama")
    with (
        Engine.open(built(real_corpus, plain)) as words,
        Engine.open(built(real_corpus, meant)) as meaning,
    ):
        known, filled, lost = judged.known(judged.JUDGED), 0, []
        for asked in questions():
            for side in SIDES:
                if counted(words, asked, side, "default", known)["right"]:
                    filled += 1
                    if not counted(meaning, asked, side, "meaning", known)["places"]:
                        lost.append(asked.text)
    assert filled > 250
    assert len(lost) <= 1, lost
