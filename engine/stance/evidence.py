"""Evidence about which side arguments take on a question, before the model weighs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from argsearch.engine.stance.claims import Claim, accord, read_claim
from argsearch.engine.stance.subject import Subject
from argsearch.engine.stance.terms import HEAD, repeats
from argsearch.engine.stance.wording import StanceTerms, Wording
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.ranking.stance import Attitude, Floats, cut

LONG_SUBJECT = 4
"""Maximum number of subject words for a question that usually asks about a debate's own claim.

A longer subject is usually part of a debate, such as one effect, and may favour the other side.
"""
SIGN = {Stance.PRO: 1, Stance.CON: -1, None: 0}
"""Sign of a stance towards a conclusion."""


@dataclass(frozen=True, slots=True)
class StanceEvidence:
    """Evidence about one argument's side, before the model weighs it."""

    likely: dict[str, float]
    """Values of the features in ON and, if there is a conclusion, in AMONG or NEAR_WEIGHTS."""
    given: dict[str, float]
    """Values of FOR_WEIGHTS, `text` and a `Judge`'s `judged …`; positive values indicate "for"."""
    concluded: bool
    """True if the argument has a conclusion and a usable stance towards it."""
    named: bool = False
    """True if the conclusion and the text each contain all of the subject's words (two or more)."""
    repeats: bool = False
    """True if the text mostly repeats the question's words (`repeats`)."""
    sided: bool = True
    """False if nobody can be for or against the question (`Claim.sided`)."""
    claiming: bool = True
    """True if the stances in its index refer to claims (`sides.claiming`)."""


@dataclass(frozen=True)
class EvidenceReader:
    """Reads arguments for one question."""

    terms: StanceTerms
    asked: Claim
    about: Subject | None
    """Subject of the question; None if hits were found by meaning."""
    concerning: Mapping[str, Floats]
    """Similarity of each argument to the question by meaning (`ByMeaning.concerning`)."""
    claiming: bool
    """True if stances are towards claims."""

    def of(self, arguments: Sequence[Argument], attitude: Attitude) -> list[StanceEvidence]:
        """Return the evidence on each argument, in order."""
        asked, premises = self.asked, [one.premise for one in arguments]
        claims = [read_claim(one.conclusion or "") for one in arguments]
        texts = Wording.of(self.terms, premises)
        read = texts.read(asked)
        shares = [sum(row) / max(1, len(asked.subject)) for row in read.has.tolist()]
        if self.about is None:
            columns = [x.tolist() for x in self.concerning.values()]
            near = [
                dict(zip(self.concerning, row, strict=True)) for row in zip(*columns, strict=True)
            ]
        else:
            near = self.about.read(claims, [one.id for one in arguments], texts)
        by_text = read.attitudes(attitude)
        is_long = len(asked.subject) > LONG_SUBJECT
        found = []
        for i, (claim, within) in enumerate(zip(claims, shares, strict=True)):
            likely = {"constant": 1.0, "in text": within, "in conclusion": within, "cosine": within}
            given = {"text": asked.polarity * cut(by_text[i])}
            stance, named = 0, False
            if claim.subject:
                roots, stance = frozenset(claim.subject), SIGN[arguments[i].stance]
                share = sum(root in roots for root in asked.subject) / max(1, len(asked.subject))
                likely["in conclusion"], likely["in either"] = share, max(within, share)
                given["conclusion"] = float(stance * accord(asked, claim))
                given["conclusion on the subject"] = given["conclusion"] * share
                given["conclusion, of a long subject"] = given["conclusion"] * is_long
                # An argument without a conclusion is judged by its words.
                if not np.isnan(near[i].get("nearest", 0.0)):
                    likely |= near[i]
                named = min(within, share) == 1.0 and len(asked.subject) > 1
            found.append(
                StanceEvidence(
                    likely,
                    given,
                    stance != 0 and self.claiming,
                    named,
                    # A text without a word of the subject cannot repeat it.
                    within > 0.0 and bool(texts.lengths[i] < HEAD) and repeats(asked, premises[i]),
                    asked.sided,
                    self.claiming,
                )
            )
        return found
