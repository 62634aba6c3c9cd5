"""What speaks against a text, and what for it: of each claim the strongest sentence of the corpus.

Nothing is written: every sentence is an argument's own, with its address (docs/challenge.md).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from argsearch.engine.challenge.author import AuthorSide, side_of
from argsearch.engine.challenge.meeting import ArguedSide, ClaimVectors, Meeting
from argsearch.engine.challenge.reading import (
    MOST_CLAIMS,
    TEXT_READ,
    TextClaim,
    claims_of,
    subject_of,
)
from argsearch.engine.debate.choice import overlapping
from argsearch.engine.one_thread import one_thread
from argsearch.engine.points.sentences import ClaimSentence, asked_roots
from argsearch.engine.stance.claims import read_question
from argsearch.engine.stance.sides import DEPTH
from argsearch.engine.text.citation import Cited
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders.base import Encoder
from argsearch.ranking.explanation import Explanation

if TYPE_CHECKING:
    from argsearch.engine.results.results import Hit, Results
    from argsearch.engine.stance.model import Side as SideOfHit

TWO_SIDES = ("for", "against")
LIKELY, LIKELIER = 0.5, 0.7
"""P(side) from which an argument is read; LIKELIER where no stance tells it."""
HEARD = 50
"""Hits for each claim that are read, beside those for what the text is about."""
MEETS, LIKELY_REASON, REASON = 0.5, 0.7, 0.78
"""Of a sentence beside a claim: the least probability that it meets it, and that it is a reason for
its side; the latter of a reason for the side as a whole."""
WHOLE, ALIKE = 5, 0.75
"""Sentences for a side as a whole, at most, and the cosine from which two are one."""
NO_CLAIM = "the text has no sentence that claims something"
NO_SUBJECT = (
    "no conclusion of this index is about what the text is about; if arguments are, say by `about` "
    "what it is about"
)
NO_ARGUMENT = "no argument that was found is surely for or against that"
NO_SIDE = (
    "on which side the author stands is not sure: say it by `side`; until then nothing is called a "
    "counter-argument"
)
NO_SIDES = "the claim that was named has no sides"


@dataclass(frozen=True)
class Passage(Cited):
    """A sentence of an argument, and where it stands."""

    sentence: ClaimSentence
    side: str
    """Of its argument: `for` or `against` what the text is about."""
    probability: float
    """That it meets the claim from that side; of the whole, that it is a reason for it."""
    explanation: Explanation = field(compare=False, repr=False)
    """Why; the root's value is `probability`."""

    @property
    def text(self) -> str:
        """The sentence, white space folded."""
        return " ".join(self.sentence.text.split())


@dataclass(frozen=True)
class Finding:
    """A claim of the text, and what meets it on either side."""

    claim: TextClaim
    passages: Mapping[str, Passage]
    """By the side of their arguments; a side is missing where nothing surely meets the claim."""


@dataclass(frozen=True)
class Challenge:
    """What is found on a text."""

    about: str
    """The claim that sides refer to: given, or a conclusion of the index; empty for none."""
    side: AuthorSide | None
    """Where the author stands towards it; None where nothing is found."""
    findings: tuple[Finding, ...]
    """Of each claim; the most contestable first, those that nothing meets last, as in the text."""
    whole: Mapping[str, tuple[Passage, ...]]
    """What speaks for and against what the text is about as a whole, surest first."""
    notes: tuple[str, ...]
    asked: Mapping[str, Any]
    """What the receipt tells beside the answer."""
    milliseconds: float = 0.0

    @property
    def fingerprint(self) -> str:
        """The index's."""
        return str(self.asked["fingerprint"])

    @property
    def receipt(self) -> dict[str, Any]:
        """What was asked of which index, and what was answered: ids, and where sentences begin.

        The same text, configuration, filters and fingerprint give the same answer.
        """
        met = [
            {
                "begin": one.claim.begin,
                "met": {side: [got.id, got.sentence.begin] for side, got in one.passages.items()},
            }
            for one in self.findings
        ]
        whole = {
            side: [[one.id, one.sentence.begin] for one in of] for side, of in self.whole.items()
        }
        return {**self.asked, "read_about": self.about, "claims": met, "whole": whole}

    @property
    def opposite(self) -> str:
        """The side that speaks against the author; empty where his is not known."""
        known = self.side.value if self.side else ""
        return {"for": "against", "against": "for"}.get(known, "")

    def counter(self, finding: Finding) -> Passage | None:
        """Return what speaks against a claim, None where the side is not known or nothing does."""
        return finding.passages.get(self.opposite)

    def support(self, finding: Finding) -> Passage | None:
        """Return what speaks for a claim, None where the side is not known or nothing does."""
        return finding.passages.get(self.side.value) if self.side else None


