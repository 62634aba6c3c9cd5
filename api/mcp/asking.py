"""The tools for an open engine: search, argument, counter, challenge and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from argsearch.api.mcp import budget, shapes
from argsearch.api.mcp.budget import BUDGET, fitted, position, shortened
from argsearch.api.serialise import Answer, ShownHit
from argsearch.engine import Engine
from argsearch.engine.alias_follower import again
from argsearch.engine.parameters import FOR_READERS
from argsearch.engine.results.quotes import TWO_SIDES, QuoteSection
from argsearch.engine.results.results import LITTLE, Results
from argsearch.engine.text.citation import Citation, cite
from argsearch.engine.units import UNITS
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.errors import ArgsearchError, InvalidParameter

DEEPEST = 1000
"""Highest rank that paging can reach."""
TOP_RANKS = 100
"""Number of top ranks that `explain` searches for the given argument."""
SIDE_WORDS = {"both": "for and against together"}
# Maximum code points of a gist and of a conclusion. Shorter ones are for answers that don't fit.
SHORT = (400, 200)
SHORTER = (200, 100)
SHORTEST = (40, 30)
QUOTE_LENGTHS = ((3, SHORT), (2, SHORTER), (1, SHORTEST))
"""Maximum number and lengths of quotes per section. If no section fits, the next pair is tried."""


L = TypeVar("L", bound=shapes.ToolAnswer)


class NotFound(ArgsearchError):
    """Raised for an id that no argument has, or that is not among the results."""


@dataclass(frozen=True)
class Tools:
    """The tools of one index. `shapes` has checked the arguments of each call.

    Tools raise ArgsearchError. Its message tells the model what to do.
    """

    engine: Engine

    @again
    def ask(
        self,
        unit: str,
        text: str,
        limit: int = 5,
        side: str | None = None,
        cursor: str | None = None,
        max_bytes: int = BUDGET,
    ) -> shapes.Found | shapes.Countered:
        """Return the best results of a unit for a text, in short form."""
        counters = unit == "counters"
        key = unit, text, side
        begin = position(cursor, self.engine.info.fingerprint, key)
        deepest = DEEPEST if unit == "arguments" else TOP_RANKS
        if begin + limit * counters > deepest - (not counters):
            raise InvalidParameter("cursor", cursor, f"one for ranks up to {deepest}")
        both = side == "both"
        asked: dict[str, Any] = {} if counters else {"side": None if both else side}
        asked |= {name: on for name, on in FOR_READERS.items() if name in UNITS[unit].takes}
        if unit == "arguments":
            asked |= {"collapse": "near_duplicates" in self.engine.parts}
        config = UNITS[unit].config
        # Request one more hit than is shown, to know if more follow.
        results = self.engine.search(
            text, unit=unit, k=limit + 1, offset=begin, config=config, **asked
        )
        total, said, shown = results.total, results.remarks, Answer(self.engine, results).hits
        if both:
            total, shown = self._by_turns(results, slice(begin, begin + limit + 1))
        if side is not None and total < LITTLE:
            said = (f"little was found: {total} {SIDE_WORDS.get(side, side)}", *said)
        told: dict[str, Any] = {"fingerprint": results.fingerprint, "notes": _notes(said)}
        # The last cursor must not lead to a page that would be rejected.
        last = deepest - limit + 1 if counters else deepest
        there = key, shown[:limit], begin, min(begin + len(shown), last), max_bytes
        if counters:
            countered = shortened(results.details.conclusion or results.details.premise, SHORT[0])
            return _listed(shapes.Countered(asked=countered, **told), *there)
        most = SHORT[1] if max_bytes >= BUDGET else SHORTER[1] // 2
        claim = shortened(results.balance.claim.reading, most) if results.balance else None
        told |= {"question": shortened(text, SHORT[1]), "claim": claim, "total": total}
        return _listed(shapes.Found(**told), *there)

    def _by_turns(self, results: Results, page: slice) -> tuple[int, tuple[ShownHit, ...]]:
        """Return the number of hits on both sides, and a page that alternates between them."""
        # To alternate, the page must know where the shorter side ends.
        totals = [results.on(side, k=1).total for side in TWO_SIDES]
        turns = [(place, side) for side, n in enumerate(totals) for place in range(n)]
        chosen = sorted(turns)[page]
        shown: dict[tuple[int, int], ShownHit] = {}
        for side, name in enumerate(TWO_SIDES):
            places = [place for place, of in chosen if of == side]
            if places:
                found = results.on(name, k=len(places), offset=places[0])
                hits = Answer(self.engine, found).hits
                shown |= {(place, side): hit for place, hit in zip(places, hits, strict=True)}
        return sum(totals), tuple(shown[turn] for turn in chosen)

    @again
    def argument(self, id: str, cursor: str | None = None, max_bytes: int = BUDGET) -> shapes.Whole:
        """Return the whole text of an argument, in parts if it is long."""
        fingerprint = self.engine.info.fingerprint
        key = "argument", id
        begin, found = position(cursor, fingerprint, key), self._argument(id)
        text = found.premise
        # Spend a small budget on the text rather than on its labels.
        lengths = SHORT if max_bytes >= BUDGET else SHORTEST
        whole = shapes.Whole(
            fingerprint=fingerprint,
            id=id,
            **_named(found, cite(found), lengths),
            begin=begin,
            length=len(text),
        )
        part = text[begin : begin + max_bytes]
        told, number = fitted(whole, "text", part, max_bytes)
        # If more text follows, end the part at a space if possible.
        if begin + number < len(text):
            number = part.rfind(" ", number // 2, number) + 1 or number
            after = budget.cursor(fingerprint, key, begin + number)
            told = told.model_copy(update={"text": part[:number], "cursor": after})
        return told

    @again
    def explain(
        self, question: str, id: str, cursor: str | None = None, max_bytes: int = BUDGET
    ) -> shapes.Explained:
        """Return the derivation of an argument's score for a question."""
        key = "explain", question, id
        begin = position(cursor, self.engine.info.fingerprint, key)
        results = self.engine.search(question, k=TOP_RANKS)
        hit = next((hit for hit in results.hits if hit.id == id), None)
        if hit is None:
            # For an unknown id, this raises its own error.
            self._argument(id)
            raise NotFound(f"{id!r} is not among the first {TOP_RANKS} arguments for this question")
        answer = shapes.Explained(
            fingerprint=results.fingerprint,
            question=shortened(question, SHORT[1]),
            id=id,
            rank=hit.rank,
            score=hit.score,
            notes=_notes(results.remarks),
        )
        lines = [shortened(line, SHORT[0]) for line in hit.explanation.lines()]
        return _paged(answer, "because", lines[begin:], begin, len(lines), key, max_bytes)

    @again
    def points(
        self, question: str, cursor: str | None = None, max_bytes: int = BUDGET
    ) -> shapes.Points:
        """Return the key points on each side of a question."""
        key = "points", question
        begin = position(cursor, self.engine.info.fingerprint, key)
        found = self.engine.key_points(question)
        balance = found.results.balance
        answer = shapes.Points(
            fingerprint=found.results.fingerprint,
            question=shortened(question, SHORT[1]),
            claim=shortened(balance.claim.reading, SHORT[1]) if balance else None,
            grouped={name: side.grouped for name, side in found.sides.items()},
            ungrouped={name: len(side.ungrouped) for name, side in found.sides.items()},
            unclear=found.unclear,
            notes=_notes(found.notes),
        )
        said = [point for side in found.sides.values() for point in side.points]
        return _sectioned(answer, "points", said, begin, key, max_bytes)

    @again
    def challenge(
        self,
        text: str,
        about: str | None = None,
        side: str | None = None,
        limit: int = 5,
        cursor: str | None = None,
        max_bytes: int = BUDGET,
    ) -> shapes.Challenged:
        """Return arguments against and for the position of a text."""
        key = "challenge", text, about, side, str(limit)
        begin = position(cursor, self.engine.info.fingerprint, key)
        found = self.engine.challenge(text, about=about, side=side, k=limit)
        most = SHORT[1] if max_bytes >= BUDGET else SHORTER[1] // 2
        answer = shapes.Challenged(
            fingerprint=found.fingerprint,
            about=shortened(found.about, most) or None,
            side=cast("Any", found.side and found.side.value),
            probability=found.side and round(found.side.probability, 2),
            opposite=cast("Any", found.opposite or None),
            notes=_notes(found.notes),
        )
        said = [replace(one, quotes=(quote,)) for one in found.sections for quote in one.quotes]
        return _sectioned(answer, "sections", said, begin, key, max_bytes)

    def _argument(self, id: str) -> Argument:
        found = self.engine.argument(id)
        if found is None:
            raise NotFound(f"no argument has the id {id[:200]!r}; take an id from a search")
        return found


