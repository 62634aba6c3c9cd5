"""First places: few from one debate, reasons before bare claims, by brute force over the list."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.results.spread import (
    FIRST_PLACES,
    MOST_PER_DEBATE,
    MOVABLE_HITS,
    Spread,
    debate_of,
    gives_reason,
)
from argsearch.engine.stages import Candidates
from argsearch.indexer.corpus.argument import Argument, Premise
from tests.indexes import document, indexed

QUERY = "should zoos be closed"
ASKED: tuple[dict[str, object], ...] = ({}, {"side": "for"}, {"side": "against"})


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """120 arguments of debates of one to 20; every fifth only repeats its conclusion."""
    folder = tmp_path_factory.mktemp("spread")
    documents = []
    for i in range(120):
        bare = i % 5 == 0
        said = ("keepers", "visitors", "species", "cages", "boredom", "illness", "money")[i % 7]
        text = "Zoos should be closed." if bare else f"Zoos should be closed since {said} "
        text += "" if bare else f"harm animals in the place of towns for {i} long years."
        own = {"stance": ("PRO", "CON")[i % 2], "sourceId": f"S{i // 20}"}
        documents.append(document(f"a{i:03}", "Zoos should be closed", text * (1 + i % 3), **own))
    with Engine.open(indexed(folder, documents)) as opened:
        yield opened


def wanted(arguments: list[Argument]) -> list[str]:
    """The rule, plainly: the ids of a list in the order that it is to have."""
    head, places, first = arguments[:MOVABLE_HITS], list[Argument](), list[Argument]()
    for argument in head:
        same = [one for one in first if debate_of(one) == debate_of(argument)]
        if len(first) < FIRST_PLACES and gives_reason(argument) and len(same) < MOST_PER_DEBATE:
            first.append(argument)
    last = head.index(first[-1]) + 1 if len(first) == FIRST_PLACES else len(head)
    left = [one for one in head[:last] if one not in first]
    places = first + sorted(left, key=lambda one: not gives_reason(one))
    return [one.id for one in places + arguments[last:]]


@pytest.mark.parametrize("asked", ASKED)
def test_a_list_is_spread_by_the_rule_and_only_moved_hits_change(engine: Engine, asked) -> None:
    plain = engine.search(QUERY, k=200, **asked)
    found = engine.search(QUERY, k=200, spread=True, **asked)
    assert found.hits.ids == wanted([hit.argument for hit in plain.hits]) != plain.hits.ids
    assert found.total == plain.total
    before = {hit.id: hit for hit in plain.hits}
    scores = found.hits.scores
    assert (scores[:-1] >= scores[1:]).all()
    for hit in found.hits:
        assert hit.explanation.value == hit.score
        if hit.rank > before[hit.id].rank:
            assert "moved down: " in hit.explanation.details[1].description
            assert hit.score <= before[hit.id].score
        else:
            assert hit.score == before[hit.id].score
            assert hit.explanation == before[hit.id].explanation
    debates = [debate_of(hit.argument) for hit in found.hits[:FIRST_PLACES]]
    assert max(map(debates.count, debates)) == MOST_PER_DEBATE


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("k", [1, 3, 7])
def test_pages_are_parts_of_one_list(engine: Engine, asked, k: int) -> None:
    whole = engine.search(QUERY, k=60, spread=True, **asked).hits.ids
    pages = [
        engine.search(QUERY, k=k, offset=at, spread=True, **asked).hits.ids
        for at in range(0, len(whole), k)
    ]
    assert [id for page in pages for id in page][: len(whole)] == whole


def test_runs_and_sorted_lists_are_never_spread(engine: Engine) -> None:
    plain = engine.search(QUERY, k=50)
    assert engine.rank(QUERY, k=50).hits.ids == plain.hits.ids
    ordered = engine.search(QUERY, k=50, sort="words")
    assert engine.search(QUERY, k=50, sort="words", spread=True).hits.ids == ordered.hits.ids


def test_a_bare_claim_stands_below_every_reason_of_a_crowded_debate() -> None:
    reason = "Golf trains balance, eyesight, patience and memory."
    hits = [("lol no way", "A"), *[(reason, debate) for debate in "AAABCDE"]]
    arguments = [
        Argument(str(place), "Golf is a sport", (Premise(text),), {"sourceId": debate})
        for place, (text, debate) in enumerate(hits)
    ]
    source: Any = SimpleNamespace(stated=lambda row: arguments[row])
    rows = np.arange(len(hits))
    found = Candidates("golf", source, rows, 9.0 - rows, load_encoder=lambda: 1 / 0)
    step = Spread().step(found)
    assert step.order.tolist() == [1, 2, 4, 5, 6, 3, 0, 7]  # 3 is the third of debate A
    assert [bool(said) for said in step.remarks["moved"]] == [*[False] * 5, True, True, False]


def test_what_tells_a_debate_and_a_reason() -> None:
    def of(text: str, **context: str) -> Argument:
        return Argument("a", "Golf is a sport", (Premise(text),), context)

    assert debate_of(of("", discussionTitle="D", sourceTitle="T")) == "D"
    assert debate_of(of("", sourceId="S", sourceTitle="T")) == "S"
    assert debate_of(of("")) is None
    assert not gives_reason(of("Golf is a sport! Is golf a sport? Golf is."))
    assert not gives_reason(of("lol no way"))
    assert gives_reason(of("Golf trains balance, eyesight, patience and memory."))


def test_an_answer_says_where_little_was_found(engine: Engine) -> None:
    plenty = engine.search(QUERY, side="both")
    assert not plenty.little
    assert not any("little" in said for said in plenty.remarks)
    nothing = engine.search(QUERY, side="both", where=["words >= 9999"])
    assert nothing.little
    assert nothing.remarks[0] == "little was found: 0 for and against together"
    assert not engine.search(QUERY, side="for", where=["words >= 9999"]).little
