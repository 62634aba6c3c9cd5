"""The stance model: every argument's side of a question, with a probability and its reasons."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.stance.claims import Claim, read_question
from argsearch.engine.stance.evidence import FOR_SUMMANDS, EvidenceReader, StanceEvidence
from argsearch.engine.stance.subject import Subject
from argsearch.engine.stance.terms import CLASS
from argsearch.engine.stance.wording import KnownWords, StanceTerms
from argsearch.indexer.corpus.argument import Argument, Premise
from argsearch.indexer.model_files import STANCE_MODEL, packed_terms, shipped, unpacked_terms
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.stance import Attitude, Floats, linear, sided

DEFAULT_STANCE_FILE = shipped("stance-default")

SIDE_VALUES = ("for", "against", "unclear")
ON = ("constant", "in conclusion", "in text", "cosine")
"""What P(on the question) is read from."""
AMONG = ("constant", "in either", "agreement", "agreement x likeness", "spoken of", "covered")
"""What it is read from where the best hits' conclusions are known, and the argument has one."""
NEAR_WEIGHTS = {
    "constant": -4.45,
    "in either": 1.53,
    "near": 0.30,
    "beginning near": 0.18,
    "nearest": -0.54,
    "alike": -0.77,
    "alike x nearest": 1.51,
}
"""Summands of P(on the question) for hits found by meaning, with their weights (docs/stance.md).

Fitted by logistic regression on the first 60 hits of the questions of
`lab/training/stance/subjects.tsv` and of others in everyday wording; the script is
`studies/on_question.py` at commit f2af40ff. Both constants are lower by .6 than fitted, which makes
the probabilities of places that readers judged true (docs/stance.md).
"""
WHOLE_WEIGHTS = {
    "constant": -3.56,
    "in either": 1.90,
    "near": -0.01,
    "beginning near": 0.53,
    "nearest": -0.26,
    "alike": 0.80,
    "alike x nearest": 0.38,
}
"""The same where whole premises stand for the beginnings, as in the part `vectors` (`--read`)."""
_MEANINGS = {
    "constant": "constant",
    "in conclusion": "share of the question's subject in the conclusion",
    "in text": "share of the question's subject in the text",
    "cosine": "cosine of the question's and the conclusion's subject",
    "in either": "the larger of those shares",
    "agreement": "how far the conclusion's subject is that of the other best hits' conclusions",
    "agreement x likeness": "the same x how like the question's the subjects of the best hits are",
    "spoken of": "share of the question's subject that best hits speak of, in whatever words",
    "covered": "the same share of this argument",
    "near": "how near the conclusion is to the question, in deviations from most conclusions",
    "beginning near": "the same of the beginning",
    "nearest": "the same of the best hits' nearest conclusion",
    "alike": "cosine of the conclusion with the prototype of the best hits' nearest",
    "alike x nearest": "the two multiplied",
    "conclusion": "stance x the conclusion's direction x the question's",
    "bare conclusion": "stance x the question's direction (the conclusion has none)",
    "text": "attitude of the text's words x the question's direction",
}
_NO_SIDES = "probability of having a side: the question asks for none"
_BY_TEXT = ", by the text alone: most conclusions of this index claim nothing"
_REPEATS = "probability of giving a reason: the text repeats the question's words and adds few"


@dataclass(frozen=True)
class Side:
    """Where an argument stands towards a question."""

    value: str
    """`for`, `against` or `unclear`."""
    probability: float
    """That it is on the likelier side, in [0, 1]; `unclear` where that is below the threshold.

    0 where the text only repeats the question's words, or the question has no sides.
    """
    explain: Callable[[], Explanation] = field(compare=False, repr=False)
    """Makes `explanation`."""

    on_question: float | None = None
    """P(on the question), in [0, 1]; None where that was not read (of counter-arguments)."""
    likelier: str = field(default="", compare=False)
    """The likelier side, said or not."""

    @cached_property
    def explanation(self) -> Explanation:
        """Why: a tree, whose root's value is `probability`."""
        return self.explain()


@dataclass(frozen=True)
class Weights:
    """Weights of the logits: of being on the question, and of "for" given that."""

    on: dict[str, float]
    among: dict[str, float]
    """In the place of `on` where the best hits' conclusions are known."""
    given: dict[str, float]
    """For arguments with a conclusion and a stance."""
    text: float
    """Of the text alone, for the others."""
    threshold: float
    """The least probability of a side that is shown."""


