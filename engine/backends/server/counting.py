"""Column values on a search server, for each hit and as counts over all matches.

Facets are aggregations over every matching document, so their counts are exact. A terms aggregation
would leave out values that are rare in each shard. So values and years are counted page by page
with composite aggregations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from argsearch.engine.backends.server.session import Session
from argsearch.engine.query.facets import YEAR, FacetValue, shown, stored_edges
from argsearch.indexer.format.columns import Column
from argsearch.indexer.server.schema import HITS_AT_ONCE

MOST_COUNTED = 1000
"""Number of values counted, or hits read, in one request."""


def aggregations(columns: Sequence[Column], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return aggregations that count columns' values, each continuing after its key in `after`."""
    return {column.name: _aggregation(column, after.get(column.name)) for column in columns}


def _aggregation(column: Column, after: Any) -> dict[str, Any]:
    if begins := stored_edges(column):
        ends = [{"to": edge} for edge in begins[1:]] + [{}]
        ranges = [{"from": edge, **end} for edge, end in zip(begins, ends, strict=True)]
        return {"range": {"field": column.name, "ranges": ranges}}
    source: dict[str, Any] = {"terms": {"field": column.name}}
    if column.dated:
        source = {"histogram": {"field": column.name, "interval": YEAR}}
    composite: dict[str, Any] = {"size": MOST_COUNTED, "sources": [{"value": source}]}
    if after is not None:
        composite["after"] = after
    return {"composite": composite}


def facets(
    session: Session, query: dict[str, Any], columns: Sequence[Column], first: Mapping[str, Any]
) -> dict[str, tuple[FacetValue, ...]]:
    """Return the count of every value. first: counts that came with the search itself."""
    counts: dict[str, dict[str | int, int]] = {column.name: {} for column in columns}
    answer, left = first, list(columns)
    while True:
        for column in left:
            counts[column.name] |= _counts(column, answer[column.name]["buckets"])
        after = {c.name: key for c in left if (key := answer[c.name].get("after_key"))}
        # One answer is enough for a column with few values. Other columns come page by page.
        left = [column for column in left if column.name in after]
        if not left:
            return {column.name: shown(column, counts[column.name]) for column in columns}
        body = {"query": query, "size": 0, "aggs": aggregations(left, after)}
        answer = session.run(body)["aggregations"]


def _counts(column: Column, buckets: Sequence[dict[str, Any]]) -> dict[str | int, int]:
    """Return the counts of some buckets by label, number, year or index of the range."""
    if stored_edges(column):
        return {place: bucket["doc_count"] for place, bucket in enumerate(buckets)}
    found = ((bucket["key"]["value"], bucket["doc_count"]) for bucket in buckets)
    if column.dated:
        return {int(key) // YEAR: count for key, count in found}
    if column.kind == "category":
        return dict(found)
    return {int(key): count for key, count in found if key != column.missing}


def column_values(
    session: Session, ids: Sequence[str], columns: Sequence[Column]
) -> dict[str, list[float | str | None]]:
    """Return the value of each hit in each column, or None where a hit has no value."""
    fields: dict[str, dict[str, list[Any]]] = {}
    for first in range(0, len(ids), MOST_COUNTED):
        body = {
            "query": {"terms": {"id": list(ids[first : first + MOST_COUNTED])}},
            "size": MOST_COUNTED,
            "_source": False,
            "docvalue_fields": ["id", *(column.name for column in columns)],
        }
        hits = session.run(body)["hits"]["hits"]
        fields |= {hit["fields"]["id"][0]: hit["fields"] for hit in hits}
    return {column.name: [_value(column, fields[id]) for id in ids] for column in columns}


def _value(column: Column, fields: Mapping[str, list[Any]]) -> float | str | None:
    found = fields.get(column.name)
    if not found or found[0] == column.missing:
        return None
    value = np.dtype(column.dtype).type(found[0]) if column.kind == "number" else found[0]
    return value if isinstance(value, str) else value.item()


def distinct(session: Session, query: dict[str, Any], field: str) -> int:
    """Return the exact number of distinct values of a field in the matching documents."""
    found, after = 0, None
    while True:
        source = {"value": {"terms": {"field": field}}}
        composite: dict[str, Any] = {"size": HITS_AT_ONCE, "sources": [source]}
        if after is not None:
            composite["after"] = after
        body = {"query": query, "size": 0, "aggs": {"all": {"composite": composite}}}
        answer = session.run(body)["aggregations"]["all"]
        found += len(answer["buckets"])
        after = answer.get("after_key")
        if after is None:
            return found
