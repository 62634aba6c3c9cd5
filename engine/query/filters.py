"""Filters as data: which documents a query may return, by their columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer import parameters
from argsearch.indexer.corpus.argument import Stance
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import Ids, open_arrays, open_columns
from argsearch.indexer.format.columns import Column, Values, columns_of
from argsearch.indexer.parameters import STANCE, WHERE
from argsearch.indexer.server.address import is_address, parse

FORM = (
    "COLUMN OPERATOR VALUE, such as 'quality >= .6', 'source = debate.org', 'words < 200' or "
    "'words = 100..300'"
)
_CLAUSE = re.compile(r"\s*([A-Za-z_]\w*)\s*(>=|<=|!=|=|>|<)\s*(.*?)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OneOf:
    """A column's value is one of these (labels, or numbers); `negated`: none of them."""

    column: str
    values: tuple[str | float, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Range:
    """A number between two bounds; a document without a value never is."""

    column: str
    low: float = -np.inf
    high: float = np.inf
    low_open: bool = False
    high_open: bool = False


Filter = OneOf | Range


_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def number(value: str | float) -> float:
    """A number as a filter has it; a day as 2019-05-31 is 20190531. Raises ValueError."""
    text = str(value).strip()
    if _DAY.fullmatch(text):
        return float(date.fromisoformat(text).strftime("%Y%m%d"))
    return parameters.number(text)


def parse_where(clause: str) -> Filter:
    """A filter from `COLUMN OPERATOR VALUE`; several values after = or != stand between commas.

    Raises InvalidParameter for another form, or a bound that is no number.
    """
    found = _CLAUSE.fullmatch(clause)
    if not found or not found[3]:
        raise InvalidParameter("where", clause, FORM)
    column, operator, text = found[1].lower(), found[2], found[3]
    if operator in ("=", "!="):
        values = tuple(value.strip() for value in text.split(",") if value.strip())
        return OneOf(column, values, operator == "!=")
    try:
        bound = number(text)
    except ValueError:
        said = f"{FORM}; {text!r} is no number and no day"
        raise InvalidParameter("where", clause, said) from None
    opened = len(operator) == 1
    if operator.startswith(">"):
        return Range(column, low=bound, low_open=opened)
    return Range(column, high=bound, high_open=opened)


def read_filters(
    where: Sequence[str | Filter], stance: Stance | None, columns: Mapping[str, Column]
) -> tuple[Filter, ...]:
    """Return the filters, read and checked against the index's columns."""
    clauses = WHERE.read(where, also=(OneOf, Range))
    filters = tuple(parse_where(one) if isinstance(one, str) else one for one in clauses)
    if stance is not None:
        filters += (OneOf("stance", (stance.value,)),)
    filters = tuple(ranged(one, columns) for one in filters)
    check(filters, columns)
    return filters


def where(*clauses: str | Filter) -> Callable[[str | Path], list[str]]:
    """Return what finds the ids of an index's documents that all filters let through.

    It raises what opening the index and `read_filters` raise.
    """

    def ids(index: str | Path) -> list[str]:
        """The ids of those documents of an index."""
        if is_address(index):
            return _ids_on_server(str(index), clauses)
        folder = Path(index)
        arrays, manifest = open_arrays(folder)
        columns, names = open_columns(folder, arrays, manifest), Ids(arrays)
        known = {name: values.column for name, values in columns.items()}
        through = passing(read_filters(clauses, None, known), columns)
        return [names[doc] for doc in np.flatnonzero(through).tolist()]

    return ids


def _ids_on_server(address: str, clauses: Sequence[str | Filter]) -> list[str]:
    from argsearch.indexer.server.client import connect
    from argsearch.indexer.server.generations import every_id, open_generation

    with closing(connect(parse(address))) as server:
        generation = open_generation(server)
        columns = columns_of(generation.manifest)
        only = [clause_of(one, columns[one.column]) for one in read_filters(clauses, None, columns)]
        path, whole = f"/{generation.index}/_search", {"allow_partial_search_results": "false"}
        arguments = {"bool": {"filter": [*only, {"exists": {"field": "id"}}]}}
        return every_id(lambda body: server.request("POST", path, body, params=whole), arguments)


def clause_of(one: Filter, column: Column) -> dict[str, Any]:
    """A filter in a search server's language, with the meaning of `passing`."""
    if isinstance(one, OneOf):
        number_like = column.kind == "number"
        values = [number(v) if number_like else canonical(v, column) for v in one.values]
        wanted = {"terms": {one.column: values}}
        return {"bool": {"must_not": wanted}} if one.negated else wanted
    dtype = np.dtype(column.dtype)
    low, high = (as_stored(bound, dtype) for bound in (one.low, one.high))
    bounds: dict[str, float] = {"gte": column.low}
    if column.missing is not None:
        bounds["lte"] = column.high
    if np.isfinite(low) and low >= column.low:
        bounds.pop("gte")
        bounds["gt" if one.low_open else "gte"] = low
    if np.isfinite(high) and (high <= column.high or column.missing is None):
        bounds.pop("lte", None)
        bounds["lt" if one.high_open else "lte"] = high
    return {"range": {one.column: bounds}}


def ranged(one: Filter, columns: Mapping[str, Column]) -> Filter:
    """`words = 100..300` as the range that it means, 300 left out; any other filter as it is."""
    column = columns.get(one.column)
    if not isinstance(one, OneOf) or one.negated or len(one.values) != 1 or column is None:
        return one
    low, between, high = str(one.values[0]).partition("..")
    if column.kind != "number" or not between:
        return one
    try:
        bounds = number(low) if low else -np.inf, number(high) if high else np.inf
    except ValueError:
        return one  # `check` says what there is
    return Range(one.column, *bounds, high_open=True)


def check(filters: Iterable[Filter], columns: Mapping[str, Column]) -> None:
    """Raise InvalidParameter for a column that the index lacks, and for what it can never hold."""
    for one in filters:
        if not isinstance(one.column, str) or one.column not in columns:
            said = f"a column of this index: {', '.join(columns)}"
            raise InvalidParameter("where", one.column, said)
        column = columns[one.column]
        if isinstance(one, OneOf):
            if not one.values:
                raise InvalidParameter("where", f"{one.column}=", column.allowed)
            for value in one.values:
                if not _holds(column, value):
                    raise InvalidParameter("where", f"{one.column}={value}", column.allowed)
        elif column.kind == "category":
            said = f"= or != for {one.column}, which holds labels ({column.allowed})"
            raise InvalidParameter("where", _said(one), said)
        elif not _spans(column, one):
            said = f"{column.allowed}, a lower end before an upper one"
            raise InvalidParameter("where", _said(one), said)


def _holds(column: Column, value: str | float) -> bool:
    """Whether a column can have a value."""
    if column.kind != "number":
        return column.labels is None or canonical(value, column) in column.labels
    try:
        found = number(value)
    except ValueError:
        return False
    return column.low <= found <= column.high and _is_end(column, found)


def _is_end(column: Column, value: float) -> bool:
    """Whether it is a number that a column can be compared with: of days, a day of the calendar."""
    try:
        _ = column.dated and date.fromisoformat(f"{int(value):08d}")
    except ValueError:
        return False
    return not column.dated or value == int(value)


def _spans(column: Column, one: Range) -> bool:
    """Whether some number lies between the ends of a range, each a number or left open."""
    try:
        ends = [
            number(end) for end, none in ((one.low, -np.inf), (one.high, np.inf)) if end != none
        ]
    except ValueError:
        return False
    closed = not (one.low_open or one.high_open)
    ordered = len(ends) < 2 or ends[0] < ends[1] or (closed and ends[0] == ends[1])
    return ordered and all(_is_end(column, end) for end in ends)


def canonical(value: str | float, column: Column) -> str:
    """A label as the column has it: fixed ones in any case, a corpus' own as they are written."""
    labels = {label.casefold(): label for label in column.labels or ()}
    return labels.get(str(value).casefold(), str(value))


def _said(one: Range) -> str:
    least, most = (str(end).removesuffix(".0") for end in (one.low, one.high))
    low = "" if one.low == -np.inf else f"{least} {'<' if one.low_open else '<='} "
    high = "" if one.high == np.inf else f" {'<' if one.high_open else '<='} {most}"
    return f"{low}{one.column}{high}"


def passing(filters: Iterable[Filter], columns: Mapping[str, Values]) -> NDArray[np.bool_]:
    """Which documents all filters let through, bool[n]; there are some, checked before."""
    each = [_passing(one, columns[one.column]) for one in filters]
    return np.asarray(np.logical_and.reduce(each))


def _passing(one: Filter, values: Values) -> NDArray[np.bool_]:
    array, missing = values.array, values.column.missing
    if isinstance(one, OneOf):
        through: NDArray[np.bool_] = np.isin(array, np.array(_codes(one, values), array.dtype))
        return ~through if one.negated else through
    low, high = (as_stored(bound, array.dtype) for bound in (one.low, one.high))
    through = (array > low) if one.low_open else (array >= low)
    through &= (array < high) if one.high_open else (array <= high)
    return through if missing is None else through & (array != missing)


def _codes(one: OneOf, values: Values) -> list[float]:
    if values.column.kind == "number":
        return [number(value) for value in one.values]
    wanted = {canonical(value, values.column) for value in one.values}
    return [code for code, label in enumerate(values.labels, 1) if label in wanted]


def as_stored(bound: float, dtype: np.dtype[Any]) -> float:
    """A bound as the column's type has it, so that .6 means the .6 that was stored."""
    return float(dtype.type(bound)) if np.issubdtype(dtype, np.floating) else bound


def stance_of(stance: Stance | str | None) -> Stance | None:
    """A stance or its name; raises InvalidParameter."""
    read = STANCE.read(stance, also=(Stance,))
    return Stance[read.upper()] if isinstance(read, str) else read
