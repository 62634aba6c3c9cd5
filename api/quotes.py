"""Format answers that quote the corpus, as data and as text: key points and challenges.

The command line, HTTP, MCP and the web page share this module. Both kinds of answers consist of
sections with quotes, so the same functions write them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from argsearch.api.argdown import points_argdown
from argsearch.api.cards import points_cards
from argsearch.engine.challenge.challenge import Challenge
from argsearch.engine.points.key_points import KeyPoints, SidePoints
from argsearch.engine.results.quotes import Quote, QuoteSection
from argsearch.engine.text.citation import cite, markdown_source, markdown_text
from argsearch.indexer.corpus.argument import Argument

SIDE_TITLES = {"for": "For", "against": "Against", "all": "Points"}


def points_to_dict(found: KeyPoints, explain: bool = False) -> dict[str, Any]:
    """Return key points as data for JSON. explain: include the explanations of quotes."""
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
        "points": [_section(point, explain) for point in side.points],
        "ungrouped": [_named(argument) for argument in side.ungrouped],
    }


def challenge_to_dict(found: Challenge, explain: bool = False) -> dict[str, Any]:
    """Return the arguments for and against a text as data for JSON, like `points_to_dict`."""
    side: dict[str, Any] | None = None
    if found.side is not None:
        side = {"value": found.side.value, "probability": round(found.side.probability, 4)}
        side |= {"explanation": found.side.explanation.to_dict()} if explain else {}
    return {
        # The engine returns an empty text if it found no claim.
        "about": found.about or None,
        "side": side,
        "opposite": found.opposite or None,
        "sections": [_section(one, explain) for one in found.sections],
        "notes": list(found.notes),
        "milliseconds": round(found.milliseconds, 3),
        "fingerprint": found.fingerprint,
        "receipt": found.receipt,
    }


def _section(section: QuoteSection, explain: bool) -> dict[str, Any]:
    return {
        "heading": section.heading,
        "side": section.side,
        "arguments": section.arguments,
        "debates": section.debates,
        "years": section.years,
        "quotes": [_quote(quote, explain) for quote in section.quotes],
    }


def _quote(quote: Quote, explain: bool) -> dict[str, Any]:
    why = {"explanation": quote.explanation.to_dict()} if explain else {}
    return {
        **_named(quote.argument),
        "text": quote.text,
        "begin": quote.begin,
        "end": quote.end,
        "side": quote.side,
        "probability": round(quote.probability, 4),
        "reason": quote.reason,
        **why,
    }


def _named(argument: Argument) -> dict[str, Any]:
    """Return the id, conclusion and source of an argument."""
    source = cite(argument).to_dict()
    return {"id": argument.id, "conclusion": argument.conclusion, "source": source}


def points_to_markdown(found: KeyPoints) -> str:
    """Return a briefing with a heading for each side, its points, and quotes under each point."""
    results = found.results
    lines = [
        f"# Key points on “{markdown_text(results.query)}”",
        "",
        f"From the first {len(results.hits)} of {results.total} arguments; {found.unclear} take "
        f"no clear side. Configuration {markdown_text(results.config.name)}, index "
        f"{results.fingerprint[:12]}.",
        "",
    ]
    for side in found.sides.values():
        share = f"{side.grouped} of {side.total} arguments make one of these points"
        lines += [f"## {SIDE_TITLES[side.side]}", "", f"{share}; {len(side.ungrouped)} do not.", ""]
        for number, point in enumerate(side.points, 1):
            lines += _item(number, point, at_least(point))
    return "\n".join(lines).rstrip() + "\n"


def challenge_to_markdown(found: Challenge) -> str:
    """Return a briefing: the text's subject, its side, and arguments on either side."""
    about = f"About “{markdown_text(found.about)}”. " if found.about else ""
    stands = f"The text's side: {standing(found)}. " if found.side else ""
    config = markdown_text(str(found.asked["config"]))
    told = f"{about}{stands}Configuration {config}, index {found.fingerprint[:12]}."
    lines = ["# Arguments against a text", "", told, ""]
    for note in found.notes:
        lines += [markdown_text(note), ""]
    for number, one in enumerate(found.sections, 1):
        lines += _item(number, one, counted(one))
    return "\n".join(lines).rstrip() + "\n"


def _item(number: int, section: QuoteSection, said: str) -> list[str]:
    """Return a section as an item of a numbered list. said: the number of arguments, in words."""
    heading = markdown_text(" ".join(section.heading.split()))
    lines = [f"{number}. **{heading}** ({said})", ""]
    for one in section.quotes:
        # A code span has no escapes, and a backtick would end it.
        id = one.id.replace("`", "")
        source = markdown_source(one.argument)
        lines.append(f"   - “{markdown_text(one.text)}” {source}; id `{id}`")
    return [*lines, ""]


def points_to_lines(found: KeyPoints, explain: bool) -> Iterator[str]:
    """Yield key points as lines for a terminal."""
    yield f"the first {len(found.results.hits)} of {found.results.total} arguments were read"
    if found.unclear:
        yield f"{found.unclear} take no clear side"
    for side in found.sides.values():
        yield ""
        yield (
            f"{side.side.upper()}: {side.grouped} of {side.total} arguments make one of these "
            f"points ({side.coverage:.0%}), {len(side.ungrouped)} do not"
        )
        for point in side.points:
            yield from (f"  {line}" for line in _lines(point, at_least(point), explain))


def challenge_to_lines(found: Challenge, explain: bool) -> Iterator[str]:
    """Yield the arguments for and against a text as lines for a terminal."""
    yield f"about: {' '.join(found.about.split()) or 'not known'}"
    if found.side is not None:
        ask = "" if found.opposite else "; give --side for, or against"
        yield f"the text's side: {standing(found)}{ask}"
        yield from (f"  {line}" for line in found.side.explanation.lines() if explain)
    for one in found.sections:
        yield ""
        yield from _lines(one, counted(one), explain)


def _lines(section: QuoteSection, said: str, explain: bool) -> Iterator[str]:
    yield f"{' '.join(section.heading.split())} ({said})"
    for quote in section.quotes:
        yield f"     {quote.probability:4.0%} {quote.id}: {' '.join(quote.text.split())}"
        if explain:
            yield f"          {quote.reason}"
            yield from (f"          {line}" for line in quote.explanation.lines())


def at_least(point: QuoteSection) -> str:
    """Return in words how many arguments make a point, from how many debates and which years."""
    several = "different debates" if point.debates > 1 else "debate"
    years = "" if point.years is None else f", {' to '.join(dict.fromkeys(point.years))}"
    return f"at least {point.arguments} arguments from {point.debates} {several}{years}"


def counted(section: QuoteSection) -> str:
    """Return in words how many of a side's arguments are quoted."""
    return f"{len(section.quotes)} of {section.arguments} arguments"


def standing(found: Challenge) -> str:
    """Return the side of the text's author in words; empty if it was not determined."""
    if found.side is None:
        return ""
    # A side given by the user has probability 1, so leave that out.
    sure = "" if found.asked["side"] else f" ({found.side.probability:.0%} sure)"
    return f"{found.side.value} it{sure}" if found.opposite else "not sure"


TEXTS_OF_POINTS: dict[str, tuple[str, Callable[[KeyPoints], str]]] = {
    "markdown": ("text/markdown; charset=utf-8", points_to_markdown),
    "argdown": ("text/plain; charset=utf-8", points_argdown),
    "cards": ("text/html; charset=utf-8", points_cards),
}
"""Media type and writer of each text format for key points."""
POINTS_FORMS = ("json", *TEXTS_OF_POINTS)
