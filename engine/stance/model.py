"""The stance model: each argument's side of a question, with probability and explanation."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.parameters import HitSide, SideName
from argsearch.engine.stance.claims import Claim, read_claim, read_question
from argsearch.engine.stance.evidence import LONG_SUBJECT, StanceEvidence, read_evidence
from argsearch.engine.stance.terms import StanceTerms, TextRead
from argsearch.engine.stance.wording import CLASS, ENCODER, ends
from argsearch.indexer.corpus.argument import Argument, Premise
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.model_files import STANCE_MODEL, packed_terms, shipped, unpacked_terms
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.stance import Attitude, Floats, linear

DEFAULT_STANCE_FILE = shipped("stance-default")

SIDE_VALUES = get_args(SideName)
ON = ("constant", "in conclusion", "in text", "cosine")
"""Summands of the logit of P(on the question) for hits found by words."""
NEAR_WEIGHTS = {
    "constant": -2.15,
    "in either": 0.81,
    "claim": 0.09,
    "passage": 0.19,
    "passages": 0.65,
    "nearest": -0.47,
    "alike": 2.58,
}
"""Summands of P(on the question) for hits found by meaning, with their weights (docs/stance.md)."""
NEAR_THRESHOLD = 0.5
"""Threshold for these hits instead of `Weights.threshold`, if it is larger."""
WHOLE_WEIGHTS = {
    "constant": -1.41,
    "in either": 0.75,
    "claim": 0.04,
    "passage": 0.39,
    "nearest": -0.15,
    "alike": 1.51,
}
"""NEAR_WEIGHTS for vectors of whole premises, not passages, as in the part `vectors` (`--read`)."""
FOR_WEIGHTS = {
    "conclusion": 1.20,
    "conclusion on the subject": 1.00,
    "conclusion, of a long subject": -0.80,
}
"""Summands of P(for | on the question) for a conclusion with a stance, with their weights.

Fitted on the usable arguments of `studies/reader`. Conclusions show the right side 85 % of the
time if the question's subject has up to LONG_SUBJECT words, else 63 % (docs/stance.md).
"""
JUDGED_WEIGHTS = {"judged conclusion": 2.0, "judged passage": 2.0}
"""Additional summands if a user-supplied model read the argument (`engine.stance.judge`)."""
_MEANINGS = {
    "constant": "constant",
    "in conclusion": "share of the question's subject in the conclusion",
    "in text": "share of the question's subject in the text",
    "cosine": "cosine of the question's and the conclusion's subject",
    "in either": "share of the question's subject in conclusion or text, whichever is larger",
    "claim": "similarity of conclusion and question, in standard deviations above the mean",
    "passage": "the same for the text's best passage",
    "passages": "the same for the mean of the text's three best passages",
    "nearest": "the same for the best passage of the best hits",
    "alike": "cosine of the conclusion with the prototype of the best hits' nearest conclusions",
    "conclusion": "stance x the conclusion's direction x the question's",
    "conclusion on the subject": "the same x the share of the question's subject in the conclusion",
    "conclusion, of a long subject": f"the same, for a subject of more than {LONG_SUBJECT} words",
    "text": "attitude of the text's words x the question's direction",
    "judged conclusion": "stance x the model's verdict on the conclusion, P(for) - P(against)",
    "judged passage": "the same for the best passage of the text",
}
TextKey = tuple[tuple[str, str], bool]
"""A text by its `ends`, with True if its attitude is needed."""
_NO_SIDES = "probability of having a side: the question has no sides"
_REPEATS = "probability of giving a reason: the text repeats the question's words and adds few"
_BY_TEXT = ", by the text alone: most conclusions of this index make no claim"


@dataclass(frozen=True)
class Side:
    """Side of an argument on a question."""

    value: HitSide
    """The side; `supports` is only for counter-arguments."""
    probability: float
    """Probability of the likelier side, in [0, 1]; below the threshold, the value is `unclear`.

    It is 0 if the text only repeats the question's words, or the question has no sides.
    """
    explain: Callable[[], Explanation] = field(compare=False, repr=False)
    """Returns `explanation`."""

    on_question: float | None = None
    """P(on the question), in [0, 1]; None if it was not computed."""
    likelier: str = field(default="", compare=False)
    """The likelier side, even if the value is `unclear`."""

    @cached_property
    def explanation(self) -> Explanation:
        """The reasons as a tree, whose root's value is `probability`."""
        return self.explain()


