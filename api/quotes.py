"""Sections of quotes as data, Markdown and lines: what key points and challenged texts share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argsearch.engine.results.quotes import Quote, QuoteSection
from argsearch.engine.text.citation import cite, markdown_source, markdown_text
from argsearch.indexer.corpus.argument import Argument


def section_to_dict(section: QuoteSection, explain: bool = False) -> dict[str, Any]:
    """Return a section as JSON has it; explain: whether each quote carries its explanation."""
    return {
        "heading": section.heading,
        "side": section.side,
        "arguments": section.arguments,
        "quotes": [_quote_to_dict(quote, explain) for quote in section.quotes],
    }


def _quote_to_dict(quote: Quote, explain: bool) -> dict[str, Any]:
    why = {"explanation": quote.explanation.to_dict()} if explain else {}
    return {
        **named(quote.argument),
        "text": quote.text,
        "begin": quote.begin,
        "end": quote.end,
        "side": quote.side,
        "probability": round(quote.probability, 4),
        "reason": quote.reason,
        **why,
    }


def named(argument: Argument) -> dict[str, Any]:
    """Return what an argument is called and where it comes from, as JSON has it."""
    source = cite(argument)
    return {
        "id": argument.id,
        "conclusion": argument.conclusion,
        "source": {"title": source.line, "url": source.url or None},
    }


def section_to_markdown(number: int, section: QuoteSection, counted: str) -> list[str]:
    """Return a section as an item of a numbered list; counted: how many say so, in words."""
    heading = markdown_text(" ".join(section.heading.split()))
    lines = [f"{number}. **{heading}** ({counted})", ""]
    return [*lines, *(f"   - {_quote_to_markdown(quote)}" for quote in section.quotes), ""]


def _quote_to_markdown(quote: Quote) -> str:
    source, id = markdown_source(quote.argument), quote.id.replace("`", "")
    return f"“{markdown_text(quote.text)}” {source}; id `{id}`"


def section_to_lines(section: QuoteSection, counted: str, explain: bool) -> Iterator[str]:
    """Yield a section as lines for a terminal; counted: how many say so, in words."""
    yield f"{' '.join(section.heading.split())} ({counted})"
    for quote in section.quotes:
        yield f"     {quote.probability:4.0%} {quote.id}: {' '.join(quote.text.split())}"
        if explain:
            yield f"          {quote.reason}"
            yield from (f"          {line}" for line in quote.explanation.lines())
