"""Facets: counts by brute force, ranges that filter to what they count, and what is refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from argsearch.engine import Engine
from argsearch.engine.backends.embedded.searching import Search
from argsearch.engine.query.facets import check, counted, edges
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import Column, Values
from tests.engine.narrowing import COLUMNS, CONFIGS, Plain, clauses, range_counts, texts

SERVED = "columned_index"
ALL = 10_000


@pytest.mark.thorough
@examples(max_examples=60)
@given(text=texts(), where=clauses(), config=st.sampled_from(CONFIGS), collapse=st.booleans())
def test_counts_are_those_of_all_matches(
    engine: Engine, plain: Plain, text: str, where: list[str], config: str, collapse: bool
) -> None:
    ids = engine.search(text, k=ALL, where=where, config=config).hits.ids
    found = engine.search(text, k=2, where=where, config=config, facets=COLUMNS, collapse=collapse)
    assert tuple(found.facets) == COLUMNS
    assert found.total == len(ids)
    for column, values in found.facets.items():
        wanted = plain.counts(column, ids)
        assert [-one.count for one in values] == sorted(-one.count for one in values)
        if column in ("stance", "source", "cluster"):
            assert {one.value: one.count for one in values} == wanted
            rows = [(-one.count, one.value) for one in values]
            assert rows == sorted(rows)
        else:
            range_counts(values, wanted)


def test_what_is_not_asked_for_or_not_found_is_not_counted(engine: Engine) -> None:
    assert engine.search("w0").facets == {}
    assert engine.search("w0", facets="stance").facets.keys() == {"stance"}
    nothing = engine.search("unknown", facets=("stance", "words"))
    assert nothing.facets == {"stance": (), "words": ()}


def test_an_unknown_column_says_what_there_is(engine: Engine) -> None:
    said = "facet must be a column that can be counted, not 'colour'; these are quality, stance"
    with pytest.raises(InvalidParameter, match=said):
        engine.search("w0", facets=["stance", "colour"])
    below = {"depth": Column("depth", "d", "number", "float32", low=-1.0)}
    with pytest.raises(InvalidParameter, match="not 'depth'"):
        check(["depth"], below)


def described(dtype: str, **more: Any) -> Column:
    return Column("of", "A column.", "number", dtype, **more)


@pytest.mark.parametrize("column", [
    described("float32"), described("float64", high=500.0), described("int32", high=2**31 - 1),
    described("int32", low=5, high=70, missing=0), described("float32", missing=0.5),
], ids=lambda c: f"{c.dtype} {c.low:g}..{c.high:g}")  # fmt: skip
@given(data=st.data())
def test_each_number_is_in_one_range(column: Column, data: st.DataObject) -> None:
    element = hnp.from_dtype(np.dtype(column.dtype), min_value=column.low, max_value=column.high)
    several = st.one_of(element, st.sampled_from([e for e in edges(column) if e <= column.high]))
    if column.dtype.startswith("float"):
        several |= st.just(float("nan"))
    array = np.array(data.draw(st.lists(several, max_size=30)), column.dtype)
    found = counted(Values(column, array), np.arange(len(array), dtype=np.int32))
    has = array[(array == array) & (array != column.missing)]
    if column.dtype == "float32":
        range_counts(found, Counter(has.tolist()))
    else:
        for one in found:
            low, high = one.span or (0, 0)
            assert one.count == np.count_nonzero((has >= low) & (has < (high or np.inf)))
        assert sum(one.count for one in found) == len(has)


def test_small_whole_numbers_are_counted_a_value() -> None:
    column = described("int16", low=-5, high=9, missing=-1)
    array = np.array([-5, -1, 3, 3, 9, -1, -5], np.int16)
    found = counted(Values(column, array), np.array([0, 1, 2, 3, 5, 6], np.int32))
    assert [(one.value, one.count, one.span) for one in found] == [(-5, 2, None), (3, 2, None)]


def test_years_and_ranges_are_written_as_where_takes_them() -> None:
    date = Column("date", "d", "number", "int32", low=10101, high=99991231, missing=0)
    days = np.array([20120101, 20121231, 20130101, 99991231, 0], np.int32)
    found = counted(Values(date, days), np.arange(5, dtype=np.int32))
    assert [one.to_dict() for one in found] == [
        {"value": "2012-01-01..2013-01-01", "from": 20120101, "to": 20130101, "count": 2},
        {"value": "2013-01-01..2014-01-01", "from": 20130101, "to": 20140101, "count": 1},
        {"value": "9999-01-01..", "from": 99990101, "to": None, "count": 1},
    ]
    words = np.array([0, 99, 100, 299, 300], np.int32)
    values = Values(described("int32", high=2**31 - 1), words)
    assert [one.to_dict() for one in counted(values, np.arange(5, dtype=np.int32))] == [
        {"value": "100..300", "from": 100, "to": 300, "count": 2},
        {"value": "0..1", "from": 0, "to": 1, "count": 1},
        {"value": "30..100", "from": 30, "to": 100, "count": 1},
        {"value": "300..1000", "from": 300, "to": 1000, "count": 1},
    ]


def test_nothing_is_collected_that_is_not_looked_at(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hits need no bits of what matches; each count does."""
    searcher = engine.backend.contents.searcher  # type: ignore[union-attr]
    word = searcher.vocabulary[0].decode()
    wanted = engine.search(word, k=5)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("collected")

    monkeypatch.setattr(Search, "matching", never)
    found = engine.search(word, k=5, facets=["stance"])
    assert found.hits.ids == wanted.hits.ids
    assert found.hits[0].explanation.value == found.hits[0].score
    for collected in ("total", "facets", "discriminative"):
        with pytest.raises(AssertionError, match="collected"):
            getattr(found, collected)
