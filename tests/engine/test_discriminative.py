"""What has a word that tells what is asked for, by brute force over the texts' own words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from argsearch.engine import Engine
from argsearch.engine.results import on_question
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.corpus.argument import Argument, Premise

TOLD = {
    "should zoos be closed": {"zoos", "closed"},
    "should the minimum wage be raised": {"minimum", "wage", "raised"},
    "should it be": {"should", "it", "be"},  # all are frequent: none tells less than the others
    "should xqzzy be xyzzyxed": set(),
}


def having(engine: Engine, words: set[str], ids: list[str]) -> list[str]:
    """Those whose conclusion or premises have one of the words, in the order of the ids."""
    tokens = StandardAnalyzer().tokens
    texts = {id: engine.argument(id) for id in ids}
    return [
        id
        for id, one in texts.items()
        if one is not None and words & set(tokens(f"{one.conclusion or ''} {one.premise}"))
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("question", TOLD)
@pytest.mark.parametrize("asked", [{}, {"where": ["words > 30"]}], ids=str)
def test_only_what_has_such_a_word_is_listed_and_counted(
    engine: Engine, question: str, asked: dict[str, Any]
) -> None:
    every = engine.search(question, k=1000, **asked)
    wanted = having(engine, TOLD[question], every.hits.ids)
    found = engine.search(question, k=1000, discriminative=True, facets=["stance"], **asked)
    assert set(wanted) == set(having(engine, set(every.wording.weights), every.hits.ids))
    assert found.hits.ids == wanted
    assert (found.total, found.common) == (len(wanted), every.total - len(wanted))
    assert every.common is None
    stances = [hit.stance for hit in found]
    counted = {one.value: one.count for one in found.facets["stance"]}
    assert counted == {s.value: stances.count(s) for s in set(stances) if s}
    page = engine.search(question, k=4, offset=3, discriminative=True, **asked)
    assert page.hits.ids == wanted[3:7]
    assert page.hits.scores.tolist() == found.hits.scores[3:7].tolist()


@pytest.mark.parametrize(
    ("model", "fields"), [("bm25", "text"), ("dph", "premise"), ("constant", "text")]
)
def test_whatever_ranks_and_is_searched(engine: Engine, model: str, fields: str) -> None:
    overrides = [f"retrieval.model={model}", f"retrieval.fields={fields}", "boost.premises=0"]
    asked: dict[str, Any] = {"k": 1000, "overrides": overrides}
    every = engine.search("should zoos be closed", **asked)
    found = engine.search("should zoos be closed", discriminative=True, **asked)
    kept = set(found.hits.ids)
    assert 0 < found.total == len(kept) < every.total
    assert [id for id in every.hits.ids if id in kept] == found.hits.ids


@pytest.mark.parametrize("sort", ["-quality", "words", "-date"])
def test_a_column_sorts_only_what_is_on_the_question(
    engine: Engine, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {"discriminative": True}
    question = "should zoos be closed"
    best = engine.search(question, k=100, sides=True, overrides=["stance.near=false"], **asked)
    on = [hit.id for hit in best if hit.side.on_question >= 0.5]
    values = dict(zip(best.hits.ids, best.hits.columns()[sort.lstrip("-")], strict=True))
    there = [id for id in on if values[id] is not None]
    wanted = sorted(there, key=values.__getitem__, reverse=sort.startswith("-"))
    wanted += [id for id in on if values[id] is None]
    found = engine.search(question, k=100, sort=sort, sides=True, facets=["stance"], **asked)
    assert 0 < len(wanted) < len(best)
    assert (found.hits.ids, found.total) == (wanted, len(wanted))
    said = f"of the first {len(best)} results, only the {len(wanted)} about the question are"
    assert found.notes[-1] == f"{said} sorted by {sort.lstrip('-')}"
    page = engine.search(question, k=3, offset=2, sort=sort, **asked)
    assert (page.hits.ids, page.total) == (wanted[2:5], len(wanted))
    stances = Counter(hit.stance for hit in found if hit.stance)
    assert {one.value: one.count for one in found.facets["stance"]} == stances
    for text in (question, "shuold zooos be clossed"):  # the sides are of the corrected question
        both = engine.search(text, side="both", facets=["stance"], **asked)
        assert (both.facets, both.notes[-1]) == (found.facets, f"{said} counted")
    monkeypatch.setattr(type(engine.backend), "is_local", False)  # nothing is cached
    monkeypatch.setattr(on_question, "about", read := Mock(wraps=on_question.about))
    for sides in (True, False):
        same = engine.search(question, sort=sort, sides=sides, facets=["stance"], **asked)
        assert (same.hits.ids, same.facets) == (wanted[:10], found.facets)
    assert read.call_count == 2


def test_a_column_sorts_all_of_the_best_if_nothing_is_surely_on_the_question(
    engine: Engine,
) -> None:
    best = engine.search("people", k=100, discriminative=True).hits.ids
    found = engine.search("people", k=100, discriminative=True, sort="words")
    assert sorted(found.hits.ids) == sorted(best)
    assert found.total == len(best) > 4
    assert "so all of them are sorted by words" in found.notes[-1]


@pytest.mark.parametrize("unit", ["pairs", "premises"])
def test_pairs_and_premises_are_on_the_question_and_appear_once(
    every_part: Path, unit: str
) -> None:
    whole = Engine.open(every_part)
    question = "should zoos and homework be banned"
    every = whole.search(question, unit=unit, k=100, sides=True)
    found = whole.search(question, unit=unit, k=100, sides=True, discriminative=True)
    assert 0 < found.total == len(found) < len(every)
    of = iter(every.hits.ids)
    assert all(id in of for id in found.hits.ids), "in the same order"
    assert all(hit.side.on_question >= 0.25 for hit in found)
    texts = [hit.text.lower() for hit in found]
    assert len(set(texts)) == len(texts)
    if unit == "pairs":
        assert len({hit.conclusion.lower() for hit in found}) == len(found)
    by_words = whole.search(question, unit=unit, k=100, discriminative=True, sort="words")
    assert sorted(by_words.hits.ids) == sorted(found.hits.ids)
    assert by_words.hits.columns()["words"] == sorted(found.hits.columns()["words"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Zoos keep endangered animals alive.", True),
        ("My opponent made good arguments. Zoos keep endangered animals alive.", True),
        ("My opponent made good arguments.", False),
        ("CON seems to have missed my main premise.", False),
        ("I do believe you had more convincing arguments.", False),
        ("Should zoos be closed?", False),
        ("", False),
    ],
)
def test_debate_talk_says_nothing(text: str, says: bool) -> None:
    assert on_question.says_something(Argument("a", "zoos", (Premise(text, None),), {})) == says


def test_sides_are_read_of_these_alone(engine: Engine) -> None:
    found = engine.search("should zoos be closed", discriminative=True, side="both", collapse=False)
    told = set(engine.search("should zoos be closed", k=1000, discriminative=True).hits.ids)
    assert len(found.balance.sides) == min(100, len(told))
    assert {id for one in found.lists.values() for id in one.hits.ids} <= told
