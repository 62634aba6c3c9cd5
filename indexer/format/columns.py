"""Columns: one number or label per document, for filters, sorting, facets and boosts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import InvalidParameter, either

COLUMN_KINDS = ("number", "category")
DAYS = (10_101, 99_991_231)
"""The range of a column of days; a day is a number in the form yyyymmdd."""
UNKNOWN_RAMP = (math.nan, math.nan)
BEFORE = {"cluster": (0.0, 0.0), "date": UNKNOWN_RAMP, "words": UNKNOWN_RAMP}
"""The `ramp` of columns in older indexes, which do not record it; NaN if it is unknown."""


@dataclass(frozen=True, slots=True)
class Column:
    """Definition of a column; file, manifest, filters, servers and documentation share it."""

    name: str
    """Name in `--where`, `sort` and `facets`."""
    doc: str
    """Description in one sentence."""
    kind: str
    """`number` or `category`; a category is the code of a label, from 1, or 0 for none."""
    dtype: str
    """NumPy's name for the type on disk."""
    unit: str = "argument"
    """Unit that the column describes."""
    low: float = 0.0
    high: float = 1.0
    """Largest number; the smallest is `low`."""
    ramp: tuple[float, float] | None = None
    """Numbers with weights 0 and 1, by default low and high; equal if the values have no order."""
    missing: float | None = None
    """Number that marks a document without a value; None if every document has a value."""
    labels: tuple[str, ...] | None = None
    """Labels of a category; None: the corpus has its own labels, stored beside the codes."""
    array: str = ""
    """Name of the column's array, if it is not `column_NAME`."""

    @property
    def place(self) -> str:
        """Name of the column's array, as in `argsearch.indexer.format.arrays`."""
        return self.array or f"column_{self.name}"

    @property
    def own_labels(self) -> bool:
        """True if the labels come from the corpus."""
        return self.kind == "category" and self.labels is None

    @property
    def sortable(self) -> bool:
        """True if hits can be sorted by this column."""
        return self.kind == "number"

    @property
    def countable(self) -> bool:
        """True if hits can be counted by value, which is a label or a small whole number."""
        dtype = np.dtype(self.dtype)
        return self.kind == "category" or (np.issubdtype(dtype, np.integer) and dtype.itemsize <= 2)

    @property
    def dated(self) -> bool:
        """True if the numbers are days; hits are then counted by year."""
        return (self.low, self.high) == DAYS

    @property
    def weightless(self) -> str:
        """Reason why a score cannot have the factor 1 + ω·x ([boost.columns]); empty if it can."""
        low, high = self.ramp or (self.low, self.high)
        if self.kind != "number":
            return "has labels"
        if math.isnan(low):
            return "comes from an older version (build it again with argsearch index)"
        return "" if low < high else "has unordered numbers"

    def scaled(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return x = (value − low) / (high − low), clipped to [0, 1]; 0 for missing values."""
        low, high = self.ramp or (self.low, self.high)
        x = (np.asarray(values, np.float64) - low) / (high - low)
        x[np.isnan(x) | (values == self.missing)] = 0.0
        return np.clip(x, 0.0, 1.0)

    @property
    def allowed(self) -> str:
        """Description of the values that a filter may compare the column with."""
        if self.labels is not None:
            return either(label.lower() for label in self.labels)
        if self.kind == "category":
            return "one of its labels"
        if self.dated:
            return "a day of the calendar, such as 2019-05-31"
        whole = np.issubdtype(np.dtype(self.dtype), np.integer)
        return f"{'a whole number' if whole else 'a number'} from {self.low:g} to {self.high:g}"

    @classmethod
    def from_json(cls, described: Mapping[str, Any]) -> Column:
        """Return the column that a manifest describes; raise KeyError, TypeError or ValueError."""
        # A later version may have more keys.
        known = {field.name for field in fields(cls)}
        values = {key: value for key, value in described.items() if key in known}
        if values.get("labels") is not None:
            values["labels"] = tuple(str(label) for label in values["labels"])
        if (ramp := values.get("ramp", BEFORE.get(described["name"]))) is not None:
            low, high = ramp
            values["ramp"] = float(low), float(high)
        column = cls(**values)
        np.dtype(column.dtype)
        if column.kind not in COLUMN_KINDS:
            raise ValueError(f"column {column.name!r} has unknown kind {column.kind!r}")
        return column


def check_weights(weights: Iterable[tuple[str, float]], columns: Mapping[str, Column]) -> None:
    """Raise InvalidParameter unless each weight belongs to a column that can have one."""
    for name, omega in weights:
        if name not in columns or columns[name].weightless:
            able = [own for own, column in columns.items() if not column.weightless]
            allowed = ", ".join(able)
            why = columns[name].weightless if name in columns else "does not exist"
            problem = f"column {name} {why}; the columns that can have a weight are {allowed}"
            raise InvalidParameter(f"boost.columns.{name}", omega, allowed, problem)


def columns_of(manifest: Mapping[str, Any]) -> dict[str, Column]:
    """Return the columns of a manifest by name; raise the errors of `Column.from_json`."""
    return {column.name: column for column in map(Column.from_json, manifest["columns"])}


@dataclass(frozen=True, slots=True)
class Values:
    """A column and its values for every document of an index."""

    column: Column
    array: NDArray[Any]
    """Values of the n documents, in the column's dtype."""
    labels: tuple[str, ...] = ()
    """Labels of a category; code 1 is the first label."""

    def at(self, doc: int) -> float | str | None:
        """Return a document's value: a number, a label, or None."""
        value = self.array[doc].item()
        if self.column.kind == "category":
            return self.labels[value - 1] if 0 < value <= len(self.labels) else None
        return None if value == self.column.missing else value

    def of(self, docs: NDArray[np.integer[Any]]) -> list[float | str | None]:
        """Return the values of some documents."""
        return [self.at(doc) for doc in docs.tolist()]
