"""A partner to argue with: who defends the contrary of a thesis by sentences of the corpus.

Nothing is written but the fixed sentences below, and nothing kept: all follows from the messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from argsearch.engine.debate.choice import Choice
from argsearch.engine.debate.talk import ASSISTANT, NOTHING, Talk, read_messages
from argsearch.engine.one_thread import one_thread
from argsearch.engine.stance.sides import DEPTH
from argsearch.engine.text.citation import Cited

if TYPE_CHECKING:
    from argsearch.engine.results.results import Hit, Results

LONGEST = 60
"""Words of an answer, at most."""
LIKELY, LIKELIER = 0.65, 0.7
"""P(against the thesis) from which an argument is read; LIKELIER where no stance tells it."""
HEARD = 50
"""Hits for what was last claimed that are read, beside those for the thesis."""
DISAGREEING = (
    "I disagree.",
    "There is another side to it.",
    "That does not settle it.",
    "Consider the other side.",
    "I see it differently.",
    "That is not the whole story.",
    "I am not convinced.",
    "There is more to it.",
)
"""Before an answer, in turn."""
FIXED = {
    "side": "I argue against your thesis.",
    "agreed": "Then we agree.",
    "back": "Back to your thesis.",
    "claim": "Tell me what you claim, and I will argue against it.",
    "nothing": NOTHING,
    "left": "I have nothing left to say against your thesis that was not said.",
}
"""What else is said that is no sentence of the corpus."""


@dataclass(frozen=True)
class Spoken(Cited):
    """A sentence of an argument, white space folded, and where it stands."""

    begin: int
    """In the premises, joined by line breaks, in code points."""
    end: int

    @property
    def text(self) -> str:
        """The sentence."""
        return " ".join(self.argument.premise[self.begin : self.end].split())


@dataclass(frozen=True)
class Reply:
    """What the partner answers."""

    content: str
    """LONGEST words at most: fixed sentences, and those of `spoken`."""
    spoken: tuple[Spoken, ...]
    """The sentences of the corpus in it, in order."""
    thesis: str
    """What is argued against; empty before there is a claim."""
    fingerprint: str
    """The index's."""


def debate(search: Callable[..., Results], messages: Sequence[Any], fingerprint: str) -> Reply:
    """Return the answer to a talk's last message; search: as `Engine.search`, of that fingerprint.

    Raises InvalidParameter for messages that are none.
    """
    talk = Talk(read_messages(messages))
    if not talk.thesis:
        return Reply(FIXED["claim"], (), "", fingerprint)
    choice = against(search, talk)
    with one_thread():  # one says the author's side surer than two
        chosen = list(islice(choice.ranked(), 1))
    spoken = tuple(_spoken(choice, number) for number in chosen)
    return Reply(_said(talk, choice, spoken), spoken, talk.thesis, fingerprint)


def against(search: Callable[..., Results], talk: Talk) -> Choice:
    """Return what can be said against the thesis: of hits for it, and for what was last claimed."""
    found = search(talk.thesis, k=DEPTH, sides=True)
    hits: dict[str, tuple[Hit, float]] = {}
    read = list(zip(found.hits, found.sides, strict=True))
    if talk.claims and found.sided is not None:
        query = f"{talk.claim.phrase} {' '.join(talk.claims)}"
        heard = search(query, k=HEARD)
        sides = found.sided.on(heard.hits.candidates)
        read += zip(heard.hits, sides, strict=True)
    claiming = found.sided is None or found.sided.claiming
    least = LIKELY if claiming else LIKELIER
    for hit, side in read:
        if side.likelier == "against" and side.probability >= least:
            hits.setdefault(hit.id, (hit, side.probability))
    kept = list(hits.values())
    return Choice(talk, [hit.argument for hit, _ in kept], [p for _, p in kept], claiming)


def _spoken(choice: Choice, number: int) -> Spoken:
    sentence = choice.sentences[number]
    return Spoken(choice.arguments[sentence.place], sentence.begin, sentence.end)


def _said(talk: Talk, choice: Choice, spoken: Sequence[Spoken]) -> str:
    if not spoken:
        own = (one.content for one in talk.messages if one.role == ASSISTANT)
        return FIXED["nothing" if {*own} <= {*FIXED.values()} else "left"]
    return f"{opening(talk, choice)} {' '.join(one.text for one in spoken)}"


def opening(talk: Talk, choice: Choice) -> str:
    """Return the fixed sentence before an answer."""
    if talk.turn and talk.yields:
        return FIXED["agreed"]
    if talk.asks_opinion or (not talk.turn and talk.thesis.endswith("?")):
        return FIXED["side"]
    if choice.strays:
        return FIXED["back"]
    return DISAGREEING[talk.turn % len(DISAGREEING)]
