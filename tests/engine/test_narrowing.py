"""Filters and folding by brute force: over random corpora, and over a real one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from argsearch.engine import Engine
from tests.engine.narrowing import CONFIGS, Condition, Plain, built, conditions, texts

ALL = 10_000


@pytest.fixture(
    scope="module",
    params=[(3, 400), *(pytest.param((seed, 90), marks=pytest.mark.slow) for seed in range(4, 9))],
    ids=lambda made: f"corpus {made[0]}",
)
def plain(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Plain]:
    seed, n = request.param
    with Engine.open(built(tmp_path_factory.mktemp("narrow"), n, seed)) as engine:
        yield Plain(engine)


def kept(plain: Plain, conditions: list[Condition], ids: list[str]) -> list[str]:
    """The hits of a search for all that all the filters keep, in their order."""
    return [id for id in ids if all(c.holds(plain.value(c.column, id)) for c in conditions)]


def heads(plain: Plain, ids: list[str]) -> list[str]:
    """Of each group of near-duplicates the first hit."""
    first: dict[str, str] = {}
    for id in ids:
        first.setdefault(min([id, *plain.engine.backend.near_duplicates(id)]), id)
    return list(first.values())


@pytest.mark.thorough
@examples(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    text=texts(),
    wanted=st.lists(conditions(), min_size=1, max_size=3),
    config=st.sampled_from(["dirichlet", "bm25", "heimdall-2021-run4", "heimdall-2021"]),
    page=st.tuples(st.integers(1, 20), st.integers(0, 20)),
)
def test_filters(
    plain: Plain, text: str, wanted: list[Condition], config: str, page: tuple[int, int]
) -> None:
    """No stage re-ranks here: of a shorter list it would see others."""
    engine, (k, offset) = plain.engine, page
    ids = kept(plain, wanted, engine.search(text, k=ALL, config=config).hits.ids)
    where = [str(one) for one in wanted]
    found = engine.search(text, k=k, offset=offset, config=config, where=where)
    assert found.hits.ids == ids[offset : offset + k]
    assert found.total == len(ids)


@pytest.mark.thorough
@examples(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(
    text=texts(),
    config=st.sampled_from(CONFIGS),
    wanted=st.lists(conditions(), max_size=1),
    page=st.tuples(st.integers(1, 20), st.integers(0, 20)),
)
def test_folding(
    plain: Plain, text: str, config: str, wanted: list[Condition], page: tuple[int, int]
) -> None:
    engine, (k, offset) = plain.engine, page
    asked: dict[str, Any] = {"config": config, "where": [str(one) for one in wanted]}
    whole = engine.search(text, k=ALL, **asked)
    ids = heads(plain, whole.hits.ids)
    found = engine.search(text, k=k, offset=offset, collapse=True, **asked)
    assert found.hits.ids == ids[offset : offset + k]
    assert (found.total, found.groups) == (whole.total, len(ids))
    assert engine.search(text, **asked).groups is None


@pytest.mark.slow
@pytest.mark.data
def test_filters_and_folding_of_a_real_corpus(real_parts: Path) -> None:
    clauses = [Condition("words", ">=", "300"), Condition("stance", "=", "con"),
               Condition("quality", "<", "0.5"), Condition("date", "=", "2012-01-01..2016-01-01"),
               Condition("source", "!=", "debate.org"),
               Condition("cluster", "=", "0..9")]  # fmt: skip
    with Engine.open(real_parts) as engine:
        plain = Plain(engine)
        for text in ("should teachers get tenure", "death penalty", "is vegan food good"):
            ids = engine.search(text, k=ALL, config="heimdall-2021").hits.ids
            for wanted in ([], *([one] for one in clauses), clauses[:3]):
                where = [str(one) for one in wanted]
                found = engine.search(text, k=ALL, config="heimdall-2021", where=where)
                assert found.hits.ids == kept(plain, list(wanted), ids)
                collapsed = engine.search(
                    text, k=50, config="heimdall-2021", where=where, collapse=True
                )
                assert collapsed.hits.ids == heads(plain, found.hits.ids)[:50]
                assert collapsed.groups == len(heads(plain, found.hits.ids))
