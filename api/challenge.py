"""What speaks against a text as data and as text: what command line, HTTP and tools share."""

from __future__ import annotations

from typing import Any

from argsearch.api.quotes import section_to_dict, section_to_markdown
from argsearch.engine.challenge.challenge import Challenge
from argsearch.engine.results.quotes import QuoteSection
from argsearch.engine.text.citation import markdown_text


def to_dict(found: Challenge, explain: bool = False) -> dict[str, Any]:
    """Return what is found on a text as JSON has it."""
    side: dict[str, Any] | None = None
    if found.side is not None:
        side = {"value": found.side.value, "probability": round(found.side.probability, 4)}
        side |= {"explanation": found.side.explanation.to_dict()} if explain else {}
    return {
        "about": found.about or None,
        "side": side,
        "opposite": found.opposite or None,
        "sections": [section_to_dict(one, explain) for one in found.sections],
        "notes": list(found.notes),
        "milliseconds": round(found.milliseconds, 3),
        "fingerprint": found.fingerprint,
        "receipt": found.receipt,
    }


def standing(found: Challenge) -> str:
    """Return on which side the text stands, in words; empty where that was not looked for."""
    if found.side is None:
        return ""
    sure = "" if found.asked["side"] else f" ({found.side.probability:.0%} sure)"
    return f"{found.side.value} it{sure}" if found.opposite else "not sure"


def counted(section: QuoteSection) -> str:
    """Return how many of a side's arguments are quoted, in words."""
    return f"{len(section.quotes)} of {section.arguments} arguments"


def to_markdown(found: Challenge) -> str:
    """Return a briefing: what the text is about, its side, and the arguments of either side."""
    about = f"About “{markdown_text(found.about)}”. " if found.about else ""
    stands = f"The text's side: {standing(found)}. " if found.side else ""
    config = markdown_text(str(found.asked["config"]))
    told = f"{about}{stands}Configuration {config}, index {found.fingerprint[:12]}."
    lines = ["# What speaks against a text", "", told, ""]
    for note in found.notes:
        lines += [markdown_text(note), ""]
    for number, one in enumerate(found.sections, 1):
        lines += section_to_markdown(number, one, counted(one))
    return "\n".join(lines).rstrip() + "\n"
