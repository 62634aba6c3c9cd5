"""Every stage, filter, sort, facet and fold over awkward lists, embedded and on real servers.

Lists of none, one, tied, odd (empty, endless, foreign), repeated and many candidates; each answer
is finite, whole and ordered, and a server's is that of the embedded engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.results.results import Results
from argsearch.engine.stages import STAGES
from argsearch.indexer.server.schema import Layout
from argsearch.indexer.server.writing import write
from tests.contracts.agreement import assert_same
from tests.contracts.awkward import FOUND, built

COLUMNS = ("quality", "stance", "cluster", "words", "source", "date")
CLAUSES = [
    "stance=con", "stance != pro", "source=a.org,c", "words >= 30", "words = 0..30", "words=5000..",
    "quality < .2", "quality=0.2..0.4", "date >= 2014-01-01", "date=2012-01-01..2015-01-01",
    "cluster=0", "cluster != 0", "cluster = 0..2", "words != 21", "words = 21.5",
    "words != 21.5", "cluster = 1.5", "source = c, a.org", "source != c, a.org",
    "source = a.org, c", 'source = "c, a.org", b.org',
]  # fmt: skip
SORTS = [
    f"{sign}{column}" for column in ("quality", "cluster", "words", "date") for sign in ("-", "")
]
WEIGHTS: list[list[str]] = [
    ["boost.premises=0"],
    ["boost.premises=0", "boost.quality=1000", "boost.cluster=1000"],
    ["boost.premises=0", "boost.quality=0", "boost.cluster=0"],
]
"""As the default has them, huge, and none (R alone)."""
ALL = 1000
OURS = tuple(name for name in STAGES if name != "external")
"""Stages that need no model of somebody else's."""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("awkward"))


@pytest.fixture(scope="module")
def embedded(index: Path) -> Iterator[Engine]:
    with Engine.open(index) as engine:
        yield engine


@pytest.fixture(
    scope="module",
    params=["embedded"]
    + [
        pytest.param((name, shards), marks=[pytest.mark.servers, *marks], id=f"{name}-{shards}")
        for name, shards, marks in (
            ("elasticsearch", 1, []),
            ("elasticsearch", 3, [pytest.mark.nightly]),
            ("opensearch", 1, [pytest.mark.nightly]),
            ("opensearch", 3, [pytest.mark.slow]),
        )
    ],
)
def engine(request: pytest.FixtureRequest, index: Path, embedded: Engine) -> Iterator[Engine]:
    """The corpus in the embedded engine, and on each server in one shard and in three.

    By day each server and each number of shards is tried once; `test_servers_answers.py` has all
    pairs of them.
    """
    if request.param == "embedded":
        yield embedded
        return
    name, shards = request.param
    address = f"{request.getfixturevalue(f'{name}_url')}/awkward-{shards}"
    write(index, address, Layout(shards=shards))
    with Engine.open(address) as opened:
        yield opened


def sound(results: Results) -> None:
    """Finite scores, each hit once, explanations that are the scores and finite all through."""
    scores = results.hits.scores
    assert np.isfinite(scores).all()
    assert len(set(results.hits.ids)) == len(results)
    for hit in results[:15]:
        assert hit.explanation.value == pytest.approx(hit.score, rel=1e-5, abs=1e-9)
        assert all(np.isfinite(node.value) for node in hit.explanation)


@pytest.mark.thorough
@pytest.mark.parametrize("word", FOUND)
@pytest.mark.parametrize("stage", [(name,) for name in OURS] + [OURS], ids="+".join)
def test_stages(engine: Engine, embedded: Engine, word: str, stage: tuple[str, ...]) -> None:
    overrides = [f"rerank.stages={list(stage)!r}", "rerank.depth=20"]
    base = engine.search(word, k=ALL)
    found = engine.search(word, k=ALL, overrides=overrides)
    assert base.total == found.total == len(found) == FOUND[word]
    sound(found)
    assert (np.diff(found.hits.scores) <= 0).all()
    assert sorted(found.hits.ids) == sorted(base.hits.ids)
    assert found.hits.ids[20:] == base.hits.ids[20:]
    pages = [engine.search(word, k=7, offset=o, overrides=overrides).hits.ids for o in (0, 7, 14)]
    assert [id for page in pages for id in page] == found.hits.ids[:21]
    if engine is not embedded:
        assert_same(found, embedded.search(word, k=ALL, overrides=overrides))


@pytest.mark.thorough
@pytest.mark.parametrize("question", ["odd zoos", "xqzzy", "動物", "Hunde odd", "odd " * 400])
@pytest.mark.parametrize("stage", OURS)
def test_questions(engine: Engine, stage: str, question: str) -> None:
    """A question of one unknown word, another language or hundreds of words."""
    found = engine.search(question, k=ALL, overrides=[f"rerank.stages=['{stage}']"])
    sound(found)
    assert sorted(found.hits.ids) == sorted(engine.search(question, k=ALL).hits.ids)


