"""Ranked things of any unit as plain data: the shape that the command line and HTTP share."""

from __future__ import annotations

from typing import Any

from argsearch.engine.results.results import Hit, Results


def to_dict(results: Results, config: str, explain: bool) -> dict[str, Any]:
    """An answer as JSON has it, on the command line and over HTTP."""
    return {
        "query": results.query,
        "unit": results.unit,
        "total": results.total,
        "milliseconds": round(results.milliseconds, 3),
        "fingerprint": results.fingerprint,
        "config": config,
        "notes": list(results.notes),
        "hits": [_hit(hit, explain) for hit in results.hits],
    }


def _hit(hit: Hit, explain: bool) -> dict[str, Any]:
    document = {
        "rank": hit.rank,
        "id": hit.id,
        "score": hit.score,
        "stance": hit.stance and hit.stance.value,
        "texts": list(hit.texts),
        "arguments": list(hit.arguments),
    }
    if explain:
        document["explanation"] = hit.explanation.to_dict()
    return document
