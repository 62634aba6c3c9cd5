"""Odd questions to odd corpora: what is ranked, which side it is on, what is shown of it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argsearch.api.serialise import Answer
from argsearch.engine import Engine
from argsearch.engine.results.results import Results
from argsearch.engine.stance.model import SIDE_VALUES
from argsearch.engine.stance.sides import FIRST_PLACES_PROBABILITY
from argsearch.engine.text.gist import WIDTH
from argsearch.engine.text.snippet import ELLIPSIS
from tests.indexes import document, indexed

ZOOS = (
    ("PRO", "Zoos should be closed", "Zoos are cruel because animals suffer in small cages."),
    ("CON", "Zoos should be closed", "Zoos protect rare species that would die out elsewhere."),
    ("PRO", "Zoos are good", "Children learn to respect animals when they meet them in zoos."),
    ("CON", "Zoos are good", "No cage is like the savannah, so zoos teach children nonsense."),
    ("PRO", "Homework should be banned", "Homework steals the evenings of tired children."),
    ("CON", "Homework should be banned", "Homework helps children because practice makes perfect."),
    (
        "CON",
        "The death penalty is just",
        "The death penalty is wrong: courts convict the innocent.",
    ),
    ("PRO", "Cats are better than dogs", "Cats need no walks in the rain."),
    ("PRO", None, "Zoos should be closed since animals are no toys."),
)
LONG = "A speech about nothing in particular goes on and on in many words. " * 16_700
QUESTIONS = {
    "one word": "zoos",
    "signs": "?!…",
    "2,000 characters": ("Should zoos be closed because animals suffer? " * 50)[:2000],
    "one long word": "z" * 2000,
    "misspelt": "Shoud zooes be clsoed?",
    "german": "Sollten Zoos geschlossen werden?",
    "german, no word known": "Dürfen Lehrer streiken?",
    "emoji": "🦁🦓",
    "emoji and words": "🦁 zoos 🦓 should be closed 😀?",
    "common words": "should the be of and",
    "right to left": "האם יש לסגור את גני החיות?",
    "broken": "zoos \x00 closed",
}


def documents(*, conclusion: bool = True, stance: bool = True) -> list[dict[str, Any]]:
    return [
        document(f"a{i}", claim if conclusion else None, text, stance=own if stance else None)
        for i, (own, claim, text) in enumerate(ZOOS)
    ]


def with_text(text: str) -> list[dict[str, Any]]:
    first, *others = documents()
    return [{**first, "premises": [{"text": text, "stance": "PRO"}]}, *others]


CORPORA = {
    "plain": documents(),
    "without conclusions": documents(conclusion=False),
    "without stances": documents(stance=False),
    "without both": documents(conclusion=False, stance=False),
    "one document": documents()[:1],
    "an empty text": with_text(""),
    "one of 200,000 words": with_text(f"Zoos are prisons. {LONG}Zoos should be closed."),
}


@pytest.fixture(scope="module", params=CORPORA)
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """Each corpus, indexed as by default."""
    yield from _opened(CORPORA[request.param], tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    yield from _opened(CORPORA["plain"], tmp_path_factory.mktemp("plain"))


def _opened(corpus: list[dict[str, Any]], folder: Path) -> Iterator[Engine]:
    with Engine.open(indexed(folder, corpus)) as engine:
        yield engine


@pytest.mark.thorough
@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_is_answered_whole(engine: Engine, name: str) -> None:
    question = QUESTIONS[name]
    results = engine.search(question, k=20, sides=True)
    assert results.total == len(results.hits) <= engine.info.documents
    ordered = [hit.score for hit in results.hits]
    assert ordered == sorted(ordered, reverse=True)
    for hit in results.hits:
        assert math.isfinite(hit.score)
        assert hit.explanation.value == pytest.approx(hit.score, rel=1e-12)
        assert len(hit.explanation.lines()) > 2
    assert 0 <= results.discriminative <= results.total
    assert results.first_weak_rank is None or 1 <= results.first_weak_rank <= results.total
    _check_sides(engine, results)
    _check_shown(Answer(engine, results, explain=True))


def _check_sides(engine: Engine, results: Results) -> None:
    """Every hit is on one side; each side's own list holds just these, the surer ones first."""
    assert results.balance.claim.reading == results.balance.claim.reading.strip()
    counts = results.balance.counts
    read = engine.search(results.sided_for or results.query, k=20, sides=True)
    assert sum(counts.values()) == read.total
    for side in SIDE_VALUES:
        listed = engine.search(results.query, k=20, side=side)
        pairs = zip(read.hits.ids, read.sides, strict=True)
        on_it = [
            (one.probability < FIRST_PLACES_PROBABILITY, id)
            for id, one in pairs
            if one.value == side
        ]
        if side != "unclear":
            on_it.sort(key=lambda one: one[0])
        assert listed.hits.ids == [id for _, id in on_it]
        assert counts[side] == len(listed.hits) == listed.total
    for one in results.sides:
        assert 0 <= one.probability <= 1
        assert one.explanation.value == pytest.approx(one.probability)


