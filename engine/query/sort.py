"""Sort hits by a column instead of by their score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.parameters import SORT
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import Column


@dataclass(frozen=True, slots=True)
class Sort:
    """Order by the numbers of a column, with ties by score and then by id; missing values last."""

    column: str
    falling: bool = False

    def __str__(self) -> str:
        return f"{'-' * self.falling}{self.column}"


def parse_sort(text: str | Sort | None, columns: Mapping[str, Column]) -> Sort | None:
    """Parse a sort column; a leading `-` means descending order. Raises InvalidParameter."""
    if text is None:
        return None
    name = str(SORT.read(text, also=(Sort,))).strip()
    sort = Sort(name.removeprefix("-").lower(), name.startswith("-"))
    if sort.column not in columns or not columns[sort.column].sortable:
        sortable = ", ".join(column.name for column in columns.values() if column.sortable)
        allowed = f"one of the numeric columns {sortable}; a leading - means descending order"
        raise InvalidParameter("sort", name, allowed)
    return sort


def keys(array: NDArray[Any], column: Column, falling: bool) -> NDArray[np.float64]:
    """Return keys whose ascending order is the sort order, float64[n], with NaN if missing."""
    numbers = array.astype(np.float64)
    if column.missing is not None:
        # NaN comes last in both directions, just as a search server sorts missing values.
        numbers[array == column.missing] = np.nan
    return -numbers if falling else numbers


def in_order(values: Sequence[float | str | None], falling: bool) -> NDArray[np.int64]:
    """Return the positions of a column's values in stable sort order, missing values last."""
    numbers = np.array([np.nan if value is None else value for value in values], np.float64)
    return np.argsort(-numbers if falling else numbers, kind="stable")


def first(keys: NDArray[np.float64], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions certain to be among the first `most`, and those that may be.

    Uncertain positions all have the same sort key (or NaN). Ties fill the remaining places.
    """
    if most >= len(keys):
        return np.arange(len(keys)), np.arange(0)
    last = np.partition(keys, most - 1)[most - 1]  # NaN comes last
    if np.isnan(last):
        return np.flatnonzero(~np.isnan(keys)), np.flatnonzero(np.isnan(keys))
    return np.flatnonzero(keys < last), np.flatnonzero(keys == last)
