"""Arguments against and for the position of a text (docs/challenge.md).

The engine finds the conclusion in the index that the text is about and searches for it like any
question. Arguments on the side opposite to the author's come first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from argsearch.engine.challenge.author import AuthorSide, side_of
from argsearch.engine.challenge.reading import MOST_CLAIMS, TEXT_READ, claims_of, subject_of
from argsearch.engine.one_thread import one_thread
from argsearch.engine.results.quotes import TWO_SIDES, Quote, QuoteSection, spans_in
from argsearch.engine.stance.claims import read_question
from argsearch.engine.stance.sides import DEPTH
from argsearch.engine.text.snippet import ELLIPSIS, Snippet
from argsearch.ranking.explanation import Explanation

if TYPE_CHECKING:
    from argsearch.engine.results.results import Hit, Results
    from argsearch.indexer.corpus.argument import Argument

OPPOSITE = {"for": "against", "against": "for"}
"""The opposite of each side."""
NO_CLAIM = "the text has no sentence that makes a claim"
NO_SUBJECT = (
    "no conclusion of this index is about the subject of the text; if the index has arguments on "
    "it, give a claim as `about`"
)
NO_SURE_ARGUMENT = "none of the arguments found is clearly for or against the claim"
NO_SIDE = (
    "the text does not make its author's side clear; give the side to see the arguments against "
    "it first"
)
NO_SIDES = "the text is about a claim that nobody can be for or against"


@dataclass(frozen=True)
class Challenge:
    """The position of a text, with arguments against it and for it."""

    about: str
    """Claim that sides refer to, given or taken from the index; may be empty."""
    side: AuthorSide | None
    """The author's side of the claim, or None if the engine found no claim or no sides."""
    sections: tuple[QuoteSection, ...]
    """Sections by side, arguments against the author first; empty if there are no arguments."""
    notes: tuple[str, ...]
    """Notes for the reader."""
    asked: Mapping[str, Any]
    """The parameters of the request, for the receipt."""
    milliseconds: float = 0.0

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the index."""
        return str(self.asked["fingerprint"])

    @property
    def receipt(self) -> dict[str, Any]:
        """The request, the fingerprint of the index and the ids of the quoted arguments.

        The same text, configuration, filters and fingerprint give the same answer.
        """
        quoted = {one.side: [quote.id for quote in one.quotes] for one in self.sections}
        return {**self.asked, "read_about": self.about, "quoted": quoted}

    @property
    def opposite(self) -> str:
        """The side that argues against the author; empty if the author's side is unknown."""
        return OPPOSITE.get(self.side.value, "") if self.side else ""


def challenge(
    search: Callable[..., Results],
    gists: Callable[[str, Sequence[Argument]], list[Snippet]],
    text: str,
    about: str | None,
    asked: Mapping[str, Any],
) -> Challenge:
    """Return an index's arguments against and for a text's position.

    `search` and `gists` work like those of `Engine`. `asked` is the request as the receipt shows
    it, with `side` and `k`. If `about` is None, the best conclusion of the index is used.
    If `side` is None, the author's side is read from the text.
    """
    begun = time.perf_counter()
    claims, notes = claims_of(text), list[str]()
    if len(claims) > MOST_CLAIMS or len(text) > TEXT_READ:
        notes = [
            f"long text: only {MOST_CLAIMS} claims in its first {TEXT_READ:,} characters are read"
        ]
    claims = claims[:MOST_CLAIMS]
    question = about or subject_of(search, claims)
    if not claims or not question or not read_question(question).sided:
        why = NO_CLAIM if not claims else NO_SIDES if question else NO_SUBJECT
        return Challenge(question, None, (), (*notes, why), asked)
    found = search(question, k=DEPTH, side="both", spread=True, discriminative=True)
    with one_thread():
        author = (
            AuthorSide(given, 1.0, given, Explanation(1.0, "the side that was given"))
            if (given := asked["side"])
            else side_of(
                question,
                claims,
                {side: of.hits.candidates.arguments for side, of in found.lists.items()},
            )
        )
        sections = {
            side: _section(of, side, heading(question, side, author.value), gists, asked["k"])
            for side, of in found.lists.items()
        }
    there = any(one.arguments for one in sections.values())
    notes += found.remarks if there else [NO_SURE_ARGUMENT]
    notes += [NO_SIDE] * (there and author.value == "unclear")
    order = (OPPOSITE[author.likelier], author.likelier)
    spent = (time.perf_counter() - begun) * 1000.0
    shown = tuple(sections[side] for side in order if sections[side].arguments)
    return Challenge(question, author, shown, tuple(notes), asked, spent)


def heading(question: str, side: str, author: str) -> str:
    """Return the heading of the arguments on one side, from the author's point of view."""
    said = f"arguments {side} “{' '.join(question.split())}”"
    if author not in TWO_SIDES:
        return said[:1].upper() + said[1:]
    return f"{'For' if side == author else 'Against'} the text: {said}"


def _section(
    found: Results,
    side: str,
    title: str,
    gists: Callable[[str, Sequence[Argument]], list[Snippet]],
    k: int,
) -> QuoteSection:
    """Return a side's k best hits, each with its gist; hits without text cannot be quoted."""
    hits = list(islice((hit for hit in found.hits if hit.stated.premise.strip()), k))
    shown = gists(found.asked, [hit.stated for hit in hits])
    quotes = tuple(_quote(hit, gist, side) for hit, gist in zip(hits, shown, strict=True))
    return QuoteSection(title, side, found.total, quotes)


def _quote(hit: Hit, gist: Snippet, side: str) -> Quote:
    assert hit.side is not None
    begin, end = span_of(gist.text, hit.stated.premise)
    reason = f"argues {side} it ({hit.side.probability:.0%} sure)"
    if gist.beginning:
        reason += "; the beginning of the text, as no sentence clearly states its point"
    return Quote(
        hit.stated, gist.text, begin, end, side, hit.side.probability, reason, hit.side.explain
    )


def span_of(gist: str, text: str) -> tuple[int, int]:
    """Return where the sentences of a gist begin and end in a text, ignoring white space.

    Return (0, 0) if the text does not contain them.
    """
    found = spans_in(gist, text)
    pieces = gist.strip(ELLIPSIS).count(f" {ELLIPSIS} ") + 1
    return (found[0][0], found[-1][1]) if len(found) == pieces else (0, 0)
