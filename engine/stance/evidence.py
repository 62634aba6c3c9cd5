"""Evidence about which side an argument takes on a question, before the model weighs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan

from argsearch.engine.stance.claims import Claim, accord
from argsearch.engine.stance.terms import TextRead
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.ranking.stance import cut

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
    """Values of the features in ON or, for hits found by meaning, in NEAR_WEIGHTS."""
    given: dict[str, float]
    """Values of FOR_WEIGHTS if there are a conclusion and a usable stance, or else `text`.

    Positive values indicate "for".
    """
    repeats: bool
    """True if the text mostly repeats the question's words (`repeats`)."""
    sided: bool
    """False if nobody can be for or against the question (`Claim.sided`)."""
    claiming: bool
    """True if the stances in its index refer to claims (`sides.claiming`)."""


def read_evidence(
    asked: Claim,
    claim: Claim,
    argument: Argument,
    near: Mapping[str, float],
    text: TextRead,
    *,
    claiming: bool,
) -> StanceEvidence:
    """Return the evidence on an argument's side of a question.

    claim: the argument's conclusion. near: similarities of the argument to the question: `cosine`
    or, for hits found by meaning, `Findings.concerning`. text: the words of the premises. Their
    attitude counts only if the conclusion or the stance is missing. claiming: false if stances are
    not towards claims, so that only the text counts.
    """
    stance, size = SIGN[argument.stance], max(1, len(asked.subject))
    in_text = in_conclusion = text.of_subject / size
    if claim.subject:
        in_conclusion = sum(one in claim.subject for one in asked.subject) / size
    likely = {"constant": 1.0, "in conclusion": in_conclusion, "in text": in_text}
    likely |= {"cosine": in_text, "in either": max(in_text, in_conclusion)}
    # An argument without a conclusion is judged by its words.
    if claim.subject and not any(map(isnan, near.values())):
        likely |= near
    if claim.subject and stance and claiming:
        sign = float(stance * accord(asked, claim))
        given = {
            "conclusion": sign,
            "conclusion on the subject": sign * in_conclusion,
            "conclusion, of a long subject": sign * (len(asked.subject) > LONG_SUBJECT),
        }
    else:
        given = {"text": asked.polarity * cut(text.attitude)}
    return StanceEvidence(likely, given, text.repeats(argument.premise), asked.sided, claiming)