class StanceModel:
    """Sides arguments with questions; a result depends on no other argument but the best hits."""

    def __init__(
        self, terms: Sequence[str], attitude: Attitude, weights: Weights, sha256: str = ""
    ) -> None:
        """terms: those of the attitude, in their order."""
        self.terms, self.attitude, self.weights = StanceTerms(terms), attitude, weights
        self.sha256 = sha256
        self.known = KnownWords(self.terms)

    @classmethod
    def load(cls, path: Path | None = None) -> StanceModel:
        """The model that ships with the package, or a file's; one object per file and process.

        Raises ModelError, in one line with the remedy, for a missing, foreign, newer or
        damaged file.
        """
        return _load(path or DEFAULT_STANCE_FILE)

    def claim(self, question: str) -> Claim:
        """What the question is about; its `reading` says which claim the sides refer to."""
        return read_question(question)

    def side(self, question: str, argument: Argument) -> Side:
        """The side of one argument."""
        return self.sides(question, [argument])[0]

    def sides(
        self,
        question: str,
        arguments: Sequence[Argument],
        best: Sequence[Argument] = (),
        *,
        claiming: bool = True,
        concerning: Mapping[str, Floats] | None = None,
    ) -> list[Side]:
        """The side of each argument. best: the question's best hits, whose conclusions tell more
        surely what it is about than its words do; the first BEST are read.
        claiming: without, no stance counts, and the text alone says for or against. concerning:
        how far each is about the question by meaning (`ByMeaning.concerning`)."""
        how: dict[str, Any] = {"claiming": claiming, "concerning": concerning}
        found = self.evidence(question, arguments, best, **how)
        return [self.weigh(evidence) for evidence in found]

    def evidence(
        self,
        question: str,
        arguments: Sequence[Argument],
        best: Sequence[Argument] = (),
        *,
        claiming: bool = True,
        concerning: Mapping[str, Floats] | None = None,
    ) -> list[StanceEvidence]:
        """What is read of each argument, in order."""
        asked = read_question(question)
        about = None
        if concerning is None:
            about = Subject.of(asked, best, self.idf, self.known)
        reading = EvidenceReader(self.known, asked, about, concerning or {}, claiming)
        return reading.of(arguments, self.attitude)

    def alone(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the logit of each text's being for what is asked, by its words alone."""
        own = [Argument("", None, (Premise(text, None),), {}) for text in texts]
        return [sum(self.given(one).values()) for one in self.evidence(question, own)]

    def idf(self, word: str) -> float:
        """How discriminative a word is: its idf where the model was trained, topics masked.

        A word that is not there, as a topic's is, has the largest.
        """
        number = self.terms.single(word)
        return self._largest_idf if number < 0 else float(self.attitude.idf[number])

    @cached_property
    def _largest_idf(self) -> float:
        return float(self.attitude.idf.max())

    def weigh(
        self,
        evidence: StanceEvidence,
        names: tuple[str, str] = ("for", "against"),
        threshold: float | None = None,
    ) -> Side:
        """The side that evidence speaks for: by its sign where the direction is known.

        A text that only repeats the question is on none, and none is of a question without sides.
        names: what being for what is asked, and being against it, is called; threshold: another
        than the model's.
        """
        on, given = self.on(evidence), self.given(evidence)
        p_on, p_for = (float(sigmoid(sum(logit.values()))) for logit in (on, given))
        for_it, against_it = sided(p_on, p_for)
        name, probability, share, sign = names[0], for_it, p_for, 1.0
        if against_it > for_it:
            name, probability, share, sign = names[1], against_it, 1.0 - p_for, -1.0
        least = self.weights.threshold if threshold is None else threshold

        def explain() -> Explanation:
            """The tree behind the probability."""
            being = f"being {name}" if name in SIDE_VALUES else "supporting the author"
            by_text = "" if evidence.claiming else _BY_TEXT
            said = f"probability of {being} if on the question{by_text}"
            branches = (
                _branch(p_on, "probability of being on the question", on, 1.0),
                _branch(share, said, given, sign),
            )
            return _of_side(probability, being, branches, evidence)

        if evidence.repeats or not evidence.sided:
            probability = 0.0
        value = name if probability >= least else "unclear"
        return Side(value, probability, explain, p_on, name)

    def on(self, evidence: StanceEvidence) -> dict[str, float]:
        """The summands of the logit of P(on the question).

        By meaning where hits were found by it. Else by the best hits' conclusions where they are
        known; by the question's words where these are
        surer and conclusion and text have all of them, if that is more than one: on a rare subject
        hardly another hit is.
        """
        if "alike" in evidence.likely:
            weights = WHOLE_WEIGHTS if evidence.likely["whole"] else NEAR_WEIGHTS
            return linear({name: evidence.likely[name] for name in weights}, weights)
        by_words = linear({name: evidence.likely[name] for name in ON}, self.weights.on)
        if "agreement" not in evidence.likely:
            return by_words
        among = linear({name: evidence.likely[name] for name in AMONG}, self.weights.among)
        surer = sum(by_words.values()) > sum(among.values())
        return by_words if evidence.named and surer else among

    def given(self, evidence: StanceEvidence) -> dict[str, float]:
        """The summands of the logit of P(for | on the question)."""
        if evidence.concluded:
            return linear({one: evidence.given[one] for one in FOR_SUMMANDS}, self.weights.given)
        return {"text": self.weights.text * evidence.given["text"]}


def _of_side(
    probability: float, being: str, branches: tuple[Explanation, ...], evidence: StanceEvidence
) -> Explanation:
    """A side's probability by that of being on the question and that of the side if so."""
    what = f"probability of {being}: of being on the question x of that side if so"
    if evidence.repeats:
        what, branches = f"{what} x of giving a reason", (*branches, Explanation(0.0, _REPEATS))
    if not evidence.sided:
        what, branches = f"{what} x of having a side", (*branches, Explanation(0.0, _NO_SIDES))
    return Explanation(probability, what, branches)


def _branch(value: float, what: str, summands: dict[str, float], sign: float) -> Explanation:
    """A probability by its logit's summands."""
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
            raise ValueError(f"{len(names)} terms, {len(idf)} idf, {len(weights)} weights")
        stored = file.header["weights"]
        on, among, given = (
            {name: float(stored[of][name]) for name in known}
            for of, known in (("on", ON), ("among", AMONG), ("given", FOR_SUMMANDS))
        )
        return StanceModel(
            names,
            Attitude(
                idf, weights, bisect_left(names, True, key=lambda name: name.startswith(CLASS))
            ),
            Weights(on, among, given, float(stored["text"]), float(stored["threshold"])),
            file.sha256,
        )


def pack(model: StanceModel) -> tuple[dict[str, object], dict[str, NDArray[np.generic]]]:
    """The header and arrays that `StanceModel.load` reads back."""
    return {"weights": asdict(model.weights)}, {
        "terms": packed_terms(model.terms.names),
        "idf": model.attitude.idf.astype(np.float32),
        "weights": model.attitude.weights.astype(np.float32),
    }
