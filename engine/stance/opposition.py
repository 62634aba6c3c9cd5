"""Arguments' sides relative to an author: against the author's claim, supporting it, or unclear.

The author's conclusion serves as the question, and the author's stance as the side. A text of one
sentence is its own claim. If two arguments have the same conclusion, their stances alone decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from argsearch.engine.parameters import HitSide
from argsearch.engine.stance.claims import WORD, sentences_of
from argsearch.engine.stance.evidence import StanceEvidence
from argsearch.engine.stance.model import Side, StanceModel
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.ranking.explanation import Explanation

MAX_CLAIM = 60
"""A text without a conclusion is read as a claim if it has at most this many words."""
SURE = 0.95
"""Probability of a side that is derived from the stance towards the same conclusion."""
LIKELY = 0.5
"""Minimum probability of a side that is shown; it is likelier than all other sides together."""
STANDINGS: tuple[HitSide, HitSide] = ("supports", "against")
"""Names of the sides for and against the author's claim."""


@dataclass(frozen=True)
class Opposition:
    """Finds which side arguments take relative to an author."""

    author: Argument
    """The author's argument."""
    claiming: bool = True
    """True if the index's stances refer to claims (`sides.claiming`)."""

    @property
    def claim(self) -> str:
        """The author's claim: the conclusion, or a text of one sentence.

        Empty for longer texts and questions without a conclusion, which may state others' claims.
        """
        text = self.author.premise
        single = len(text.split()) <= MAX_CLAIM and "?" not in text and len(sentences_of(text)) == 1
        return self.author.conclusion or (text if single else "")

    @property
    def opposing(self) -> bool:
        """True if the author argues against their own conclusion."""
        return bool(self.claiming and self.author.conclusion) and self.author.stance is Stance.CON

    def read(self, arguments: Sequence[Argument]) -> list[tuple[Side, float]]:
        """Return each argument's side (`supports`, `against`, `unclear`) and a signed probability.

        The number is the likelier side's probability, even if unclear. The author's is negative.
        """
        known = [self._same(one) for one in arguments]
        others = [one for one, same in zip(arguments, known, strict=True) if same is None]
        found = iter(StanceModel.load().evidence(self.claim, others, claiming=self.claiming))
        signs = {STANDINGS[0]: -SURE, STANDINGS[1]: SURE}
        return [(one, signs[one.value]) if one else self._weighed(next(found)) for one in known]

    def _weighed(self, evidence: StanceEvidence) -> tuple[Side, float]:
        model = StanceModel.load()
        names = STANDINGS[::-1] if self.opposing else STANDINGS
        side = model.weigh(evidence, names, LIKELY)
        agrees = sum(model.given(evidence).values()) >= 0.0
        who = f"the author, who is {'against' if self.opposing else 'for'} “{self.claim}”"

        def explain() -> Explanation:
            """Return the derivation of the probability."""
            details = (side.explanation,)
            return Explanation(side.probability, f"probability of this stance on {who}", details)

        towards = -side.probability if agrees != self.opposing else side.probability
        return replace(side, explain=explain), towards

    def _same(self, argument: Argument) -> Side | None:
        """Return the side if the argument has the same conclusion as the author's, or None."""
        stance = argument.stance
        if not (self.claiming and stance and self.author.conclusion and argument.conclusion):
            return None
        own = WORD.findall(self.author.conclusion.lower())
        if not own or WORD.findall(argument.conclusion.lower()) != own:
            return None
        against = (stance is Stance.CON) != self.opposing
        said = f"the same conclusion, {'the opposite' if against else 'the same'} stance"
        tree = Explanation(SURE, f"probability by {said}")
        return Side(STANDINGS[against], SURE, lambda: tree)
