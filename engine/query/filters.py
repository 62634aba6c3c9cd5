"""Filters as data: conditions on the columns of documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine import parameters
from argsearch.engine.parameters import STANCE, WHERE
from argsearch.indexer.corpus.argument import Stance
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.format.arrays import Ids, open_arrays, open_columns
from argsearch.indexer.format.columns import Column, Values, columns_of
from argsearch.indexer.format.ownership import standing_place
from argsearch.indexer.server.address import is_address, mask, parse

FORM = (
    "COLUMN OPERATOR VALUE, such as 'quality >= .6', 'source = debate.org', 'words < 200', "
    "'words = 100..300' or 'source = \"Guardian, London\"'"
)
_CLAUSE = re.compile(r"\s*([A-Za-z_]\w*)\s*(>=|<=|!=|=|>|<)")
_QUOTED = re.compile(r'\s*"((?:[^"]|"")*)"\s*(?:,|\Z)')
# Possessive quantifiers, as backtracking could take a quoted value for an unquoted one.
_UNQUOTED = re.compile(r'\s*+(?!")([^,]*)(?:,|\Z)')
HasLabel = Callable[[str, str], bool]
"""Function that returns True if a document in the index has this label in this column."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """The column has one of these values (labels or numbers), or none of them if `negated`."""

    column: str
    values: tuple[str | float, ...]
    negated: bool = False
    unquoted: str = field(default="", compare=False)
    """The values as written in the clause, if they contain commas and do not begin with a quote."""


@dataclass(frozen=True, slots=True)
class Range:
    """The number is between two bounds. Documents without a number never match."""

    column: str
    low: float = -np.inf
    high: float = np.inf
    low_open: bool = False
    high_open: bool = False


Filter = OneOf | Range


_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def number(value: str | float) -> float:
    """Return a number as filters read it. 2019-05-31 becomes 20190531. Raises ValueError."""
    text = str(value).strip()
    if _DAY.fullmatch(text):
        return float(date.fromisoformat(text).strftime("%Y%m%d"))
    return parameters.number(text)


def parse_where(clause: str) -> Filter:
    """Return the filter described by a clause `COLUMN OPERATOR VALUE`.

    Commas separate the values after = and !=. A value in double quotes may contain commas; a double
    quote inside it is written twice. Raises InvalidParameter if the clause is malformed or a bound
    is not a number.
    """
    found = _CLAUSE.match(clause)
    text = clause[found.end() :].strip() if found else ""
    if not found or not text:
        raise InvalidParameter("where", clause, FORM)
    column, operator = found[1].lower(), found[2]
    if operator in ("=", "!="):
        values = _values(text, clause)
        unquoted = text if "," in text and not text.startswith('"') else ""
        return OneOf(column, values, operator == "!=", unquoted)
    try:
        bound = number(text)
    except ValueError:
        said = f"{FORM}; {text!r} is neither a number nor a day"
        raise InvalidParameter("where", clause, said) from None
    opened = len(operator) == 1
    if operator.startswith(">"):
        return Range(column, low=bound, low_open=opened)
    return Range(column, high=bound, high_open=opened)


def _values(text: str, clause: str) -> tuple[str, ...]:
    """Return the values between commas, without quotes; empty unquoted ones are left out."""
    values, at = [], 0
    while at < len(text):
        if quoted := _QUOTED.match(text, at):
            values.append(quoted[1].replace('""', '"'))
            at = quoted.end()
        elif plain := _UNQUOTED.match(text, at):
            values += filter(None, [plain[1].strip()])
            at = plain.end()
        else:
            said = f"{FORM}; a value that begins with a double quote must end with one"
            raise InvalidParameter("where", clause, said)
    return tuple(values)


def read_filters(
    where: Sequence[str | Filter],
    stance: Stance | None,
    columns: Mapping[str, Column],
    has_label: HasLabel = lambda _column, _label: False,
) -> tuple[Filter, ...]:
    """Return the filters that clauses describe, checked against the columns of the index.

    An unquoted value that equals a whole label means that label, even if it contains commas.
    """
    clauses = WHERE.read(where, also=(OneOf, Range))
    filters = tuple(parse_where(one) if isinstance(one, str) else one for one in clauses)
    if stance is not None:
        filters += (OneOf("stance", (stance.value,)),)
    filters = tuple(_whole_label(ranged(one, columns), columns, has_label) for one in filters)
    check(filters, columns)
    return filters


def _whole_label(one: Filter, columns: Mapping[str, Column], has_label: HasLabel) -> Filter:
    """Read `source = Guardian, London` as one label if the index has this label."""
    column = columns.get(one.column)
    if not isinstance(one, OneOf) or not one.unquoted or column is None:
        return one
    if column.own_labels:
        is_label = has_label(one.column, one.unquoted)
    else:
        is_label = column.kind == "category" and _holds(column, one.unquoted)
    return OneOf(one.column, (one.unquoted,) if is_label else one.values, one.negated)


@dataclass(frozen=True, slots=True)
class Selected:
    """The documents of an index that satisfy all conditions."""

    clauses: tuple[str | Filter, ...]
    ids: list[str]
    documents: int
    """Number of documents in the index."""
    conditions: tuple[str, ...]
    """The conditions in words, as parsed."""

    @property
    def summary(self) -> str:
        """The number of selected documents and the conditions, in one line."""
        number = f"{len(self.ids):,} of {self.documents:,} arguments match"
        return f"{number}: {' and '.join(self.conditions)}"

    def again(self, index: str | Path) -> list[str]:
        """Return the ids that the clauses select now, or raise ArgsearchError if they changed."""
        found = select(index, self.clauses).ids
        if set(found) != set(self.ids):
            raise ArgsearchError(
                f"index {mask(str(index))} was changed meanwhile: {len(found):,} arguments match "
                f"now instead of {len(self.ids):,}; nothing was removed; run the same command again"
            )
        return found


def select(index: str | Path, clauses: Sequence[str | Filter]) -> Selected:
    """Return the documents of an index that match every clause.

    Raises the same errors as `read_filters` and as opening an index.
    """
    if is_address(index):
        return _select_on_server(str(index), clauses)
    folder = standing_place(Path(index))
    arrays, manifest = open_arrays(folder)
    columns, names = open_columns(folder, arrays, manifest), Ids(arrays)
    known = {name: values.column for name, values in columns.items()}
    filters = read_filters(clauses, None, known, lambda name, label: label in columns[name].labels)
    ids = [names[doc] for doc in np.flatnonzero(passing(filters, columns)).tolist()]
    said = tuple(in_words(one, known[one.column]) for one in filters)
    return Selected(tuple(clauses), ids, len(arrays.quality), said)


def where(*clauses: str | Filter) -> Callable[[str | Path], list[str]]:
    """Return a function that takes an index and returns the ids that `select` finds in it."""
    return lambda index: select(index, clauses).ids


def _select_on_server(address: str, clauses: Sequence[str | Filter]) -> Selected:
    from argsearch.indexer.server.client import connect
    from argsearch.indexer.server.generations import every_id, open_generation

    whole = {"allow_partial_search_results": "false"}
    with closing(connect(parse(address))) as server:
        generation = open_generation(server)

        def found(body: dict[str, Any]) -> Any:
            """Return the answer of a search over every shard."""
            return server.request("POST", f"/{generation.index}/_search", body, params=whole)

        def has_label(column: str, label: str) -> bool:
            """Return True if a document has the label."""
            body = {"query": {"term": {column: label}}, "size": 1, "_source": False}
            return bool(found(body)["hits"]["hits"])

        columns = columns_of(generation.manifest)
        filters = read_filters(clauses, None, columns, has_label)
        only = [clause_of(one, columns[one.column]) for one in filters]
        ids = every_id(found, {"bool": {"filter": [*only, {"exists": {"field": "id"}}]}})
        said = tuple(in_words(one, columns[one.column]) for one in filters)
        return Selected(tuple(clauses), ids, int(generation.manifest["counts"]["documents"]), said)


def clause_of(one: Filter, column: Column) -> dict[str, Any]:
    """Return a filter in a search server's language with the same meaning as in `passing`."""
    if isinstance(one, OneOf):
        values = _numbers(one, column) if column.kind == "number" else _labels(one, column)
        wanted = {"terms": {one.column: values}} if values else {"match_none": {}}
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
    within: dict[str, Any] = {"range": {one.column: bounds}}
    if column.missing is None:
        return within
    return {"bool": {"filter": within, "must_not": {"term": {one.column: column.missing}}}}


