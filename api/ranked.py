"""Ranked things of any unit as plain data: the shape that the command line and HTTP share."""

from __future__ import annotations

from typing import Any

from argsearch.engine.units import UnitHit, UnitResults


def to_dict(results: UnitResults, unit: str, config: str, explain: bool) -> dict[str, Any]:
    """An answer as JSON has it, on the command line and over HTTP."""
    return {
        "query": results.question,
        "unit": unit,
        "total": results.total,
        "milliseconds": round(results.milliseconds, 3),
        "fingerprint": results.fingerprint,
        "config": config,
        "notes": list(results.notes),
        "hits": [_hit(rank, hit, explain) for rank, hit in enumerate(results.hits, 1)],
    }


def _hit(rank: int, hit: UnitHit, explain: bool) -> dict[str, Any]:
    document = {
        "rank": rank,
        "id": hit.id,
        "score": hit.score,
        "stance": hit.column if hit.column in ("PRO", "CON") else None,
        "texts": list(hit.texts),
        "arguments": list(hit.arguments),
    }
    if explain:
        document["explanation"] = hit.explanation.to_dict()
    return document
