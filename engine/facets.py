"""Facets: how many of the matching arguments have each value of a column, exactly.

Labels and small whole numbers are counted a value, other numbers in ranges: those from 0 to 1 in
fifths, days in years, the rest from 1, 3, 10, 30, … on. A range holds its lower end, not its upper
one; the last one has no upper end. What has no value is not counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.filters import as_stored
from indexer.errors import InvalidParameter
from indexer.layout.columns import Column, Values

FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8)
"""Where the ranges of a number from 0 to 1 begin."""
STEPS = tuple(float(f"{digit}e{power}") for power in range(10) for digit in (1, 3))
"""Where those of other numbers begin, after the lowest."""
YEAR = 10_000
"""A year of a day that is written as yyyymmdd."""


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value or range, and how many of the matching arguments have it."""

    value: str | int
    """A label, a whole number, or a range as `where` takes it: 100..300."""
    count: int
    span: tuple[float, float | None] | None = None
    """A range's ends, [from, to); the last one has no upper end."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        ends = {} if self.span is None else dict(zip(("from", "to"), self.span, strict=True))
        return {"value": self.value, **ends, "count": self.count}


Facets = Mapping[str, Sequence[FacetValue]]
"""The values of each column asked for, by count falling, then by value."""
Counts = Mapping[str | int, int]
"""How many have each label, whole number, year or range (by its place)."""


def dated(column: Column) -> bool:
    """Whether a column's numbers are days, which are counted in years."""
    return column.name == "date"


def edges(column: Column) -> tuple[float, ...]:
    """Where a column's ranges begin; none where it is counted in values or years."""
    if column.countable or dated(column):
        return ()
    if column.weighable:
        return FIFTHS
    return (float(column.low), *(step for step in STEPS if column.low < step < column.high))


def countable(column: Column) -> bool:
    """Whether arguments can be counted by a column: there are no ranges below zero."""
    return column.countable or column.low >= 0.0


def check(names: str | Sequence[str], columns: Mapping[str, Column]) -> tuple[str, ...]:
    """The columns to count by, each once; raises InvalidParameter for what is none."""
    wanted = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in columns or not countable(columns[name]):
            allowed = ", ".join(c.name for c in columns.values() if countable(c))
            raise InvalidParameter("facet", name, f"a column of this index to count by: {allowed}")
    return wanted


def counted(values: Values, docs: NDArray[np.int32]) -> tuple[FacetValue, ...]:
    """How many of some documents have each value of a column."""
    column, array = values.column, values.array[docs]
    if column.kind == "category":
        found = np.bincount(array, minlength=len(values.labels) + 1)[1 : len(values.labels) + 1]
        return shown(column, dict(zip(values.labels, found.tolist(), strict=True)))
    has = array == array  # NaN is no value
    if column.missing is not None:
        has &= array != column.missing
    keys = _keys(column, array[has])
    least = int(keys.min(initial=0))
    found = np.bincount(keys - least)
    return shown(column, {least + i: n for i, n in enumerate(found.tolist()) if n})


def _keys(column: Column, array: NDArray[Any]) -> NDArray[np.int64]:
    """Of each number itself, its year, or the place of its range, int64[n]."""
    if dated(column):
        return array.astype(np.int64) // YEAR
    if begins := stored_edges(column):
        return np.searchsorted(begins, array.astype(np.float64), side="right") - 1
    return array.astype(np.int64)


def stored_edges(column: Column) -> list[float]:
    """The edges in the precision of the column, as filters read them."""
    return [as_stored(edge, np.dtype(column.dtype)) for edge in edges(column)]


def shown(column: Column, counts: Counts) -> tuple[FacetValue, ...]:
    """Counts as they are shown, zeros left out, by count falling, then by value."""
    there: list[tuple[Any, int]] = [(key, n) for key, n in counts.items() if n]
    there.sort(key=lambda one: (-one[1], one[0]))
    return tuple(_shown(column, key, n) for key, n in there)


def _shown(column: Column, key: Any, count: int) -> FacetValue:
    if dated(column):
        low, high = f"{key:04d}-01-01", f"{key + 1:04d}-01-01" if key < 9999 else ""
        ends = (key * YEAR + 101, (key + 1) * YEAR + 101 if high else None)
        return FacetValue(f"{low}..{high}", count, ends)
    begins = edges(column)
    if not begins:
        return FacetValue(key, count)
    begin, end = (_whole(edge) for edge in (*begins, np.inf)[key : key + 2])
    last = end == np.inf
    return FacetValue(f"{begin}..{'' if last else end}", count, (begin, None if last else end))


def _whole(edge: float) -> float:
    """An edge, without a point where it is whole."""
    return int(edge) if edge.is_integer() else edge