def ranged(one: Filter, columns: Mapping[str, Column]) -> Filter:
    """Return `words = 100..300` as a range that excludes 300; other filters stay unchanged."""
    column = columns.get(one.column)
    if not isinstance(one, OneOf) or one.negated or len(one.values) != 1 or column is None:
        return one
    low, between, high = str(one.values[0]).partition("..")
    if column.kind != "number" or not between:
        return one
    try:
        bounds = number(low) if low else -np.inf, number(high) if high else np.inf
    except ValueError:
        return one  # `check` reports the error
    return Range(one.column, *bounds, high_open=True)


def check(filters: Iterable[Filter], columns: Mapping[str, Column]) -> None:
    """Raise InvalidParameter if the index lacks a column, or if a column cannot have the value."""
    for one in filters:
        if not isinstance(one.column, str) or one.column not in columns:
            known = ", ".join(columns)
            problem = f"there is no column {one.column!r}; the columns are {known}"
            raise InvalidParameter("where", one.column, known, problem)
        column = columns[one.column]
        compared = f"a condition that compares {column.name} with {column.allowed}"
        if isinstance(one, OneOf):
            if not one.values:
                raise InvalidParameter("where", f"{one.column}=", compared)
            for value in one.values:
                if not _holds(column, value):
                    raise InvalidParameter("where", f"{one.column}={value}", compared)
        elif column.kind == "category":
            said = f"{compared}; a column with labels allows only = and !="
            raise InvalidParameter("where", _said(one), said)
        elif not _spans(column, one):
            said = f"{compared}, with the lower end below the upper one"
            raise InvalidParameter("where", _said(one), said)


