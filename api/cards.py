"""Debate cards: a printable HTML file with one card per hit or key point.

A card has a tag line, a citation, the whole quote with its gist underlined, and its reading time.
The file needs no other files and no scripts.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise

from argsearch.api.serialise import Answer, ShownHit
from argsearch.api.templates import WEB, page
from argsearch.engine.points.key_points import KeyPoints
from argsearch.engine.results.quotes import Quote, QuoteSection, spans_in
from argsearch.engine.stance.lexicon import QUESTION_OPENERS
from argsearch.engine.text.citation import Citation, cite
from argsearch.engine.text.paragraphs import paragraphs
from argsearch.indexer.corpus.argument import Argument, Stance

WORDS_A_MINUTE = 238
"""Average speed of silent reading of English prose by adults (Brysbaert 2019)."""
CARD_SECTIONS = {"for": "For", "against": "Against"}
STANCE_PHRASES = {Stance.PRO: "Supports", Stance.CON: "Opposes", None: "On"}
"""Phrases for an argument's stance towards its own conclusion, a claim or a topic."""
ANSWER_PHRASES = {Stance.PRO: "Says yes to", Stance.CON: "Says no to", None: "On"}
"""The same if the conclusion is a question."""
_QUESTION = re.compile(rf"(?i)^({'|'.join(sorted(QUESTION_OPENERS))})\b|\?$")  # as in hits.js
Pieces = tuple[tuple[str, bool], ...]
"""The pieces of a paragraph, each with a flag that is True if the piece is underlined."""


@dataclass(frozen=True)
class Card:
    """The content of a card."""

    tag: str
    argument: Argument
    id: str
    gist: str
    """Underlined sentences of the argument, with an ellipsis where sentences are left out."""
    said: tuple[Quote, ...] = ()
    """Verbatim quotes from other arguments that make the same point."""

    @property
    def source(self) -> Citation:
        """Source of the argument."""
        return cite(self.argument)

    @property
    def own(self) -> str:
        """The argument's stance towards its conclusion, in words; empty if it has no conclusion."""
        return stance_phrase(self.argument)

    @property
    def quote(self) -> list[Pieces]:
        """The argument's paragraphs."""
        return underlined([premise.text for premise in self.argument.premises], self.gist)

    @property
    def words(self) -> int:
        """Number of words in the quote."""
        return len(self.argument.premise.split())

    @property
    def time(self) -> str:
        """Reading time of the quote."""
        return reading_time(self.words)

    @property
    def short_time(self) -> str:
        """Reading time of the underlined text."""
        pieces = (text for one in self.quote for text, under in one if under)
        return reading_time(len(" ".join(pieces).split()))


def stance_phrase(argument: Argument) -> str:
    """Return an argument's stance towards its conclusion, in words; "" if it has no conclusion."""
    conclusion = (argument.conclusion or "").strip()
    phrases = ANSWER_PHRASES if _QUESTION.search(conclusion) else STANCE_PHRASES
    return phrases[argument.stance] if conclusion else ""


def reading_time(words: int) -> str:
    """Return the reading time of a number of words, such as 1 min 5 s."""
    minutes, seconds = divmod(round(words * 60 / WORDS_A_MINUTE), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def underlined(texts: Sequence[str], gist: str) -> list[Pieces]:
    """Return the paragraphs of the texts as pieces, with the gist's sentences underlined."""
    parts = [" ".join(part.split()) for text in texts for part in paragraphs(text)]
    # The search in the joined text also finds a gist that continues into the next paragraph.
    whole = " ".join(parts)
    under = spans_in(gist, whole)
    found, begin = list[Pieces](), 0
    for part in parts:
        end = begin + len(part)
        inside = [(max(a, begin), min(b, end)) for a, b in under if a < end and b > begin]
        # Between cuts, plain and underlined text alternate, plain first. Empty pieces are dropped.
        cuts = [begin, *(cut for span in inside for cut in span), end]
        spans = pairwise(cuts)
        pieces = ((whole[a:b], bool(n % 2)) for n, (a, b) in enumerate(spans))
        found.append(tuple(piece for piece in pieces if piece[0]))
        begin = end + 1
    return found


def to_cards(answer: Answer) -> str:
    """Return a card per hit, tagged with the gist, or the conclusion if the gist is the text."""
    sections: dict[str, list[Card]] = {}
    for shown in answer.hits:
        # Without lists for each side, the best card comes first, whatever its side.
        title = CARD_SECTIONS[shown.side] if answer.lists and shown.side else ""
        sections.setdefault(title, []).append(_card(shown))
    return _file(answer.results.query, answer.results.fingerprint, sections)


def _card(shown: ShownHit) -> Card:
    argument, gist = shown.argument, shown.sentence
    text = " ".join(gist.text.split())
    tag = argument.conclusion if text == " ".join(argument.premise.split()) else text
    return Card(tag or text, argument, shown.hit.id, "" if gist.beginning else text)


def points_cards(found: KeyPoints) -> str:
    """Return a card for each key point, with its first quote and quotes from similar arguments."""
    sections = {
        CARD_SECTIONS.get(side.side, ""): [_of_point(point) for point in side.points]
        for side in found.sides.values()
    }
    return _file(found.results.query, found.results.fingerprint, sections)


def _of_point(point: QuoteSection) -> Card:
    first = point.quotes[0]
    return Card(point.heading, first.argument, first.id, first.text, point.quotes[1:])


def _file(question: str, fingerprint: str, sections: dict[str, list[Card]]) -> str:
    return page(
        "cards.html",
        question=question,
        fingerprint=fingerprint[:12],
        sections=sections,
        style=_style(),
        policy=policy(),
        speed=WORDS_A_MINUTE,
    )


@lru_cache(1)
def _style() -> str:
    return (WEB / "cards.css").read_text(encoding="utf-8")


def policy() -> str:
    """Return the file's content security policy, which allows only its own style sheet."""
    digest = b64encode(sha256(_style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