def value(engine: Engine, column: str, id: str) -> Any:
    """A document's value, by the embedded engine's columns."""
    backend: Any = engine.backend
    return backend.columns[column].at(backend.ids.find(id))


@pytest.mark.thorough
@pytest.mark.parametrize("word", FOUND)
def test_filters_and_facets(engine: Engine, embedded: Engine, word: str) -> None:
    for clause in [None, *CLAUSES]:
        asked: dict[str, Any] = {"where": [clause] if clause else []}
        whole = embedded.search(word, k=ALL, **asked)
        found = engine.search(word, k=3, facets=COLUMNS, **asked)
        assert found.total == len(whole)
        for column, values in found.facets.items():
            wanted = Counter(value(embedded, column, id) for id in whole.hits.ids)
            del wanted[None]
            for one in values:
                low, high = one.span or (one.value, None)
                if one.span is None:
                    assert one.count == wanted[one.value]
                else:
                    ends = np.float32(low), np.inf if high is None else np.float32(high)
                    if column != "quality":
                        ends = low, np.inf if high is None else high
                    assert one.count == sum(n for v, n in wanted.items() if ends[0] <= v < ends[1])
            assert sum(one.count for one in values) == sum(wanted.values())
        assert found.facets == embedded.search(word, facets=COLUMNS, **asked).facets


@pytest.mark.parametrize("word", FOUND)
def test_every_facet_filters_to_what_it_counts(engine: Engine, word: str) -> None:
    for column, values in engine.search(word, facets=COLUMNS).facets.items():
        for one in values:
            assert engine.search(word, where=[f"{column}={one.value}"]).total == one.count


@pytest.mark.thorough
@pytest.mark.parametrize("word", FOUND)
@pytest.mark.parametrize("weights", WEIGHTS, ids=["default", "huge", "none"])
def test_sorts(
    engine: Engine, embedded: Engine, word: str, weights: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows_at_once = max(7, FOUND[word] // 5)  # as beyond 10,000 hits
    monkeypatch.setattr("argsearch.engine.backends.server.backend.HITS_AT_ONCE", rows_at_once)
    for sort in SORTS:
        found = engine.search(word, k=ALL, sort=sort, overrides=weights)
        sound(found)
        assert len(found) == FOUND[word]
        wanted = embedded.search(word, k=ALL, sort=sort, overrides=weights)
        assert_same(found, wanted)
        column, sign = sort.removeprefix("-"), -1 if sort.startswith("-") else 1
        values = [value(embedded, column, id) for id in found.hits.ids]
        rows = [(v is None, 0 if v is None else sign * v) for v in values]
        assert rows == sorted(rows)
        paged = [
            id
            for offset in range(0, 60, 20)
            for id in engine.search(
                word, k=20, offset=offset, sort=sort, overrides=weights
            ).hits.ids
        ]
        assert paged == found.hits.ids[:60]


@pytest.mark.parametrize("word", FOUND)
def test_columns(engine: Engine, embedded: Engine, word: str) -> None:
    found = engine.search(word, k=ALL)
    for column, values in found.hits.columns().items():
        assert values == [value(embedded, column, id) for id in found.hits.ids]


@pytest.mark.thorough
@pytest.mark.parametrize("word", FOUND)
@pytest.mark.parametrize("sort", [None, "-date"])
def test_folding(engine: Engine, embedded: Engine, word: str, sort: str | None) -> None:
    """Equal to brute force, in an index directory and on a server."""
    whole = engine.search(word, k=ALL, sort=sort)
    first: dict[str, str] = {}
    for id in whole.hits.ids:
        first.setdefault(min([id, *engine.backend.near_duplicates(id)]), id)
    found = engine.search(word, k=ALL, collapse=True, sort=sort)
    assert found.hits.ids == list(first.values())
    assert (found.total, found.groups) == (FOUND[word], len(first))
    for stage in OURS if engine is embedded else ():
        collapsed = engine.search(
            word, k=ALL, collapse=True, overrides=[f"rerank.stages=['{stage}']"]
        )
        assert (len(collapsed), collapsed.groups) == (len(first), len(first))
        sound(collapsed)


def test_the_lists_are_awkward(embedded: Engine) -> None:
    """Without such lists the tests above would pass whatever happens."""
    tied = embedded.search("tied", k=ALL)
    assert len(set(tied.hits.scores.tolist())) < FOUND["tied"]
    assert embedded.search("repeated", collapse=True).groups == 5
    assert max(embedded.search("odd", k=ALL).hits.columns()["words"]) > 5000  # type: ignore[type-var]
    dates = embedded.search("many", k=ALL).hits.columns()["date"]
    assert None in dates
    assert len(set(dates)) > 20