def _paged(
    answer: L,
    field: str,
    items: Sequence[object],
    begin: int,
    total: int,
    key: Sequence[str | None],
    most: int,
) -> L:
    """Return the answer with as many items from `begin` on as fit, and a cursor if more follow."""
    told, number = fitted(answer, field, items, most)
    more = number and begin + number < total
    after = budget.cursor(told.fingerprint, key, begin + number) if more else None
    return told.model_copy(update={"cursor": after})


def _sectioned(
    answer: L,
    field: str,
    sections: Sequence[QuoteSection],
    begin: int,
    key: Sequence[str | None],
    most: int,
) -> L:
    """Return the answer with the sections that fit, all shortened until at least the first fits."""
    said: list[shapes.ToolSection] = []
    for quotes, lengths in QUOTE_LENGTHS:
        said = [_section(one, quotes, lengths) for one in sections]
        notes = [shortened(note, lengths[1]) for note in answer.notes]
        answer = answer.model_copy(update={"notes": notes})
        first = answer.model_copy(update={field: said[begin : begin + 1]})
        if budget.size(first) + budget.CURSOR_BYTES <= most:
            break
    return _paged(answer, field, said[begin:], begin, len(said), key, most)


def _section(section: QuoteSection, quotes: int, lengths: tuple[int, int]) -> shapes.ToolSection:
    said = [
        shapes.ToolQuote(
            id=one.id,
            text=shortened(one.text, lengths[0]),
            probability=round(one.probability, 2),
            url=_address(one.source, lengths),
        )
        for one in section.quotes[:quotes]
    ]
    return shapes.ToolSection(
        heading=shortened(section.heading, lengths[0]),
        side=cast("Any", section.side),
        arguments=section.arguments,
        quotes=said,
    )


