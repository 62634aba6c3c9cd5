"""Columns: the number in [0, 1] by which one carries a weight in the score."""

from __future__ import annotations

import math
from dataclasses import asdict, replace

import numpy as np
import orjson
import pytest

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import open_arrays, open_columns
from argsearch.indexer.format.columns import Column, check_weights
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.signals import SIGNALS, Signal, WholeCorpus
from argsearch.indexer.signals.date import Date
from argsearch.indexer.signals.words import Words
from tests.indexes import Built

AGE = Column("age", "Years.", "number", "float64", low=10.0, high=20.0)


@pytest.mark.parametrize("missing", [None, -1.0, math.nan])
def test_a_number_is_scaled_into_its_range_and_none_is_0(missing: float | None) -> None:
    column = replace(AGE, missing=missing)
    values = np.array([10.0, 15.0, 20.0, 25.0, math.nan, -1.0])
    assert column.scaled(values).tolist() == [0.0, 0.5, 1.0, 1.0, 0.0, 0.0]


def test_a_weight_is_of_a_column_with_numbers() -> None:
    known = {"age": AGE, "source": Column("source", "Where.", "category", "int32")}
    check_weights([("age", 1.0)], known)
    for name in ("source", "nope"):
        with pytest.raises(
            InvalidParameter, match=rf"column {name} .*; the columns that can have a weight are age"
        ):
            check_weights([("age", 1.0), (name, 1.0)], known)


def test_a_weight_is_not_of_numbers_that_are_names() -> None:
    known = {"age": AGE, "cluster": replace(AGE, name="cluster", ramp=(0.0, 0.0))}
    said = "column cluster has unordered numbers"
    with pytest.raises(InvalidParameter, match=said):
        check_weights([("cluster", 1.0)], known)


def test_what_a_corpus_has_weighs_from_0_to_1() -> None:
    column = replace(AGE, ramp=(12.0, 14.0))
    assert column.scaled(np.array([10.0, 13.0, 20.0])).tolist() == [0.0, 0.5, 1.0]


def test_the_longest_text_of_a_corpus_weighs_1(built: Built) -> None:
    arrays, manifest = open_arrays(built(settings=IndexSettings()))
    columns = open_columns(built(settings=IndexSettings()), arrays, manifest)
    words = columns["words"]
    assert words.column.scaled(words.array).max() == 1.0
    assert [name for name in columns if not columns[name].column.weightless] == [
        "quality",
        "words",
        "date",
    ]


def test_the_days_of_a_corpus_weigh_from_its_first_to_its_last() -> None:
    days = np.array([20200101, 0, 20210101], np.int32)
    column, _ = Date().finish(days, None)  # type: ignore[arg-type]
    assert column.scaled(days).tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("days", [[], [0, 0], [20200101, 0], [20200101, 20200101]])
def test_without_two_days_each_document_weighs_0(days: list[int]) -> None:
    found, raw = Date().finish(np.array(days, np.int32), None)  # type: ignore[arg-type]
    column = Column.from_json(orjson.loads(orjson.dumps(found)))
    assert not column.weightless
    assert column.scaled(raw).tolist() == [0.0] * len(days)


def test_where_all_texts_are_empty_each_weighs_0() -> None:
    lengths = np.zeros(3, np.int32)
    column, raw = Words().finish(None, WholeCorpus(IndexSettings(), lengths, None))  # type: ignore[arg-type]
    assert not column.weightless
    assert column.scaled(raw).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("signal", SIGNALS)
def test_of_an_index_built_before_no_column_weighs_by_another_rule(signal: Signal) -> None:
    described = {k: v for k, v in asdict(signal.column).items() if k != "ramp"}
    column = Column.from_json(described)
    assert (not column.weightless) == (column.name == "quality")
    said = {"cluster": "unordered numbers"}.get(column.name, "build it again with")
    if column.name in ("cluster", "date", "words"):
        with pytest.raises(InvalidParameter, match=said):
            check_weights([(column.name, 1.0)], {column.name: column})