@dataclass(frozen=True)
class Weights:
    """Weights of the logits of P(on the question) and P(for | on the question)."""

    on: dict[str, float]
    text: float
    """Weight of the text's attitude, for arguments without a conclusion or a stance."""
    threshold: float
    """Smallest probability at which a side is shown."""


class StanceModel:
    """Finds each argument's side of a question from the argument and the question only."""

    def __init__(
        self, names: Sequence[str], attitude: Attitude, weights: Weights, sha256: str = ""
    ) -> None:
        """Create a model. names: n-grams in the order of the attitude's idf and weights."""
        self.attitude, self.weights, self.sha256 = attitude, weights, sha256
        self._for_weights = FOR_WEIGHTS | JUDGED_WEIGHTS | {"text": weights.text}
        self.terms = StanceTerms(names)
        self._last_read: tuple[tuple[str, ...], dict[TextKey, TextRead]] = (), {}

    @classmethod
    def load(cls, path: Path | None = None) -> StanceModel:
        """Return the model in a file, by default the shipped one; one object per file and process.

        Raises ModelError with a one-line remedy for a missing, foreign, newer or damaged file.
        """
        return _load(path or DEFAULT_STANCE_FILE)

    def claim(self, question: str) -> Claim:
        """Return the claim of a question; its `reading` says what the sides refer to."""
        return read_question(question)

    def side(self, question: str, argument: Argument) -> Side:
        """Return the side of one argument."""
        return self.sides(question, [argument])[0]

    def sides(self, question: str, arguments: Sequence[Argument], **how: Any) -> list[Side]:
        """Return the side of each argument, in order; parameters as in `evidence`."""
        return [self.weigh(one) for one in self.evidence(question, arguments, **how)]

    def evidence(
        self,
        question: str,
        arguments: Sequence[Argument],
        *,
        claiming: bool = True,
        concerning: Mapping[str, Floats] | None = None,
    ) -> list[StanceEvidence]:
        """Return the evidence on each argument, in order.

        claiming: if false, stances are ignored, and the text alone decides. concerning: similarity
        of each argument to the question by meaning (`Findings.concerning`).
        """
        asked = read_question(question)
        claims = [read_claim(one.conclusion or "") for one in arguments]
        columns = concerning or {"cosine": _cosines(asked, claims)}
        near = zip(*(x.tolist() for x in columns.values()), strict=True)
        pairs = list(zip(claims, arguments, strict=True))
        # The attitude counts only without a usable conclusion and stance.
        keys = [
            (ends(one.premise), not (claiming and of.subject and one.stance)) for of, one in pairs
        ]
        texts = self._texts(asked.subject, keys)
        return [
            read_evidence(
                asked, *pair, dict(zip(columns, its, strict=True)), texts[key], claiming=claiming
            )
            for pair, its, key in zip(pairs, near, keys, strict=True)
        ]

    def _texts(self, subject: tuple[str, ...], keys: list[TextKey]) -> dict[TextKey, TextRead]:
        # Search by words and search by meaning often find the same texts for a question.
        last, found = self._last_read
        if last != subject:
            found = {}
        if new := [key for key in dict.fromkeys(keys) if key not in found]:
            texts, wanted = zip(*new, strict=True)
            words, terms = self.terms.read(texts, wanted, subject)
            read = map(TextRead, *zip(*words, strict=True), self.attitude(*terms))
            found = {key: found[key] for key in keys if key in found}
            found |= zip(new, read, strict=True)
            self._last_read = subject, found
        return found

    def alone(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the logit of P(for) for each text, by its words alone."""
        own = [Argument("", None, (Premise(text, None),), {}) for text in texts]
        return [sum(self.given(one).values()) for one in self.evidence(question, own)]

    def idf(self, word: str) -> float:
        """Return a word's idf in the training texts, in which topics are masked.

        An unknown word, such as a topic's word, has the largest idf.
        """
        number = self.terms.single.get(word)
        return self._largest_idf if number is None else float(self.attitude.idf[number])

    @cached_property
    def _largest_idf(self) -> float:
        return float(self.attitude.idf.max())

    def weigh(
        self,
        evidence: StanceEvidence,
        names: tuple[HitSide, HitSide] = ("for", "against"),
        threshold: float | None = None,
    ) -> Side:
        """Return the side that the evidence favours, or `unclear` below the threshold.

        The probability is 0 if the text only repeats the question, or the question has no sides.
        names: the sides for and against;
        threshold: replaces `Weights.threshold`.
        """
        likely, given = evidence.likely, evidence.given
        # The same sums as of `on` and `given`, whose dicts only an explanation needs.
        logit_on = sum(weight * likely[name] for name, weight in self._on_weights(likely).items())
        logit_for = sum(self._for_weights[name] * value for name, value in given.items())
        p_on, p_for = sigmoid([logit_on, logit_for]).tolist()
        name, share, sign = names[0], p_for, 1.0
        if p_on * (1.0 - p_for) > p_on * p_for:
            name, share, sign = names[1], 1.0 - p_for, -1.0
        # The rest of P(on the question) is on the other side, and the rest of 1 on neither.
        probability = p_on * share if evidence.sided and not evidence.repeats else 0.0
        if threshold is None:
            threshold = self.weights.threshold
            if evidence.likely.get("whole") == 0.0:  # found by passages
                threshold = min(threshold, NEAR_THRESHOLD)

        def explain() -> Explanation:
            """Return the tree behind the probability."""
            being = f"being {name}" if name in SIDE_VALUES else "supporting the author"
            by_text = "" if evidence.claiming else _BY_TEXT
            said = f"probability of {being} if on the question{by_text}"
            branches = [
                _branch(p_on, "probability of being about the question", self.on(evidence), 1.0),
                _branch(share, said, self.given(evidence), sign),
            ]
            what = f"probability of {being}: P(about the question) x P({being}, if about it)"
            if evidence.repeats:
                what += " x P(giving a reason)"
                branches.append(Explanation(0.0, _REPEATS))
            if not evidence.sided:
                what += " x P(having a side)"
                branches.append(Explanation(0.0, _NO_SIDES))
            return Explanation(probability, what, tuple(branches))

        value = name if probability >= threshold else "unclear"
        return Side(value, probability, explain, p_on, name)

    def on(self, evidence: StanceEvidence) -> dict[str, float]:
        """Return the summands of the logit of P(on the question), by name.

        They compare meanings if the argument was found by meaning, or else words.
        """
        weights = self._on_weights(evidence.likely)
        return linear({name: evidence.likely[name] for name in weights}, weights)

    def _on_weights(self, likely: Mapping[str, float]) -> dict[str, float]:
        if "alike" in likely:
            return WHOLE_WEIGHTS if likely["whole"] else NEAR_WEIGHTS
        return self.weights.on

    def given(self, evidence: StanceEvidence) -> dict[str, float]:
        """Return the summands of the logit of P(for | on the question), by name."""
        return linear(evidence.given, self._for_weights)


def _cosines(asked: Claim, claims: Sequence[Claim]) -> Floats:
    """Return the cosine of the question's subject with each claim's, float64[n]."""
    phrases = list(dict.fromkeys(claim.phrase for claim in (asked, *claims)))
    row_of = dict(zip(phrases, load_encoder(ENCODER).encode(phrases), strict=True))
    return np.array([row_of[claim.phrase] @ row_of[asked.phrase] for claim in claims], np.float64)


def _branch(value: float, what: str, summands: dict[str, float], sign: float) -> Explanation:
    """Explain a probability by the summands of its logit."""
    details = tuple(Explanation(sign * part, _MEANINGS[name]) for name, part in summands.items())
    logit = Explanation(sign * sum(summands.values()), "logit, sum of:", details)
    return Explanation(value, f"{what} = 1 / (1 + e^-logit)", (logit,))


@lru_cache(4)
def _load(path: Path) -> StanceModel:
    file = STANCE_MODEL.read(path)
    with STANCE_MODEL.unpacking(path):
        names = unpacked_terms(file.arrays)
        idf, weights = (np.asarray(file.arrays[key], np.float64) for key in ("idf", "weights"))
        if not len(names) == len(idf) == len(weights):
            raise ValueError(f"it has {len(names)} terms, {len(idf)} idf, {len(weights)} weights")
        stored = file.header["weights"]
        on = {name: float(stored["on"][name]) for name in ON}
        words = bisect_left(names, True, key=lambda name: name.startswith(CLASS))
        return StanceModel(
            names,
            Attitude(idf, weights, words),
            Weights(on, float(stored["text"]), float(stored["threshold"])),
            file.sha256,
        )


def pack(model: StanceModel) -> tuple[dict[str, object], dict[str, NDArray[np.generic]]]:
    """Return the header and arrays of the file that `StanceModel.load` reads."""
    return {"weights": asdict(model.weights)}, {
        "terms": packed_terms(model.terms.names),
        "idf": model.attitude.idf.astype(np.float32),
        "weights": model.attitude.weights.astype(np.float32),
    }
