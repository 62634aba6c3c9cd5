"""What meets a text as data and as text: what command line, HTTP and tools share."""

from __future__ import annotations

from typing import Any

from argsearch.api.points import quote_line, quoted
from argsearch.engine.challenge.challenge import Challenge, Finding, Passage
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
        "findings": [
            {
                **one.claim._asdict(),
                "passages": {name: _passage(of, explain) for name, of in one.passages.items()},
            }
            for one in found.findings
        ],
        "whole": {name: [_passage(one, explain) for one in of] for name, of in found.whole.items()},
        "notes": list(found.notes),
        "milliseconds": round(found.milliseconds, 3),
        "fingerprint": found.fingerprint,
        "receipt": found.receipt,
    }


def _passage(one: Passage, explain: bool) -> dict[str, Any]:
    return {"side": one.side, **quoted(one, explain)}


def standing(found: Challenge) -> str:
    """Return where the author stands, in words; empty where that was not looked for."""
    if found.side is None:
        return ""
    sure = "" if found.asked["side"] else f" ({found.side.probability:.0%})"
    return f"{found.side.value} it{sure}" if found.opposite else "unclear"


def labelled(found: Challenge, finding: Finding) -> list[tuple[str, Passage]]:
    """Return what meets a claim, what counters it first, and what that is to the claim.

    That is the side towards what the text is about where the author's is not known.
    """
    labels = {"against": "against", "for": "for"}
    if found.opposite and found.side is not None:
        labels = {found.opposite: "against it", found.side.value: "supports it"}
    met = finding.passages
    return [(label, met[side]) for side, label in labels.items() if side in met]


def wholes(found: Challenge) -> dict[str, tuple[Passage, ...]]:
    """Return what speaks against the author's position, or for and against what he is about."""
    if found.opposite:
        named = {"against your position as a whole": found.whole[found.opposite]}
    else:
        named = {f"{side} it as a whole": of for side, of in found.whole.items()}
    return {name: of for name, of in named.items() if of}


def to_markdown(found: Challenge) -> str:
    """Return a briefing: each claim and what meets it, then what speaks against the whole."""
    about = f"About “{markdown_text(found.about)}”. " if found.about else ""
    stands = f"Its author: {standing(found)}. " if found.side else ""
    config = markdown_text(str(found.asked["config"]))
    told = f"{about}{stands}Configuration {config}, index {found.fingerprint[:12]}."
    lines = ["# What meets a text", "", told, ""]
    for note in found.notes:
        lines += [markdown_text(note), ""]
    for number, one in enumerate((one for one in found.findings if one.passages), 1):
        lines += [f"{number}. **{markdown_text(one.claim.text)}**", ""]
        for label, passage in labelled(found, one):
            lines.append(f"   - {label} ({passage.probability:.0%}): {quote_line(passage)}")
        lines.append("")
    if unmet := [one.claim.text for one in found.findings if not one.passages]:
        lines += ["## Nothing here surely meets", ""]
        lines += [*(f"- {markdown_text(text)}" for text in unmet), ""]
    for name, of in wholes(found).items():
        lines += [f"## {name.capitalize()}", ""]
        lines += [*(f"- {one.probability:.0%}: {quote_line(one)}" for one in of), ""]
    return "\n".join(lines).rstrip() + "\n"