def _holds(column: Column, value: str | float) -> bool:
    """Return True if a column can have this value."""
    if column.kind != "number":
        return column.labels is None or canonical(value, column) in column.labels
    try:
        found = number(value)
    except ValueError:
        return False
    return column.low <= found <= column.high and _is_end(column, found)


def _is_end(column: Column, value: float) -> bool:
    """Return True if a column can be compared with this number; dates must be in the calendar."""
    try:
        _ = column.dated and date.fromisoformat(f"{int(value):08d}")
    except ValueError:
        return False
    return not column.dated or value == int(value)


def _spans(column: Column, one: Range) -> bool:
    """Return True if a range contains any number; either end may be open."""
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
    """Return a label as the column spells it; case is ignored for fixed labels."""
    labels = {label.casefold(): label for label in column.labels or ()}
    return labels.get(str(value).casefold(), str(value))


def in_words(one: Filter, column: Column) -> str:
    """Return a filter in words, such as `source is "Guardian, London"` or `100 <= words < 300`."""
    if isinstance(one, Range):
        return _said(one, column.dated)
    numbers = column.kind == "number"
    labels = (canonical(v, column).replace('"', '""') for v in one.values)
    shown = [str(v) for v in one.values] if numbers else [f'"{label}"' for label in labels]
    if not one.negated:
        return f"{one.column} is {' or '.join(shown)}"
    return f"{one.column} is {'neither' if len(shown) > 1 else 'not'} {' nor '.join(shown)}"


def _said(one: Range, dated: bool = False) -> str:
    least, most = (_end(end, dated) for end in (one.low, one.high))
    if one.low == -np.inf and one.high == np.inf:
        return f"{one.column} has a value"
    if one.high == np.inf:
        return f"{one.column} {'>' if one.low_open else '>='} {least}"
    low = "" if one.low == -np.inf else f"{least} {'<' if one.low_open else '<='} "
    return f"{low}{one.column} {'<' if one.high_open else '<='} {most}"


def _end(end: float, dated: bool) -> str:
    if dated and end not in (-np.inf, np.inf):
        return date.fromisoformat(f"{int(number(end)):08d}").isoformat()
    return str(end).removesuffix(".0")


def passing(filters: Iterable[Filter], columns: Mapping[str, Values]) -> NDArray[np.bool_]:
    """Return which documents pass all filters, bool[n]; at least one filter is required."""
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
        return _numbers(one, values.column)
    wanted = set(_labels(one, values.column))
    return [code for code, label in enumerate(values.labels, 1) if label in wanted]


def _labels(one: OneOf, column: Column) -> list[str]:
    return [canonical(value, column) for value in one.values]


def _numbers(one: OneOf, column: Column) -> list[float]:
    """Return the filter's numbers that the column can hold, without its value for missing."""
    whole = np.issubdtype(np.dtype(column.dtype), np.integer)
    found = (number(value) for value in one.values)
    return [x for x in found if x != column.missing and (x.is_integer() or not whole)]


def as_stored(bound: float, dtype: np.dtype[Any]) -> float:
    """Return a bound in the precision of the column, so that .6 equals a stored .6."""
    return float(dtype.type(bound)) if np.issubdtype(dtype, np.floating) else bound


def stance_of(stance: Stance | str | None) -> Stance | None:
    """Return a stance given as a value or by name, or raise InvalidParameter."""
    read = STANCE.read(stance, also=(Stance,))
    return Stance[read.upper()] if isinstance(read, str) else read