def challenge(
    search: Callable[..., Results],
    text: str,
    encoder: Encoder | None,
    about: str | None,
    side: str | None,
    asked: Mapping[str, Any],
) -> Challenge:
    """Return what the arguments of an index say to the claims of a text.

    search: as `Engine.search`; encoder: of the part `meaning` where that is a neural one; about:
    what the text is about, else read from it; side: where its author stands to that; asked: what
    the receipt tells.
    """
    begun = time.perf_counter()
    all_claims = claims_of(text)
    claims, notes = all_claims[:MOST_CLAIMS], []
    if len(all_claims) > MOST_CLAIMS or len(text) > TEXT_READ:
        notes.append(
            f"the text is long: {MOST_CLAIMS} claims of the first {TEXT_READ:,} characters are read"
        )
    question = about or subject_of(search, claims)
    if not claims or not question or not read_question(question).sided:
        why = NO_CLAIM if not claims else NO_SIDES if question else NO_SUBJECT
        found = tuple(Finding(one, {}) for one in claims)
        empty: Mapping[str, tuple[Passage, ...]] = dict.fromkeys(TWO_SIDES, ())
        return Challenge(question, None, found, empty, (*notes, why), asked)
    sides = arguments_of(search, question, claims)
    with one_thread():
        said = ClaimVectors(question, [one.text for one in claims], encoder)
        author = (
            AuthorSide(side, 1.0, side, Explanation(1.0, "the side that was said"))
            if side
            else side_of(question, claims, said.alone, sides)
        )
        met = {name: _met(Meeting(of, said)) for name, of in sides.items()}
    if not any(of.arguments for of in sides.values()):
        notes.append(NO_ARGUMENT)
    elif author.value == "unclear":
        notes.append(NO_SIDE)
    findings = [
        Finding(one, {name: of[at] for name, of in met.items() if at in of})
        for at, one in enumerate(claims)
    ]
    used = {one.sentence.text for of in met.values() for one in of.values()}
    return Challenge(
        question,
        author,
        _ordered(findings, author.value),
        {name: _whole(of, used) for name, of in sides.items()},
        tuple(notes),
        asked,
        (time.perf_counter() - begun) * 1000.0,
    )


def _ordered(findings: Sequence[Finding], author: str) -> tuple[Finding, ...]:
    """Counters first, the surest first; then what is supported; then what nothing meets."""

    def order(finding: Finding) -> tuple[bool, float, int]:
        """The smaller, the earlier."""
        against = [one for side, one in finding.passages.items() if side != author]
        sure = max((one.probability for one in against), default=0.0)
        return not finding.passages, -sure, finding.claim.begin

    return tuple(sorted(findings, key=order))


def arguments_of(
    search: Callable[..., Results], question: str, claims: Sequence[TextClaim]
) -> dict[str, ArguedSide]:
    """The arguments for and against the question: of its best hits, and of those of each claim."""
    found = search(question, k=DEPTH, sides=True)
    sides: dict[str, dict[str, tuple[Argument, float]]] = {name: {} for name in TWO_SIDES}
    claiming = found.sided is None or found.sided.claiming
    least = LIKELY if claiming else LIKELIER
    seen = set[str]()

    def add(hits: Sequence[Hit], read: Sequence[SideOfHit]) -> None:
        """Keep those that are surely on a side."""
        for hit, side in zip(hits, read, strict=True):
            seen.add(hit.id)
            if side.likelier in sides and side.probability >= least:
                sides[side.likelier][hit.id] = hit.argument, side.probability

    add(list(found.hits), found.sides)
    phrase = read_question(question).phrase
    for claim in claims:
        if found.sided is None:
            break
        heard = search(f"{phrase} {claim.text}", k=HEARD).hits
        new = [i for i, id in enumerate(heard.ids) if id not in seen]
        read = found.sided.on(heard.candidates.take(np.array(new, np.int64)))
        add([heard[i] for i in new], read)
    return {
        name: ArguedSide(
            question, name, [one for one, _ in of.values()], [p for _, p in of.values()], claiming
        )
        for name, of in sides.items()
    }


def _met(meeting: Meeting) -> dict[int, Passage]:
    """What meets claims, by the claim's number: no sentence twice, the surest pairs first."""
    side, table = meeting.side, meeting.probabilities
    found: dict[int, Passage] = {}
    used = set[int]()
    rows, columns = np.nonzero((table >= MEETS) & (meeting.on_side >= LIKELY_REASON))
    for at in np.argsort(-table[rows, columns], kind="stable").tolist():
        claim, column = int(rows[at]), int(columns[at])
        if claim not in found and column not in used:
            used.add(column)
            sentence = side.sentences[int(meeting.looked[column])]
            why = meeting.explanation(claim, column)
            argument = side.arguments[sentence.place]
            found[claim] = Passage(argument, sentence, side.value, why.value, why)
    return found


def _whole(side: ArguedSide, used: set[str]) -> tuple[Passage, ...]:
    """The surest reasons for a side as a whole: one an argument, no two alike, none used before.

    None where no stance tells sides: by the text alone they are wrong too often.
    """
    if not side.claiming:
        return ()
    asked = asked_roots(side.question)
    number = {one.text: i for i, one in enumerate(side.sentences)}
    found: list[Passage] = []
    taken: list[int] = []
    for sentence, why in side.reasons():
        if why.value < REASON:
            break
        i, own = number[sentence.text], sentence.roots - asked
        said = [one.sentence for one in found]
        repeats = any(
            one.place == sentence.place or overlapping(own, one.roots - asked) for one in said
        )
        near = (side.vectors[taken] @ side.vectors[i]).max(initial=0.0)
        if sentence.text not in used and not repeats and near < ALIKE:
            taken.append(i)
            argument = side.arguments[sentence.place]
            found.append(Passage(argument, sentence, side.value, why.value, why))
        if len(found) == WHOLE:
            break
    return tuple(found)
