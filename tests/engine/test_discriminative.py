"""What has a word that tells what is asked for, by brute force over the texts' own words."""

from __future__ import annotations

from typing import Any

import pytest

from argsearch.engine import Engine
from argsearch.indexer.analysis import StandardAnalyzer

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
@pytest.mark.parametrize("asked", [{}, {"sort": "-quality"}, {"where": ["words > 30"]}], ids=str)
def test_only_what_has_such_a_word_is_listed_sorted_and_counted(
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


def test_sides_are_read_of_these_alone(engine: Engine) -> None:
    found = engine.search("should zoos be closed", discriminative=True, side="both", collapse=False)
    told = set(engine.search("should zoos be closed", k=1000, discriminative=True).hits.ids)
    assert found.balance is not None
    assert len(found.balance.sides) == min(100, len(told))
    assert {id for one in found.lists.values() for id in one.hits.ids} <= told
