"""Determine the side of a question that a text's author is on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

import numpy as np

from argsearch.engine.challenge.reading import TextClaim
from argsearch.engine.points.sentences import ClaimSentence, asked_roots, sentences_of
from argsearch.engine.stance.claims import accord, read_claim, read_question
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.wording import ENCODER
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import load_encoder
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.stance import linear

AUTHOR_WEIGHTS = {"read": 0.17, "said": 0.33, "like": 7.0, "words": 0.5}
"""Hand-chosen weights of the logit that the author supports the claim (docs/challenge.md)."""
_MEANS = {
    "read": "attitudes of its sentences' words; sentences on the subject count more",
    "said": "directions of its sentences; sentences on the subject count more",
    "like": "how much closer its claims are to supporting sentences than to opposing ones",
    "words": "log odds of its claims' words in supporting sentences, relative to opposing ones",
}
SURE_SIDE = 0.75
"""Smallest probability at which a side counts as certain."""
DEMAND_WEIGHT = 3.0
"""Weight of a sentence that says what should be done."""
LIKE = 3
"""Number of nearest sentences of each side that a claim is compared with."""
USUAL_CLAIMS = 8
"""Number of claims beyond which each counts less, since a longer text gives no more certainty."""
PRIOR = 10.0
"""Strength of smoothing: a word's rate on a side is drawn towards its rate on both sides."""
UNSEEN_WORD_COUNT = 0.3
"""Count given to a word on a side that does not contain it."""
_WISH = re.compile(r"\b(?:should|ought|must)\b", re.IGNORECASE)
"""Words of a sentence that says what should be done."""


class AuthorSide(NamedTuple):
    """The author's side of the claim that the text is about."""

    value: str
    """`for`, `against`, or `unclear` if the probability is below SURE_SIDE."""
    probability: float
    """Probability of the likelier side, in [.5, 1]; 1 if the caller gave the side."""
    likelier: str
    """`for` or `against`."""
    explanation: Explanation
    """Derivation of the probability; the value of its root is the probability."""


def side_of(
    question: str, claims: Sequence[TextClaim], sides: Mapping[str, Sequence[Argument]]
) -> AuthorSide:
    """Return which side of a question the author of some claims is on.

    claims: at least one claim. sides: the arguments `for` and `against` the question.
    """
    summands = linear(_values(question, claims, sides), AUTHOR_WEIGHTS)
    p_for = float(sigmoid(sum(summands.values())))
    likelier, p, sign = ("for", p_for, 1.0) if p_for >= 0.5 else ("against", 1.0 - p_for, -1.0)
    details = tuple(Explanation(sign * part, _MEANS[name]) for name, part in summands.items())
    logit = Explanation(sign * sum(summands.values()), "logit, sum of:", details)
    what = f"probability that the author is {likelier} “{question}” = 1 / (1 + e^-logit)"
    return AuthorSide(
        likelier if p >= SURE_SIDE else "unclear", p, likelier, Explanation(p, what, (logit,))
    )


def _values(
    question: str, claims: Sequence[TextClaim], sides: Mapping[str, Sequence[Argument]]
) -> dict[str, float]:
    """Return the features of the author's side, each positive for "for"."""
    asked, texts = read_question(question), [one.text for one in claims]
    read, encode = [read_claim(text) for text in texts], load_encoder(ENCODER).encode
    rows = encode([asked.phrase, *(one.phrase for one in read)])
    found = {"read": 0.0, "said": 0.0, "like": 0.0, "words": 0.0}
    alone, cosines = StanceModel.load().alone(question, texts), (rows[1:] @ rows[0]).tolist()
    for text, claim, near, logit in zip(texts, read, cosines, alone, strict=True):
        share = sum(word in claim.subject for word in asked.subject) / max(1, len(asked.subject))
        weight = max(share, near, 0.0) * (DEMAND_WEIGHT if _WISH.search(text) else 1.0)
        weight *= min(1.0, USUAL_CLAIMS / len(claims))
        found["read"] += weight * logit
        found["said"] += weight * claim.directed * accord(asked, claim)
    roots = asked_roots(question)
    said = {name: _distinct(sentences_of(of, roots)) for name, of in sides.items()}
    # With only a handful of sentences, a claim would lean to one side by chance.
    if all(len(of) > LIKE for of in said.values()):
        own = encode(texts)
        near_to = {
            name: np.sort(own @ encode([one.text for one in of]).T)[:, -LIKE:]
            for name, of in said.items()
        }
        found["like"] = float(near_to["for"].mean() - near_to["against"].mean())
        found["words"] = _words(roots, claims, said)
    return found


def _distinct(sentences: Sequence[ClaimSentence]) -> list[ClaimSentence]:
    """Return the sentences without exact repetitions."""
    return list({one.text: one for one in sentences}.values())


def _words(
    asked: frozenset[str],
    claims: Sequence[TextClaim],
    sides: Mapping[str, Sequence[ClaimSentence]],
) -> float:
    """Return the log odds of the claims' words in sentences for and against, averaged over claims.

    This is naive Bayes. Each word's rate on a side is smoothed towards its rate on both sides.
    asked: roots of the question's words, which are left out.
    """
    seen = {name: Counter(w for s in of for w in s.roots) for name, of in sides.items()}
    numbers = {name: len(of) for name, of in sides.items()}
    every, odds = sum(numbers.values()), 0.0
    for word in (word for one in claims for word in sorted(asked_roots(one.text) - asked)):
        both = PRIOR * sum(of[word] for of in seen.values()) / every
        for name, sign in (("for", 1.0), ("against", -1.0)) if both else ():
            odds += sign * log(seen[name][word] + both + UNSEEN_WORD_COUNT)
            odds -= sign * log(numbers[name] + PRIOR + 2.0 * UNSEEN_WORD_COUNT)
    return odds / len(claims)
