"""Filters by columns: parsed, checked, and equal to looking at every document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.engine.query.filters import OneOf, Range, parse_where, read_filters
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.signals.date import Date
from argsearch.indexer.signals.source import source_of

QUERY = "should animals be kept in zoos, and should teachers get tenure"


@pytest.fixture(scope="module")
def engine(sample_index: Path) -> Iterator[Engine]:
    with Engine.open(sample_index) as opened:
        yield opened


def _words(engine: Engine, argument: Argument) -> int:
    return len(engine.backend.searcher.analyzer.tokens(argument.text))  # type: ignore[attr-defined]


CASES: list[tuple[str, Callable[[Engine, Argument, float], bool]]] = [
    ("stance = pro", lambda _e, a, _q: a.stance == "PRO"),
    ("stance=pro,con", lambda _e, a, _q: a.stance is not None),
    ("stance != con", lambda _e, a, _q: a.stance != "CON"),
    ("source=sample", lambda _e, a, _q: source_of(a) == "sample"),
    ("source=Sample", lambda _e, _a, _q: False),
    ("words < 60", lambda e, a, _q: _words(e, a) < 60),
    ("words >= 60", lambda e, a, _q: _words(e, a) >= 60),
    ("words > 60", lambda e, a, _q: _words(e, a) > 60),
    ("quality >= .6", lambda _e, _a, q: q >= 0.6),
    ("quality<0.6", lambda _e, _a, q: q < 0.6),
    ("date >= 2000-01-01", lambda _e, _a, _q: False),
    ("date != 2000-01-01", lambda _e, _a, _q: True),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("clause", "holds"), CASES, ids=[clause for clause, _ in CASES])
@pytest.mark.parametrize("config", ["default", "bm25", "heimdall-2021-run4", "dirichlet"])
def test_a_filter_keeps_what_holds_and_nothing_else(
    engine: Engine, clause: str, holds: Callable[[Engine, Argument, float], bool], config: str
) -> None:
    deep = ["boost.premises_depth=1000"]  # each list's first ones alone would have that factor
    whole = engine.search(QUERY, k=1000, config=config, overrides=deep)
    quality = {hit.id: float(_quality(hit.explanation.find("Q"))) for hit in whole.hits}
    wanted = [
        (hit.id, hit.score) for hit in whole.hits if holds(engine, hit.argument, quality[hit.id])
    ]
    found = engine.search(QUERY, k=1000, config=config, overrides=deep, where=[clause])
    assert [(hit.id, hit.score) for hit in found.hits] == wanted
    assert found.total == len(wanted)
    first = engine.search(QUERY, k=3, offset=1, config=config, overrides=deep, where=[clause])
    assert [(hit.id, hit.score) for hit in first.hits] == wanted[1:4]


def _quality(node: object) -> float:
    return node.value if node is not None else 0.0  # type: ignore[attr-defined]


def test_filters_are_joined_by_and(engine: Engine) -> None:
    both = engine.search(QUERY, k=1000, where=["words >= 40", "stance=con"], config="dirichlet")
    one = engine.search(QUERY, k=1000, where=["words >= 40"], config="dirichlet", stance="con")
    assert both.hits.ids == one.hits.ids
    assert {hit.argument.stance for hit in both.hits} == {"CON"}


@pytest.mark.parametrize(
    ("clause", "filter"),
    [
        ("quality >= .6", Range("quality", low=0.6)),
        ("Words<200", Range("words", high=200.0, high_open=True)),
        ("date > 2019-05-31", Range("date", low=20190531.0, low_open=True)),
        ("source = a b, c", OneOf("source", ("a b", "c"))),
        ("stance!=pro", OneOf("stance", ("pro",), negated=True)),
    ],
)
def test_clauses_are_read(clause: str, filter: object) -> None:
    assert parse_where(clause) == filter


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ("quality", "allowed: COLUMN OPERATOR VALUE"),
        ("quality >=", "allowed: COLUMN OPERATOR VALUE"),
        ("quality >= high", "'high' is no number"),
        ("colour = red", "where is 'colour'; allowed: a column of this index: quality, stance"),
        ("stance = maybe", "allowed: pro, con"),
        ("stance > 1", "allowed: = or != for stance"),
        ("cluster = a", "a whole number from 0 to"),
        ("cluster = 64000", "a whole number from 0 to"),
        ("quality = 7", "a number from 0 to 1"),
        ("quality = nan", "a number from 0 to 1"),
    ],
)
def test_a_wrong_filter_says_what_there_is(engine: Engine, clause: str, words: str) -> None:
    with pytest.raises(InvalidParameter) as error:
        engine.search(QUERY, where=[clause])
    assert words in str(error.value)


@pytest.mark.parametrize("operator", ["=", ">=", "<"])
def test_a_day_is_a_whole_number(operator: str) -> None:
    columns = {"date": Date.column}
    for day in ("20190531", "2019-05-31", "20190531.0"):
        assert read_filters([f"date {operator} {day}"], None, columns)
    for wrong in ("20190531.5", "20190230", "2010"):
        with pytest.raises(InvalidParameter, match="; allowed: a day of the calendar"):
            read_filters([f"date {operator} {wrong}"], None, columns)