def _listed(
    answer: L,
    key: Sequence[str | None],
    hits: Sequence[ShownHit],
    begin: int,
    total: int,
    most: int,
) -> L:
    """Return the answer with the gists that fit, and a cursor to the next gist."""
    gists = [_gist(shown, SHORT) for shown in hits]
    for lengths in (SHORTER, SHORTEST):
        first = answer.model_copy(update={"arguments": gists[:1]})
        if gists and budget.size(first) + budget.CURSOR_BYTES > most:
            gists[0] = _gist(hits[0], lengths)
    return _paged(answer, "arguments", gists, begin, total, key, most)


def _gist(shown: ShownHit, lengths: tuple[int, int]) -> shapes.Gist:
    argument, side = shown.argument, shown.hit.side
    return shapes.Gist(
        rank=shown.hit.rank,
        id=shown.hit.id,
        side=shown.side,
        probability=None if side is None else round(side.probability, 2),
        gist=shortened(shown.sentence.text, lengths[0]),
        beginning=shown.sentence.beginning,
        **_named(argument, shown.source, lengths),
    )


def _named(argument: Argument, source: Citation, lengths: tuple[int, int]) -> dict[str, Any]:
    """Return the conclusion, stance and source. A URL that is too long is left out."""
    return {
        "conclusion": shortened(argument.conclusion or "", lengths[1]),
        "stance": argument.stance and argument.stance.value,
        "source": shortened(source.line, lengths[1]),
        "url": _address(source, lengths),
    }


def _address(source: Citation, lengths: tuple[int, int]) -> str | None:
    return source.url if source.url and len(source.url) <= lengths[0] else None


def _notes(said: Sequence[str]) -> list[str]:
    """Return at most three notes. They are shortened, since they may contain a long question."""
    return [shortened(note, SHORT[1]) for note in list(said)[:3]]
