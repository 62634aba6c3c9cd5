"""One road for every unit: the same filters, stances, orders, sides, pages and stages."""

from __future__ import annotations

import numpy as np
import pytest

from argsearch.engine.units import UNITS
from argsearch.indexer.errors import InvalidParameter

SERVED = "every_part"
QUESTION = "should zoos be closed"
LOCAL = ("pairs", "premises", "counters")
EVERY = {"pairs": ["pairs.max_per_argument=50", "pairs.diversity_threshold=1"]}
"""Settings by which no hit is left out for another one."""


def asked(engine, unit, **given):
    given = {"k": 1000, "overrides": EVERY.get(unit, ()), **given}
    config = "hit-girl-2022-baseline" if unit == "pairs" else "default"
    return engine.search(QUESTION, unit=unit, config=config, **given)


@pytest.mark.thorough
@pytest.mark.parametrize("unit", LOCAL)
def test_filters_are_exact(engine, unit):
    whole, found = asked(engine, unit), asked(engine, unit, where=["words >= 60"])
    values = found.hits.columns()["words"]
    assert min(values) >= 60
    for hit in found:
        for id in hit.arguments:
            assert len(engine.argument(id).text.split()) > 30
    kept = {
        hit.id: hit.score
        for hit, words in zip(whole, whole.hits.columns()["words"], strict=True)
        if words >= 60
    }
    assert 0 < len(found) < len(whole)
    some = {hit.id: hit.score for hit in found if hit.id in kept}
    assert some == {id: kept[id] for id in some}
    few = asked(engine, unit, where=["words >= 60"], k=5)
    assert few.hits.ids == found.hits.ids[:5]


@pytest.mark.thorough
@pytest.mark.parametrize("unit", ["arguments", *LOCAL])
def test_stances_sort_and_pages(engine, unit):
    whole = asked(engine, unit)
    assert [hit.rank for hit in whole] == list(range(1, len(whole) + 1))
    con = asked(engine, unit, stance="con")
    assert {hit.stance for hit in con} == {"CON"}
    page = asked(engine, unit, k=7, offset=4)
    assert [(h.rank, h.id, h.score) for h in page] == [(h.rank, h.id, h.score) for h in whole[4:11]]
    words = asked(engine, unit, sort="-words").hits.columns()["words"]
    assert words == sorted(words, reverse=True)
    assert str(asked(engine, unit, sort="words").sort) == "words"


@pytest.mark.thorough
@pytest.mark.parametrize("unit", ["arguments", "pairs", "premises"])
def test_sides_are_read_of_what_hits_state(engine, unit):
    plain = asked(engine, unit, k=20)
    assert plain[0].side is None
    both = asked(engine, unit, k=5, side="both")
    assert list(both.lists) == ["for", "against"]
    for side, found in both.lists.items():
        alone = asked(engine, unit, k=5, side=side)
        assert alone.hits.ids == found.hits.ids
        assert [hit.side.value for hit in found] == [side] * len(found)
    assert sum(both.balance.counts.values()) == len(both.balance.sides) > 0


@pytest.mark.parametrize("unit", LOCAL)
@pytest.mark.parametrize("stage", ["mmr", "structural", "quality"])
def test_every_stage_serves_every_unit(engine, unit, stage):
    settings = (*EVERY.get(unit, ()), f"rerank.stages=['{stage}']", "rerank.depth=12")
    plain, found = asked(engine, unit, k=30), asked(engine, unit, k=30, overrides=settings)
    assert sorted(found.hits.ids[:12]) == sorted(plain.hits.ids[:12])
    assert found.hits.ids[12:] == plain.hits.ids[12:]
    before = dict(zip(plain.hits.ids, plain.hits.scores.tolist(), strict=True))
    assert np.all(np.diff(found.hits.scores) <= 0)
    for hit in found[:14]:
        assert hit.explanation.value == hit.score
        if unit != "premises":  # whose ids several hits may share
            assert any(node.value == before[hit.id] for node in hit.explanation)


@pytest.mark.parametrize("unit", UNITS)
def test_what_a_unit_does_not_take_is_refused_by_one_rule(engine, unit):
    refused = {
        "collapse": True,
        "facets": ["stance"],
        "side": "for",
        "sides": True,
        "sort": "words",
    }
    for name, value in refused.items():
        if name in UNITS[unit].takes:
            continue
        with pytest.raises(InvalidParameter, match=f"{unit} do not support {name}; they support"):
            engine.search(QUESTION, unit=unit, **{name: value})
    with pytest.raises(InvalidParameter, match="unit must be arguments, pairs, .*, not 'debates'"):
        engine.search(QUESTION, unit="debates")


@pytest.mark.parametrize("unit", UNITS)
def test_a_hit_is_shown_in_two_lines_and_escaped(engine, unit):
    results = asked(engine, unit, k=3)
    assert (results.unit, results[0].unit) == (unit, unit)
    for hit in results:
        first, second = repr(hit).split("\n")
        assert hit.id in first
        assert len(first) + len(second) < 300
        assert hit.texts[0] == (hit.conclusion or hit.text)
        assert "<script" not in hit._repr_html_()
    assert results._repr_html_().count("<p>") == 3
    assert {"rank", "score", "id", "stance", "conclusion", "text"} == results.to_dicts()[0].keys()


@pytest.mark.thorough
@pytest.mark.parametrize("unit", ["arguments", "pairs", "premises"])
def test_an_argument_can_be_the_question_of_sides(engine, unit):
    argument = engine.search(QUESTION, k=1)[0].argument
    found = engine.search(argument, unit=unit, sides=True, k=3)
    assert found.balance is not None
    assert found.hits.ids == engine.search(argument.premise, unit=unit, sides=True, k=3).hits.ids


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_asked_by_its_own_configuration(engine, unit):
    own = engine.search(QUESTION, unit=unit)
    assert own.config.name == (UNITS[unit].config or engine.usual)
    assert engine.rank(QUESTION, unit=unit).config.name == "default"


def test_pairs_that_filters_leave_out_are_no_want_of_tokens(engine):
    found = engine.pairs(QUESTION, where=["quality >= 1"])
    assert (len(found), found.notes) == (0, ())


@pytest.mark.parametrize("unit", UNITS)
def test_a_weight_of_no_column_is_refused_by_every_unit(engine, unit):
    with pytest.raises(InvalidParameter, match="column nope does not exist"):
        engine.search(QUESTION, unit=unit, overrides=["boost.columns.nope=5.0"])


@pytest.mark.parametrize("given", [{"offset": 10**9, "k": 3}, {"k": 10**9, "collapse": True}])
def test_pages_beyond_the_last_hit_are_empty_or_whole(engine, given):
    found = engine.search(QUESTION, config="heimdall-mmr", **given)
    assert len(found) == (0 if "offset" in given else found.groups)
