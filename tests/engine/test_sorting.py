"""Sorting: every order is that of all matches sorted plainly, on every page."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.query.sort import first, keys
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import Column
from tests.engine.narrowing import Plain, clauses, texts

SERVED = "columned_index"
ALL = 10_000
SORTABLE = ("quality", "cluster", "words", "date")
PREMISES = ["boost.premises=0"]
FORMS = ["retrieval.stem_conflation=0.5", *PREMISES]
CONCLUSIONS = ["retrieval.fields=conclusion", *PREMISES]
SYSTEMS = [
    *(
        (name, weights)
        for name in ("default", "dirichlet", "bm25")
        for weights in (PREMISES, FORMS, CONCLUSIONS)
    ),
    ("bm25f", PREMISES),
    ("heimdall-2021-run4", PREMISES),
]


def found(results: object) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in results]  # type: ignore[attr-defined]


@pytest.mark.thorough
@examples(max_examples=80)
@given(
    text=texts(),
    where=clauses(),
    system=st.sampled_from(SYSTEMS),
    column=st.sampled_from(SORTABLE),
    falling=st.booleans(),
    page=st.tuples(st.integers(1, 40), st.integers(0, 60)),
)
def test_the_order_is_that_of_all_matches(
    engine: Engine,
    plain: Plain,
    text: str,
    where: list[str],
    system: tuple[str, list[str]],
    column: str,
    falling: bool,
    page: tuple[int, int],
) -> None:
    config, overrides = system
    asked = {"where": where, "config": config, "overrides": overrides}
    whole = engine.search(text, k=ALL, **asked)  # type: ignore[arg-type]
    wanted = plain.ordered(whole, column, falling)
    sort, (k, offset) = f"{'-' * falling}{column}", page
    got = engine.search(text, k=k, offset=offset, sort=sort, **asked)  # type: ignore[arg-type]
    assert found(got) == wanted[offset : offset + k]
    assert got.total == whole.total
    assert str(got.sort) == sort
    assert found(engine.search(text, k=ALL, sort=sort, **asked)) == wanted  # type: ignore[arg-type]


def test_explanations_are_those_of_the_scores(engine: Engine) -> None:
    scores = dict(found(engine.search("w0 w9", k=ALL, overrides=PREMISES)))
    for hit in engine.search("w0 w9", k=20, sort="words"):
        assert hit.explanation.value == pytest.approx(hit.score)
        assert hit.score == scores[hit.id]


def test_of_near_copies_the_first_in_that_order_stands(engine: Engine) -> None:
    whole = engine.search("w0 w1", k=ALL, sort="-date").hits.ids
    best: dict[str, str] = {}
    for id in whole:
        best.setdefault(min([id, *engine.backend.near_duplicates(id)]), id)
    collapsed = engine.search("w0 w1", k=ALL, sort="-date", collapse=True)
    assert collapsed.hits.ids == list(best.values())
    assert collapsed.groups == len(best) < collapsed.total == len(whole)


def test_stages_are_left_out_and_named(engine: Engine) -> None:
    mmr = ["rerank.stages=['mmr', 'structural']"]
    sorted_ = engine.search("w0 w1", sort="date", overrides=mmr)
    assert "in the order of date, without mmr and structural" in sorted_.notes
    assert sorted_.hits.ids == engine.search("w0 w1", sort="date").hits.ids
    assert not any("order" in note for note in engine.search("w0", overrides=mmr).notes)


@pytest.mark.parametrize("sort", ["stance", "source", "colour", "-", "--date", "score"])
def test_what_is_no_number_says_what_there_is(engine: Engine, sort: str) -> None:
    said = f"one of the numeric columns quality, cluster, words, date, not {sort!r}; a leading - "
    with pytest.raises(InvalidParameter, match=said):
        engine.search("w0", sort=sort)


@example(numbers=[1.0, float("nan"), 0.5, float("inf")], missing=0.5, most=2, falling=True)
@given(
    numbers=st.lists(st.floats(width=32) | st.sampled_from([0.0, 1.0, float("nan")]), max_size=20),
    missing=st.none() | st.sampled_from([0.0, 1.0]),
    most=st.integers(1, 25),
    falling=st.booleans(),
)
def test_the_first_are_among_those_looked_at(
    numbers: list[float], missing: float | None, most: int, falling: bool
) -> None:
    """Also of NaN and infinite values; what has none comes last, whatever the direction."""
    array = np.array(numbers, np.float32)
    column = Column("of", "A column.", "number", "float32", missing=missing)
    order = keys(array, column, falling)

    def key(i: int) -> tuple[bool, float]:
        none = bool(np.isnan(array[i])) or array[i] == missing
        return none, 0.0 if none else (-1 if falling else 1) * float(array[i])

    wanted = sorted(range(len(numbers)), key=key)
    assert np.argsort(order, kind="stable").tolist() == wanted
    sure, tied = (places.tolist() for places in first(order, most))
    assert sure == sorted(sure)
    assert set(sure) <= set(wanted[:most]) <= {*sure, *tied}
    assert len({key(i) for i in tied}) <= 1
    assert len(sure) + len(tied) >= min(most, len(numbers))
