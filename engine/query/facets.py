"""Facets: exact counts of a column's values, over all matches or over some documents.

Labels and small integers are counted by value, and other numbers in ranges. The ranges are fifths
for numbers from 0 to 1, years for dates, and otherwise ranges that begin at 1, 3, 10, 30 and so on.
A range includes its lower end but not its upper end. Missing values are not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.parameters import FACET
from argsearch.engine.query.filters import as_stored
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import Column, Values

FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8)
"""Lower bounds of the ranges for numbers from 0 to 1."""
STEPS = tuple(float(f"{digit}e{power}") for power in range(10) for digit in (1, 3))
"""Lower bounds of the ranges for all other numbers, except the lowest range."""
YEAR = 10_000
"""One year, as a difference between dates written as yyyymmdd."""


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value or range, with the number of matching arguments that have it."""

    value: str | int
    """A label, an integer, or a range as written in `where`: 100..300."""
    count: int
    span: tuple[float, float | None] | None = None
    """Ends of a range, [from, to); `to` is None if the range has no upper end."""

    def to_dict(self) -> dict[str, Any]:
        """Return the value as data for JSON."""
        ends = {} if self.span is None else dict(zip(("from", "to"), self.span, strict=True))
        return {"value": self.value, **ends, "count": self.count}


Facets = Mapping[str, Sequence[FacetValue]]
"""The values of each requested column, by descending count, then by value."""
Counts = Mapping[str | int, int]
"""Counts by label, integer, year or index of the range."""


def edges(column: Column) -> tuple[float, ...]:
    """Return the starts of a column's ranges, or () if it is counted by value or year."""
    if column.countable or column.dated:
        return ()
    if column.low >= 0.0 and column.high <= 1.0:
        return FIFTHS
    return (float(column.low), *(step for step in STEPS if column.low < step < column.high))


def countable(column: Column) -> bool:
    """Return True if a column can be a facet. Ranges cannot begin below zero."""
    return column.countable or column.low >= 0.0


def check(names: Sequence[str], columns: Mapping[str, Column]) -> tuple[str, ...]:
    """Return the columns to count, each once, or raise InvalidParameter for an invalid name."""
    wanted = tuple(dict.fromkeys(FACET.read(names)))
    for name in wanted:
        if name not in columns or not countable(columns[name]):
            able = ", ".join(c.name for c in columns.values() if countable(c))
            raise InvalidParameter("facet", name, f"a column that can be counted; these are {able}")
    return wanted


def counted(values: Values, docs: NDArray[np.int32]) -> tuple[FacetValue, ...]:
    """Return how many of these documents have each value of a column."""
    column, array = values.column, values.array[docs]
    if column.kind == "category":
        found = np.bincount(array, minlength=len(values.labels) + 1)[1 : len(values.labels) + 1]
        return shown(column, dict(zip(values.labels, found.tolist(), strict=True)))
    if column.missing is not None:
        array = array[array != column.missing]
    return shown(column, _counts(column, array))


def tallied(column: Column, values: Sequence[float | str | None]) -> tuple[FacetValue, ...]:
    """Return the counts of a column's values of some documents; missing ones are not counted."""
    known: list[Any] = [value for value in values if value is not None]
    if column.kind == "category":
        return shown(column, Counter(known))
    return shown(column, _counts(column, np.array(known, column.dtype)))


def _counts(column: Column, array: NDArray[Any]) -> Counts:
    """Return the counts of numbers by range position, by year or by value."""
    if begins := stored_edges(column):
        above = [int(np.count_nonzero(array >= array.dtype.type(begin))) for begin in begins]
        return {place: a - b for place, (a, b) in enumerate(pairwise([*above, 0]))}  # no NaN
    keys = array.astype(np.int64)
    if column.dated:
        keys //= YEAR
    least = int(keys.min(initial=0))
    return {least + i: n for i, n in enumerate(np.bincount(keys - least).tolist())}


def stored_edges(column: Column) -> list[float]:
    """Return the edges in the column's precision, as filters read them."""
    return [as_stored(edge, np.dtype(column.dtype)) for edge in edges(column)]


def shown(column: Column, counts: Counts) -> tuple[FacetValue, ...]:
    """Return counts above zero as facet values, by descending count, then by value."""
    there: list[tuple[Any, int]] = sorted((key, n) for key, n in counts.items() if n)
    there.sort(key=itemgetter(1), reverse=True)
    if column.dated:
        return tuple(_year(key, n) for key, n in there)
    if begins := edges(column):
        return tuple(_range(begins, key, n) for key, n in there)
    return tuple(FacetValue(key, n) for key, n in there)


def _year(year: int, count: int) -> FacetValue:
    low, high = f"{year:04d}-01-01", f"{year + 1:04d}-01-01" if year < 9999 else ""
    ends = (year * YEAR + 101, (year + 1) * YEAR + 101 if high else None)
    return FacetValue(f"{low}..{high}", count, ends)


def _range(begins: Sequence[float], place: int, count: int) -> FacetValue:
    begin, end = (_whole(edge) for edge in (*begins, np.inf)[place : place + 2])
    last = end == np.inf
    return FacetValue(f"{begin}..{'' if last else end}", count, (begin, None if last else end))


def _whole(edge: float) -> float:
    """Return an edge without a decimal point if it is a whole number."""
    return int(edge) if edge.is_integer() else edge
