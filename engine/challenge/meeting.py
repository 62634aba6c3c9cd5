"""Which sentences of a side's arguments meet a claim: on the same aspect, and from that side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.debate.choice import own_direction, shares_of, sound
from argsearch.engine.points.sentences import (
    ClaimSentence,
    asked_roots,
    self_contained,
    sentences_of,
    standing_alone,
)
from argsearch.engine.stance.claims import read_question
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.wording import ENCODER
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.encoders.base import Encoder
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.stance import linear

Floats = NDArray[np.float64]
Rows = NDArray[np.float32]
Ints = NDArray[np.int64]
FEATURES = {
    "constant": "constant",
    "near": "cosine of the sentence and the claim",
    "beside": "the same, or with the subject beside the claim where that is nearer",
    "meant": "that by the encoder of the part meaning",
    "words": "share of the claim's words, by idf, that it has",
    "subject": "cosine of the sentence and the subject: what is said of all claims",
    "side": "probability that its argument is on that side",
    "read": "logit of its being on that side, by its words alone",
    "said": "its own direction towards the subject, seen from that side",
    "length": "logarithm of its words",
}
"""What probabilities are read from."""
MEETS_BY_WORDS = {
    "constant": -2.66,
    "near": 1.89,
    "beside": 1.71,
    "words": 1.23,
    "subject": -1.94,
    "side": 0.27,
    "read": 0.09,
    "said": 0.19,
    "length": 0.44,
}
MEETS_BY_MEANING = {
    "constant": -4.43,
    "near": 1.96,
    "meant": 4.42,
    "words": 0.95,
    "subject": -2.01,
    "side": 0.41,
    "read": 0.08,
    "said": 0.17,
    "length": 0.44,
}
ON_SIDE = {"constant": -1.12, "side": 2.28, "read": 0.11, "said": 0.46}
"""Weights of the logits: that a sentence meets a claim from its side, without an encoder of meaning
and with one; that it is a reason for its side. Fitted by `python -m studies.challenging fit`."""
PLACES = 6
"""Decimals of a probability, so that nothing hangs on the last bit of a sum."""
PER_CLAIM = 12
"""Sentences, the nearest to a claim, that are read in full."""
BEST = 64
"""Sentences that are read as reasons for a side, those of the surest arguments."""


@dataclass(frozen=True)
class ArguedSide:
    """The arguments of one side, and their sentences that can be shown."""

    question: str
    value: str
    """`for` or `against` what is asked."""
    arguments: Sequence[Argument]
    probabilities: Sequence[float]
    """Of each argument, that it is on this side."""
    claiming: bool = True
    """Whether stances tell that; without them the text alone does, which is less sure."""

    @cached_property
    def sentences(self) -> list[ClaimSentence]:
        """Whole sentences that claim something, can be understood alone and are told apart."""
        seen = set[str]()
        found = []
        for one in sentences_of(self.arguments, asked_roots(self.question)):
            if sound(one.text) and self_contained(one) and one.text not in seen:
                seen.add(one.text)
                found.append(one)
        return found

    @cached_property
    def vectors(self) -> Rows:
        """float32[n, d], of the sentences, unit."""
        rows: Rows = load_encoder(ENCODER).encode([one.text for one in self.sentences])
        return rows

    def read(self, numbers: Ints) -> dict[str, Floats]:
        """Return what is read of each sentence by itself."""
        sign, asked = (1.0 if self.value == "for" else -1.0), read_question(self.question)
        shown = [self.sentences[i] for i in numbers.tolist()]
        alone = StanceModel.load().alone(self.question, [one.text for one in shown])
        read = {
            "side": [self.probabilities[one.place] for one in shown],
            "read": [sign * logit for logit in alone],
            "said": [sign * own_direction(asked, asked.subject, one.text) for one in shown],
            "length": [float(np.log(len(one.text.split()))) for one in shown],
        }
        return {name: np.array(values) for name, values in read.items()}

    def reasons(self) -> Iterator[tuple[ClaimSentence, Explanation]]:
        """Yield the sentences that are reasons for this side, the surest first, and why."""
        asked = asked_roots(self.question)
        sure = [
            self.probabilities[one.place] + standing_alone(one, asked) for one in self.sentences
        ]
        best = np.argsort(-np.array(sure), kind="stable")[:BEST]
        read = {"constant": np.ones(len(best)), **self.read(best)}
        logits = [
            linear({name: float(read[name][at]) for name in ON_SIDE}, ON_SIDE)
            for at in range(len(best))
        ]
        p = np.round(sigmoid(np.array([sum(one.values()) for one in logits])), PLACES)
        for at in np.argsort(-p, kind="stable").tolist():
            what = f"probability that it is a reason {self.value} that"
            yield self.sentences[int(best[at])], explained(float(p[at]), what, logits[at])


class ClaimVectors:
    """The n claims of a text, alone and with the subject beside them; the same for both sides."""

    def __init__(self, question: str, claims: Sequence[str], encoder: Encoder | None) -> None:
        """encoder: of the part `meaning`, where the index has one."""
        self.texts, self.encoder = claims, encoder
        phrase = read_question(question).phrase
        said = [*claims, *(f"{phrase}: {one}" for one in claims)]
        rows: Rows = load_encoder(ENCODER).encode([phrase, *said])
        self.subject, self.said = rows[0], rows[1:]
        """float32[d] and float32[2 n, d], unit."""
        self.meant: Rows | None = None if encoder is None else encoder.encode(said)
        """float32[2 n, e], by the encoder."""

    @property
    def alone(self) -> Rows:
        """float32[n, d]: the claims, without the subject."""
        return self.said[: len(self.texts)]


class Meeting:
    """How likely each sentence of a side meets each claim, with what that is read from."""

    def __init__(self, side: ArguedSide, claims: ClaimVectors) -> None:
        self.side, n = side, len(claims.texts)
        asked = asked_roots(side.question)
        near = (claims.said @ side.vectors.T).reshape(2, n, len(side.sentences))
        words = [shares_of(asked_roots(one) - asked, side.sentences) for one in claims.texts]
        shares = np.array(words).reshape(near.shape[1:])
        first = near.max(axis=0) + 0.5 * shares
        chosen = np.argsort(-first, axis=1, kind="stable")[:, :PER_CLAIM]
        self.looked: Ints = np.unique(chosen)
        """int64[m]: the sentences that are read."""
        values = {
            "constant": np.ones(len(self.looked)),
            "near": near[0][:, self.looked],
            "beside": near.max(axis=0)[:, self.looked],
            "words": shares[:, self.looked],
            "subject": side.vectors[self.looked] @ claims.subject,
            **side.read(self.looked),
        }
        if claims.encoder is not None and claims.meant is not None and len(self.looked):
            rows = claims.encoder.encode([side.sentences[i].text for i in self.looked.tolist()])
            values["meant"] = (claims.meant @ rows.T).reshape(2, n, -1).max(axis=0)
        self.weights = MEETS_BY_WORDS if claims.encoder is None else MEETS_BY_MEANING
        shape = n, len(self.looked)
        self.values = {name: np.broadcast_to(x, shape) for name, x in values.items()}
        summands = (w * self.values[name] for name, w in self.weights.items() if name in values)
        self.probabilities: Floats = np.round(sigmoid(sum(summands, np.zeros(shape))), PLACES)
        """float64[claims, m] in [0, 1]."""
        reasons = (w * values[name] for name, w in ON_SIDE.items())
        self.on_side: Floats = sigmoid(sum(reasons, np.zeros(shape[1])))
        """float64[m]: the probability that it is a reason for its side at all."""

    def explanation(self, claim: int, at: int) -> Explanation:
        """Return why the sentence `looked[at]` meets a claim."""
        values = {name: float(self.values[name][claim, at]) for name in self.weights}
        what = "probability that it meets the claim from that side"
        return explained(float(self.probabilities[claim, at]), what, linear(values, self.weights))


def explained(p: float, what: str, summands: Mapping[str, float]) -> Explanation:
    """Return a probability by the summands of its logit, by name or by what they mean."""
    parts = summands.items()
    details = tuple(Explanation(part, FEATURES.get(name, name)) for name, part in parts)
    logit = Explanation(sum(summands.values()), "logit, sum of:", details)
    return Explanation(p, f"{what} = 1 / (1 + e^-logit)", (logit,))
