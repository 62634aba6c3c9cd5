"""Key points as data and as text: what command line, HTTP, tools and the page share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from argsearch.api.argdown import points_argdown
from argsearch.api.cards import points_cards
from argsearch.api.quotes import named, section_to_dict, section_to_markdown
from argsearch.engine.points.key_points import KeyPoints, SidePoints
from argsearch.engine.text.citation import markdown_text

TITLES = {"for": "For", "against": "Against", "all": "Points"}


def to_dict(found: KeyPoints, explain: bool = False) -> dict[str, Any]:
    """Return key points as JSON has them."""
    results = found.results
    return {
        "query": results.query,
        "claim": None if results.balance is None else results.balance.claim.reading,
        "total": results.total,
        "read": len(results.hits),
        "unclear": found.unclear,
        "sides": [_side(side, explain) for side in found.sides.values()],
        "milliseconds": round(found.milliseconds, 3),
        "fingerprint": results.fingerprint,
        "config": results.config.name,
        "notes": list(found.notes),
        "receipt": found.receipt,
    }


def _side(side: SidePoints, explain: bool) -> dict[str, Any]:
    return {
        "side": side.side,
        "total": side.total,
        "grouped": side.grouped,
        "coverage": round(side.coverage, 4),
        "points": [section_to_dict(point, explain) for point in side.points],
        "ungrouped": [named(argument) for argument in side.ungrouped],
    }


def to_markdown(found: KeyPoints) -> str:
    """Return a briefing: a heading a side, its points, and under each who says so."""
    results = found.results
    lines = [
        f"# Key points on “{markdown_text(results.query)}”",
        "",
        f"From the first {len(results.hits)} of {results.total} arguments; {found.unclear} are on "
        f"no clear side. Configuration {markdown_text(results.config.name)}, index "
        f"{results.fingerprint[:12]}.",
        "",
    ]
    for side in found.sides.values():
        share = f"{side.grouped} of {side.total} arguments make one of these points"
        lines += [f"## {TITLES[side.side]}", "", f"{share}; {len(side.ungrouped)} do not.", ""]
        for number, point in enumerate(side.points, 1):
            lines += section_to_markdown(number, point, f"at least {point.arguments} arguments")
    return "\n".join(lines).rstrip() + "\n"


TEXTS_OF_POINTS: dict[str, tuple[str, Callable[[KeyPoints], str]]] = {
    "markdown": ("text/markdown; charset=utf-8", to_markdown),
    "argdown": ("text/plain; charset=utf-8", points_argdown),
    "cards": ("text/html; charset=utf-8", points_cards),
}
"""Their text formats: media type and writer."""
POINTS_FORMS = ("json", *TEXTS_OF_POINTS)
