"""Evidence about which side arguments take on a question, before the model weighs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from argsearch.engine.stance.claims import Claim, accord, read_claim
from argsearch.engine.stance.subject import Subject
from argsearch.engine.stance.terms import HEAD, QUESTION_SHARE, repeats
from argsearch.engine.stance.wording import StanceTerms, TermsRead, Wording
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.ranking.stance import ENOUGH, Attitude, Floats, cut

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
        texts = Wording.of_texts(self.terms, premises)
        read = texts.read(asked)
        repeating = _repeating(asked, premises, texts, read)
        shares = [sum(row) / max(1, len(asked.subject)) for row in read.has.tolist()]
        near = self._near([one.id for one in arguments], claims, texts)
        stances = [SIGN[one.stance] for one in arguments]
        by_text = read.attitudes(attitude)
        is_long = len(asked.subject) > LONG_SUBJECT
        found = []
        for i, (claim, within) in enumerate(zip(claims, shares, strict=True)):
            likely = {"constant": 1.0, "in text": within, "in conclusion": within, "cosine": within}
            given = {"text": asked.polarity * cut(by_text[i])}
            stance, named = 0, False
            if claim.subject:
                roots, stance = frozenset(claim.subject), stances[i]
                share = sum(root in roots for root in asked.subject) / max(1, len(asked.subject))
                likely["in conclusion"], likely["in either"] = share, max(within, share)
                given["conclusion"] = float(stance * accord(asked, claim))
                given["conclusion on the subject"] = given["conclusion"] * share
                given["conclusion, of a long subject"] = given["conclusion"] * is_long
                likely |= near[i]
                named = min(within, share) == 1.0 and len(asked.subject) > 1
            found.append(
                StanceEvidence(
                    likely,
                    given,
                    stance != 0 and self.claiming,
                    named,
                    repeating[i],
                    asked.sided,
                    self.claiming,
                )
            )
        return found

    def _near(
        self, ids: Sequence[str], claims: Sequence[Claim], texts: Wording
    ) -> list[dict[str, float]]:
        """Return each argument's values, from the question's subject or by meaning."""
        if self.about is not None:
            return self.about.read(claims, ids, texts)
        near = []
        for i in range(len(claims)):
            found = {name: float(values[i]) for name, values in self.concerning.items()}
            # An argument without a conclusion is judged by its words.
            near.append({} if not found or np.isnan(found["nearest"]) else found)
        return near


def _repeating(
    asked: Claim, premises: Sequence[str], texts: Wording, read: TermsRead
) -> list[bool]:
    """Return `repeats` of each text; cheap word counts rule out most texts first."""
    own, further, others = read.counts.T
    may = (own > QUESTION_SHARE * (own + others)) & (further < ENOUGH) & (texts.lengths < HEAD)
    return [
        bool(is_short) and repeats(asked, text)
        for is_short, text in zip(may.tolist(), premises, strict=True)
    ]