def _check_shown(answer: Answer) -> None:
    said = answer.to_dict()
    json.dumps(said)
    for hit in said["hits"]:
        sentence = hit["sentence"]
        assert bool(sentence["text"]) == any(p["text"].strip() for p in hit["premises"])
        assert len(sentence["text"]) <= WIDTH + 2 * len(ELLIPSIS)
        assert all(0 <= a < b <= len(sentence["text"]) for a, b in sentence["marks"])
        assert hit["factors"]["premises"] >= 1


@pytest.mark.parametrize("name", ["signs", "emoji"])
def test_without_a_known_word_nothing_is_found(engine: Engine, name: str) -> None:
    results = engine.search(QUESTIONS[name], sides=True)
    assert (results.total, results.discriminative, len(results.hits)) == (0, 0, 0)
    assert (results.suggestion, results.first_weak_rank) == (None, None)
    told = ("no argument has the words “🦁”, “🦓”",) if name == "emoji" else ()
    assert results.remarks == told
    assert set(results.balance.counts.values()) == {0}


def test_an_emoji_is_a_word_that_no_argument_has(plain: Engine) -> None:
    found, wanted = (
        plain.search(q, config="dirichlet", sides=True)
        for q in (QUESTIONS["emoji and words"], "zoos should be closed?")
    )
    assert found.hits.ids == wanted.hits.ids
    assert [s.value for s in found.sides] == [s.value for s in wanted.sides]
    assert found.unknown == ("🦁", "🦓", "😀")
    assert wanted.unknown == ()


def test_sides_that_nobody_asked_for_are_those_of_conclusion_and_stance(plain: Engine) -> None:
    results = plain.search("Should zoos be closed?")
    sides = dict(zip(results.hits.ids, [side.value for side in results.sides], strict=True))
    assert [sides[f"a{i}"] for i in range(4)] == ["for", "against", "against", "for"]


def test_an_index_without_words_answers_nothing(tmp_path: Path) -> None:
    with Engine.open(indexed(tmp_path, [document("a", "!!!", "...")])) as engine:
        for model in ("dirichlet", "bm25", "bm25f", "dph", "tfidf"):
            assert len(engine.search("zoos", config=model)) == 0


def test_of_200_000_words_the_point_is_found(tmp_path: Path) -> None:
    corpus = CORPORA["one of 200,000 words"]
    assert len(corpus[0]["premises"][0]["text"].split()) > 200_000
    for engine in _opened(corpus, tmp_path):
        results = engine.search("Are zoos prisons?", k=20)
        shown = {one.hit.id: one.sentence.text for one in Answer(engine, results).hits}
        assert "Zoos are prisons." in shown["a0"]
