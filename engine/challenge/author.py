"""On which side the author of a text stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

import numpy as np

from argsearch.engine.challenge.meeting import ArguedSide, Rows, explained
from argsearch.engine.challenge.reading import TextClaim
from argsearch.engine.debate.talk import WISH
from argsearch.engine.points.sentences import asked_roots
from argsearch.engine.stance.claims import accord, read_claim, read_question
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.wording import ENCODER
from argsearch.indexer.encoders import load_encoder
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.stance import linear

WEIGHTS = {"read": 0.17, "said": 0.33, "like": 7.0, "words": 0.5}
"""Of the logit of the author being for it; no constant: neither side is favoured. Chosen on texts
written for it and on arguments of the args.me subset (docs/challenge.md)."""
_MEANS = {
    "read": "attitudes of its sentences' words, those on the subject counting more",
    "said": "directions of its sentences, those on the subject counting more",
    "like": "how much nearer its claims are to sentences for it than to those against it",
    "words": "log odds of its claims' words in sentences for it against those against it",
}
SURE = 0.75
"""The least probability of a side that is taken as known."""
DEMANDED, LIKE = 3.0, 3
"""What a sentence that says what should be counts; sentences of a side a claim is compared with."""
USUAL_CLAIMS = 8
"""Beyond so many, each claim counts less: a long text is no surer than one of that many."""
PRIOR, LEAST = 10.0, 0.3
"""A word's rate on a side: its rate on both, as if seen in PRIOR sentences more; LEAST of one."""


class AuthorSide(NamedTuple):
    """Where the author stands towards what the text is about."""

    value: str
    """`for`, `against`, or `unclear` where that is less than SURE."""
    probability: float
    """Of the likelier side, in [.5, 1]; 1 where it was said."""
    likelier: str
    """`for` or `against`."""
    explanation: Explanation


def side_of(
    question: str, claims: Sequence[TextClaim], said: Rows, sides: Mapping[str, ArguedSide]
) -> AuthorSide:
    """Return where the author of some claims stands towards what is asked.

    said: float32[n, d], unit vectors of the claims; sides: the arguments for it and against it.
    """
    summands = linear(_values(question, claims, said, sides), WEIGHTS)
    p_for = float(sigmoid(sum(summands.values())))
    likelier, p, sign = ("for", p_for, 1.0) if p_for >= 0.5 else ("against", 1.0 - p_for, -1.0)
    signed = {_MEANS[name]: sign * part for name, part in summands.items()}
    what = f"probability that the author is {likelier} “{question}”"
    return AuthorSide(likelier if p >= SURE else "unclear", p, likelier, explained(p, what, signed))


def _values(
    question: str, claims: Sequence[TextClaim], said: Rows, sides: Mapping[str, ArguedSide]
) -> dict[str, float]:
    """What tells the author's side, each positive for "for"."""
    asked, texts = read_question(question), [one.text for one in claims]
    read = [read_claim(text) for text in texts]
    rows = load_encoder(ENCODER).encode([asked.phrase, *(one.phrase for one in read)])
    found = {"read": 0.0, "said": 0.0, "like": 0.0, "words": 0.0}
    alone, cosines = StanceModel.load().alone(question, texts), (rows[1:] @ rows[0]).tolist()
    for text, claim, near, logit in zip(texts, read, cosines, alone, strict=True):
        share = sum(word in claim.subject for word in asked.subject) / max(1, len(asked.subject))
        weight = max(share, near, 0.0) * (DEMANDED if WISH.search(text) else 1.0)
        weight *= min(1.0, USUAL_CLAIMS / len(claims))
        found["read"] += weight * logit
        found["said"] += weight * claim.directed * accord(asked, claim)
    if all(len(side.sentences) > LIKE for side in sides.values()):
        near_to = {name: np.sort(said @ of.vectors.T)[:, -LIKE:] for name, of in sides.items()}
        found["like"] = float(near_to["for"].mean() - near_to["against"].mean())
        found["words"] = _words(question, claims, sides)
    return found


def _words(question: str, claims: Sequence[TextClaim], sides: Mapping[str, ArguedSide]) -> float:
    """Log odds of the claims' words in sentences for it against those against it, a claim's mean.

    Naive Bayes with each word's rate drawn to its rate on both sides; no words of the question.
    """
    seen = {name: Counter(w for s in of.sentences for w in s.roots) for name, of in sides.items()}
    numbers = {name: len(of.sentences) for name, of in sides.items()}
    every, asked, odds = sum(numbers.values()), asked_roots(question), 0.0
    for word in (word for one in claims for word in sorted(asked_roots(one.text) - asked)):
        both = PRIOR * sum(of[word] for of in seen.values()) / every
        for name, sign in (("for", 1.0), ("against", -1.0)) if both else ():
            odds += sign * log(seen[name][word] + both + LEAST)
            odds -= sign * log(numbers[name] + PRIOR + 2.0 * LEAST)
    return odds / len(claims)
