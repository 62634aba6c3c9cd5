"""Sorting: hits in the order of a column instead of their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.parameters import SORT
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import Column


@dataclass(frozen=True, slots=True)
class Sort:
    """By a column's numbers, equal ones by score, then id; what has no value comes last."""

    column: str
    falling: bool = False

    def __str__(self) -> str:
        return f"{'-' * self.falling}{self.column}"


def parse_sort(text: str | Sort | None, columns: Mapping[str, Column]) -> Sort | None:
    """A column's name, after `-` for falling; raises InvalidParameter for another."""
    if text is None:
        return None
    name = str(SORT.read(text, also=(Sort,))).strip()
    sort = Sort(name.removeprefix("-").lower(), name.startswith("-"))
    if sort.column not in columns or not columns[sort.column].sortable:
        sortable = ", ".join(column.name for column in columns.values() if column.sortable)
        allowed = f"a column of this index with numbers: {sortable}; - before it for falling"
        raise InvalidParameter("sort", name, allowed)
    return sort


def keys(array: NDArray[Any], column: Column, falling: bool) -> NDArray[np.float64]:
    """What rises in the order of the sort, float64[n]; NaN for what has no value."""
    numbers = array.astype(np.float64)
    if column.missing is not None:
        # NaN comes last in both directions, as on a search server what has no value does
        numbers[array == column.missing] = np.nan
    return -numbers if falling else numbers


def first(keys: NDArray[np.float64], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places among the `most` first whatever else decides, ascending, and those that may be.

    The second all share one key (or NaN, none): as many of them are first as are missing.
    """
    if most >= len(keys):
        return np.arange(len(keys)), np.arange(0)
    last = np.partition(keys, most - 1)[most - 1]  # NaN comes last
    if np.isnan(last):
        return np.flatnonzero(~np.isnan(keys)), np.flatnonzero(np.isnan(keys))
    return np.flatnonzero(keys < last), np.flatnonzero(keys == last)
