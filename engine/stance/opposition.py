"""How arguments stand to the author of one: against what he claims, with him, or unclear.

The question is his conclusion and his side of it his stance; a text of one sentence is its own
claim. Who argues about the very same conclusion says himself on which side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from argsearch.engine.stance.claims import WORD, accord, read_claim, read_question, sentences_of
from argsearch.engine.stance.evidence import StanceEvidence
from argsearch.engine.stance.model import Side, StanceModel
from argsearch.engine.stance.terms import repeats
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.ranking.explanation import Explanation

MAX_CLAIM = 60
"""Words of a text without a conclusion that may be one claim."""
SURE = 0.95
"""Probability of the side that a stance towards the very same conclusion says."""
LIKELY = 0.5
"""Probability from which a side is said: it is likelier than all else, neither side included."""
STANDINGS = ("supports", "against")
"""What being for the author's claim, and being against it, is called."""


@dataclass(frozen=True)
class Opposition:
    """Reads how arguments stand to an author."""

    author: Argument
    """The argument that is countered."""
    best: tuple[Argument, ...]
    """Arguments on its subject, the nearest first: they tell what it is about."""
    claiming: bool = True
    """Whether the index's stances are towards claims (`sides.claiming`)."""

    @property
    def claim(self) -> str:
        """What the author is for or against: his conclusion, or a text that is one sentence.

        Empty for other texts: who asks, reports and concedes names claims that are not his own.
        """
        text = self.author.premise
        single = len(text.split()) <= MAX_CLAIM and "?" not in text and len(sentences_of(text)) == 1
        return self.author.conclusion or (text if single else "")

    @property
    def opposing(self) -> bool:
        """Whether the author argues against his conclusion."""
        known = self.claiming and self.author.conclusion
        return bool(known) and self.author.stance is Stance.CON

    def concedes(self, argument: Argument) -> bool:
        """Return whether stance and conclusion put an argument on the author's side.

        Where they do nothing else has to be read.
        """
        same = self._same(argument)
        if same is not None:
            return same.value == STANDINGS[0]
        asked, claim = read_question(self.claim), read_claim(argument.conclusion or "")
        if argument.stance is None or not claim.subject:
            return False
        agrees = accord(asked, claim) > 0
        return (argument.stance is Stance.PRO) == (agrees != self.opposing)

    def read(self, arguments: Sequence[Argument]) -> list[tuple[Side, float]]:
        """Return how each stands (`supports`, `against`, `unclear`), and ± its probability.

        The number is that of the likelier side, below 0 where that is the author's, also where it
        is too low to be said.
        """
        asked, known = read_question(self.claim), [self._same(one) for one in arguments]
        known = [
            # who says the claim again gives no reason, whichever stance it is filed under
            None if same is None or repeats(asked, one.premise) else same
            for one, same in zip(arguments, known, strict=True)
        ]
        others = [one for one, same in zip(arguments, known, strict=True) if same is None]
        found = iter(
            StanceModel.load().evidence(self.claim, others, self.best, claiming=self.claiming)
        )
        return [_signed(same) if same else self._weighed(next(found)) for same in known]

    def _weighed(self, evidence: StanceEvidence) -> tuple[Side, float]:
        model = StanceModel.load()
        names = STANDINGS[::-1] if self.opposing else STANDINGS
        side = model.weigh(evidence, names, LIKELY)
        agrees = sum(model.given(evidence).values()) >= 0.0
        who = f"who is {'against' if self.opposing else 'for'} “{self.claim}”"

        def explain() -> Explanation:
            """The tree behind the probability."""
            details = (side.explanation,)
            return Explanation(side.probability, f"probability towards the author, {who}", details)

        towards = -side.probability if agrees != self.opposing else side.probability
        return replace(side, explain=explain), towards

    def _same(self, argument: Argument) -> Side | None:
        """The side of an argument about the very same conclusion; None for another's."""
        stance = argument.stance
        if not (self.claiming and stance and self.author.conclusion and argument.conclusion):
            return None
        own = _words(self.author.conclusion)
        if not own or _words(argument.conclusion) != own:
            return None
        against = (stance is Stance.CON) != self.opposing
        said = f"the same conclusion, {'the other' if against else 'his own'} stance"
        tree = Explanation(SURE, f"probability by {said}")
        return Side(STANDINGS[against], SURE, lambda: tree)


def unread(why: str) -> Side:
    """The side of what is not read, for a reason that is said."""
    return Side("unclear", 0.0, lambda: Explanation(0.0, f"sides are not read: {why}"))


def _signed(side: Side) -> tuple[Side, float]:
    return side, -side.probability if side.value == STANDINGS[0] else side.probability


def _words(claim: str) -> list[str]:
    return WORD.findall(claim.lower())
