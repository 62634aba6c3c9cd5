"""Filters by columns: parsed, checked, and equal to looking at every document."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.query.filters import OneOf, Range, parse_where, passing, read_filters, select
from argsearch.indexer.building.changing import remove
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.format.columns import Column, Values
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.signals.date import Date
from argsearch.indexer.signals.source import Source
from tests.indexes import Built

PLAIN = IndexSettings(encoder="none", quality_model="none")

QUERY = "should animals be kept in zoos, and should teachers get tenure"


@pytest.mark.parametrize(
    ("clause", "filter"),
    [
        ("quality >= .6", Range("quality", low=0.6)),
        ("Words<200", Range("words", high=200.0, high_open=True)),
        ("date > 2019-05-31", Range("date", low=20190531.0, low_open=True)),
        ("source = a b, c", OneOf("source", ("a b", "c"))),
        ("stance!=pro", OneOf("stance", ("pro",), negated=True)),
        ('source = "Guardian, London"', OneOf("source", ("Guardian, London",))),
        ('source = "a, b" , c,"d"', OneOf("source", ("a, b", "c", "d"))),
        ('source = "say ""no"", twice"', OneOf("source", ('say "no", twice',))),
        ('source = 5" guns, x', OneOf("source", ('5" guns', "x"))),
        ('source = " a "', OneOf("source", (" a ",))),
        ("source = a,,b,", OneOf("source", ("a", "b"))),
    ],
)
def test_clauses_are_read(clause: str, filter: object) -> None:
    assert parse_where(clause) == filter


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ("quality", "must be COLUMN OPERATOR VALUE"),
        ("quality >=", "must be COLUMN OPERATOR VALUE"),
        ("quality >= high", "'high' is neither a number nor a day"),
        ('source = "Guardian', "begins with a double quote must end with one"),
        ('source = "a" b', "begins with a double quote must end with one"),
        ('source = a, "b', "begins with a double quote must end with one"),
        ("colour = red", "there is no column 'colour'; the columns are quality, stance"),
        ("stance = maybe", "a condition that compares stance with pro or con"),
        ("stance > 1", "a column with labels allows only = and !="),
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
        with pytest.raises(InvalidParameter, match="compares date with a day of the calendar"):
            read_filters([f"date {operator} {wrong}"], None, columns)


LABELS = (
    st.text(st.sampled_from("ab\"', \\=<ü"), min_size=1, max_size=8).map(str.strip).filter(bool)
)


def category(labels: list[str]) -> Values:
    """A document for each label, and one without."""
    return Values(Source.column, np.arange(len(labels) + 1, dtype=np.int32), tuple(labels))


def found(clause: str, values: Values) -> list[str | float | None]:
    """The values of the documents that a clause selects."""
    columns = {values.column.name: values}
    known = {name: one.column for name, one in columns.items()}
    filters = read_filters([clause], None, known, lambda _name, label: label in values.labels)
    return values.of(np.flatnonzero(passing(filters, columns)))


@given(st.lists(LABELS, min_size=1, max_size=6, unique=True))
@example(["Guardian", "London", "Guardian, London"])
@example(["a", 'say "a", b', "b"])
def test_a_label_is_selected_alone_whatever_it_holds(labels: list[str]) -> None:
    values = category(labels)
    for label in labels:
        quoted = '"' + label.replace('"', '""') + '"'
        others = [one for one in labels if one != label]
        assert found(f"source = {quoted}", values) == [label]
        assert sorted(filter(None, found(f"source != {quoted}", values))) == sorted(others)
        if not label.startswith('"') and ',"' not in label.replace(" ", ""):
            assert found(f"source = {label}", values) == [label]
    every = ", ".join('"' + label.replace('"', '""') + '"' for label in labels)
    assert sorted(found(f"source={every}", values)) == sorted(labels)


@pytest.mark.parametrize("dtype", ["uint16", "int32", "float32"])
@given(
    numbers=st.lists(st.integers(0, 9), min_size=1, max_size=8),
    asked=st.lists(st.sampled_from([0, 3, 7, 7.0, 7.9, 1.5, 9, 2.5]), min_size=1, max_size=3),
    missing=st.sampled_from([None, 0, 9]),
)
def test_numbers_are_equal_or_not(dtype: str, numbers, asked, missing) -> None:
    """A fraction equals no whole number, and a missing value equals nothing."""
    column = Column("n", "", "number", dtype, high=9, missing=missing)
    values = {"n": Values(column, np.array(numbers, dtype))}
    for operator in ("=", "!="):
        (one,) = read_filters([f"n {operator} {', '.join(map(str, asked))}"], None, {"n": column})
        equal = [n in asked and n != missing for n in numbers]
        wanted = [same == (operator == "=") for same in equal]
        assert passing([one], values).tolist() == wanted


def test_without_an_encoder_nothing_is_in_cluster_0(built: Built) -> None:
    index = built(settings=PLAIN)
    for clause, matches in (("cluster = 0", 0), ("cluster != 0", 321), ("cluster >= 0", 0)):
        selected = select(index, [clause])
        assert (len(selected.ids), selected.documents) == (matches, 321)


@pytest.mark.parametrize(
    ("clause", "said"),
    [
        ("source = a, b", 'source is "a" or "b"'),
        ('source != "a, b"', 'source is not "a, b"'),
        ("source != a, b", 'source is neither "a" nor "b"'),
        ("stance = PRO,con", 'stance is "PRO" or "CON"'),
        ("words = 7.9", "words is 7.9"),
        ("words = 100..300", "100 <= words < 300"),
        ("date >= 2019-05-31", "date >= 2019-05-31"),
        ("date = 2019-01-01..2020-01-01", "2019-01-01 <= date < 2020-01-01"),
        ("quality < .5", "quality < 0.5"),
        ("words = ..", "words has a value"),
        ('source = "say ""no"""', 'source is "say ""no"""'),
    ],
)
def test_a_filter_in_words(built: Built, clause: str, said: str) -> None:
    assert select(built(), [clause]).conditions == (said,)


def test_an_index_that_a_killed_exchange_left_aside_is_found(built: Built, tmp_path: Path) -> None:
    aside = Path(shutil.copytree(built(settings=PLAIN), tmp_path / ".index.exchanging"))
    selected = select(tmp_path / "index", ["stance = pro"])
    assert len(selected.ids) > 0
    assert remove(tmp_path / "index", selected.again).removed == len(selected.ids)
    assert not aside.exists()


def test_what_changed_between_looking_and_removing_is_not_removed(
    built: Built, tmp_path: Path
) -> None:
    index = Path(shutil.copytree(built(settings=PLAIN), tmp_path / "index"))
    selected = select(index, ["stance = pro"])
    assert selected.again(index) == selected.ids
    remove(index, selected.ids[:1])
    with pytest.raises(ArgsearchError, match="was changed meanwhile: .* nothing was removed"):
        remove(index, selected.again)
