"""The stance model: every argument's side of a question, with a probability and its reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stance.claims import Claim, read_claim, read_question
from argsearch.engine.stance.cross_encoder import READ, Agreement, CrossEncoder
from argsearch.engine.stance.subject import BEST, Subject
from argsearch.engine.stance.terms import (
    CLASS,
    WORDINGS_REMEMBERED,
    canonical,
    masked,
    read_words,
    repeats,
    terms,
)
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.indexer.model_files import STANCE, packed_terms, shipped, unpacked_terms
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.stance import Attitude, Floats, cut, linear, sided

DEFAULT_FILE = shipped("stance-default")
"""The model that ships with the package."""

SIDES = ("for", "against", "unclear")
"""What a side can be."""
ON = ("constant", "in conclusion", "in text", "cosine")
"""What P(on the question) is read from."""
AMONG = ("constant", "in either", "agreement", "agreement x likeness", "spoken of", "covered")
"""What it is read from where the best hits' conclusions are known, and the argument has one."""
NEAR_WEIGHTS = {
    "constant": -3.85,
    "in either": 1.53,
    "near": 0.30,
    "beginning near": 0.18,
    "nearest": -0.54,
    "alike": -0.77,
    "alike x nearest": 1.51,
}
"""What it is read from where hits were found by meaning, weighed as `python -m studies.on_question`
fits it (docs/stance.md)."""
GIVEN = ("conclusion", "bare conclusion", "conclusion's words", "text")
"""What P(for | on the question) is read from."""

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
    "conclusion's words": "stance x attitude of the conclusion's words x the question's direction",
    "text": "attitude of the text's words x the question's direction",
}
_NO_SIDES = "probability of having a side: the question asks for none"
_BY_TEXT = ", by the text alone: most conclusions of this index claim nothing"
_REPEATS = "probability of giving a reason: the text repeats the question's words and adds few"


@dataclass(frozen=True, slots=True)
class Side:
    """Where an argument stands towards a question."""

    value: str
    """`for`, `against` or `unclear`."""
    probability: float
    """That it is on the likelier side, in [0, 1]; `unclear` where that is below the threshold.

    0 where the text only repeats the question's words, or the question has no sides.
    """
    explanation: Explanation
    """Its root's value is `probability`."""

    @property
    def on_question(self) -> float | None:
        """P(on the question), in [0, 1]; None where that was not read (of counter-arguments)."""
        return self.explanation.details[0].value if self.explanation.details else None


@dataclass(frozen=True, slots=True)
class StanceEvidence:
    """What is read of one argument for one question, before it is weighed."""

    likely: dict[str, float]
    """Values of ON, and of AMONG where it has a conclusion and the best hits have."""
    given: dict[str, float]
    """Values of GIVEN, each positive for "for"."""
    concluded: bool
    """Whether it has both a conclusion and a stance towards it."""
    named: bool = False
    """Whether conclusion and text have all of a subject of several words."""
    stance: int = 0
    """Of the argument towards its conclusion, +1, −1 or 0 for none."""
    agreement: Agreement | None = None
    """Whether its conclusion agrees with the question, where a cross-encoder has read that."""
    repeats: bool = False
    """Whether the text repeats the question's words and adds next to none (`repeating`)."""
    sided: bool = True
    """Whether one can be for or against what is asked (`Claim.sided`)."""
    claiming: bool = True
    """Whether the stances of its index are towards claims (`sides.claiming`)."""


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
        self, vocabulary: dict[str, int], attitude: Attitude, weights: Weights, sha256: str = ""
    ) -> None:
        self.vocabulary, self.attitude, self.weights = vocabulary, attitude, weights
        self.sha256 = sha256
        self.attitude_to = lru_cache(WORDINGS_REMEMBERED)(self._attitude_to)

    @classmethod
    def load(cls, path: Path | None = None) -> StanceModel:
        """The model that ships with the package, or a file's; one object per file and process.

        Raises ModelError, in one line with the remedy, for a missing, foreign, newer or
        damaged file.
        """
        return _load(path or DEFAULT_FILE)

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
        reader: CrossEncoder | None = None,
        *,
        claiming: bool = True,
        concerning: Mapping[str, Floats] | None = None,
    ) -> list[Side]:
        """The side of each argument. best: the question's best hits, whose conclusions tell more
        surely what it is about than its words do; the first BEST are read. reader: reads whether
        these conclusions (without best hits: the first BEST arguments') agree with the question.
        claiming: without, no stance counts, and the text alone says for or against. concerning:
        how far each is about the question by meaning (`Findings.concerning`)."""
        found = self.evidence(
            question, arguments, best, reader, claiming=claiming, concerning=concerning
        )
        return [self.weigh(evidence) for evidence in found]

    def evidence(
        self,
        question: str,
        arguments: Sequence[Argument],
        best: Sequence[Argument] = (),
        reader: CrossEncoder | None = None,
        *,
        claiming: bool = True,
        concerning: Mapping[str, Floats] | None = None,
        brief: bool = False,
    ) -> list[StanceEvidence]:
        """What is read of each argument, in order.

        brief: of arguments with a conclusion and a stance the words' attitudes are not read.
        """
        asked = read_question(question)
        subject = Subject.of(asked, best, self.idf) if concerning is None else None
        near = [_near(concerning, i) for i in range(len(arguments))]
        agreements: Mapping[str, Agreement] = {}
        if reader is not None and asked.sided and claiming:
            sided = (one.conclusion for one in (best or arguments)[:BEST] if one.stance)
            agreements = reader.agreements(asked.text, [one for one in sided if one])
        found = [
            self._evidence(asked, one, subject, by_meaning, brief)
            for one, by_meaning in zip(arguments, near, strict=True)
        ]
        return [
            replace(
                evidence,
                concluded=evidence.concluded and claiming,
                repeats=repeats(asked, one.premise),
                sided=asked.sided,
                claiming=claiming,
                agreement=agreements.get(one.conclusion or ""),
            )
            for one, evidence in zip(arguments, found, strict=True)
        ]

    def idf(self, word: str) -> float:
        """How discriminative a word is: its idf where the model was trained, topics masked.

        A word that is not there, as a topic's is, has the largest.
        """
        place = self.vocabulary.get(word)
        return float(self.attitude.idf.max() if place is None else self.attitude.idf[place])

    def _evidence(
        self,
        asked: Claim,
        argument: Argument,
        about: Subject | None,
        near: dict[str, float],
        brief: bool,
    ) -> StanceEvidence:
        concluding, words = read_claim(argument.conclusion or ""), read_words(argument.premise)
        subject = frozenset(asked.subject)
        within = _share(asked.subject, frozenset(map(canonical, words)))
        likely = {"constant": 1.0, "in text": within, "in conclusion": within, "cosine": within}
        given = dict.fromkeys(GIVEN, 0.0)
        stance = {Stance.PRO: 1, Stance.CON: -1, None: 0}[argument.stance]
        brief = brief and stance != 0 and bool(concluding.subject)
        if brief:
            del given["text"], given["conclusion's words"]
        else:
            given["text"] = asked.polarity * self.attitude_to(words, subject)
        if not concluding.subject:
            return StanceEvidence(likely, given, False)
        likely["in conclusion"] = _share(asked.subject, frozenset(concluding.subject))
        likely["in either"] = max(within, likely["in conclusion"])
        likely |= near if about is None else about.read(concluding, argument.id, words)
        own = stance * asked.polarity
        known = "conclusion" if concluding.directed else "bare conclusion"
        given[known] = float(own * concluding.polarity)
        if not brief:
            conclusion = read_words(argument.conclusion or "")
            given["conclusion's words"] = own * self.attitude_to(conclusion, subject)
        whole = min(within, likely["in conclusion"]) == 1.0
        named = whole and len(asked.subject) > 1
        return StanceEvidence(likely, given, stance != 0, named, stance=stance)

    def _attitude_to(self, words: tuple[str, ...], subject: frozenset[str]) -> float:
        """The attitude of a text's words towards a subject; it is remembered, for with every move
        of a weight the same texts come back."""
        return cut(self.logit(masked(words, subject)))

    def logit(self, words: list[str]) -> float:
        """The attitude of masked words towards the subject, before it is weighed."""
        counts = Counter(map(self.vocabulary.get, terms(words)))
        found = sorted((term, n) for term, n in counts.items() if term is not None)
        if not found:
            return 0.0
        ids, tfs = np.array(found, dtype=np.int64).T
        return self.attitude(ids, tfs)

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
        read = {} if evidence.agreement is None else {READ: evidence.agreement.meaning}
        by_text = "" if evidence.claiming else _BY_TEXT
        being = f"being {name}" if name in SIDES else "supporting the author"
        details: tuple[Explanation, ...] = (
            _branch(p_on, "probability of being on the question", on, 1.0),
            _branch(
                share, f"probability of {being} if on the question{by_text}", given, sign, read
            ),
        )
        what = f"probability of {being}: of being on the question x of that side if so"
        if evidence.repeats:
            probability, what = 0.0, f"{what} x of giving a reason"
            details = (*details, Explanation(0.0, _REPEATS))
        if not evidence.sided:
            probability, what = 0.0, f"{what} x of having a side"
            details = (*details, Explanation(0.0, _NO_SIDES))
        least = self.weights.threshold if threshold is None else threshold
        shown = name if probability >= least else "unclear"
        return Side(shown, probability, Explanation(probability, what, details))

    def on(self, evidence: StanceEvidence) -> dict[str, float]:
        """The summands of the logit of P(on the question).

        By meaning where hits were found by it. Else by the best hits' conclusions where they are
        known; by the question's words where these are
        surer and conclusion and text have all of them, if that is more than one: on a rare subject
        hardly another hit is.
        """
        if "alike" in evidence.likely:
            return linear({name: evidence.likely[name] for name in NEAR_WEIGHTS}, NEAR_WEIGHTS)
        by_words = linear({name: evidence.likely[name] for name in ON}, self.weights.on)
        if "agreement" not in evidence.likely:
            return by_words
        among = linear({name: evidence.likely[name] for name in AMONG}, self.weights.among)
        surer = sum(by_words.values()) > sum(among.values())
        return by_words if evidence.named and surer else among

    def given(self, evidence: StanceEvidence) -> dict[str, float]:
        """The summands of the logit of P(for | on the question)."""
        if evidence.concluded:
            words = linear(evidence.given, self.weights.given)
            read = evidence.agreement
            return words if read is None else read.mixed(words, evidence.stance)
        return {"text": self.weights.text * evidence.given["text"]}


def _near(concerning: Mapping[str, Floats] | None, place: int) -> dict[str, float]:
    """What is known of one argument by meaning; nothing of one without a conclusion."""
    found = {name: float(values[place]) for name, values in (concerning or {}).items()}
    if not found or np.isnan(found["nearest"]):
        return {}
    return {**found, "alike x nearest": found["alike"] * found["nearest"]}


def _share(subject: Sequence[str], roots: frozenset[str]) -> float:
    """The share of the subject's roots that are among `roots`; 0 for no subject."""
    return sum(word in roots for word in subject) / max(1, len(subject))


def _branch(
    value: float,
    what: str,
    summands: dict[str, float],
    sign: float,
    further: Mapping[str, str] = MappingProxyType({}),
) -> Explanation:
    """A probability by its logit's summands; further: what those mean that are read by a model."""
    meanings = {**_MEANINGS, **further}
    details = tuple(Explanation(sign * part, meanings[name]) for name, part in summands.items())
    logit = Explanation(sign * sum(summands.values()), "logit, sum of:", details)
    return Explanation(value, f"{what} = 1 / (1 + e^-logit)", (logit,))


@lru_cache(4)
def _load(path: Path) -> StanceModel:
    file = STANCE.read(path)
    with STANCE.unpacking(path):
        names = unpacked_terms(file.arrays)
        idf, weights = (np.asarray(file.arrays[key], np.float64) for key in ("idf", "weights"))
        if not len(names) == len(idf) == len(weights):
            raise ValueError(f"{len(names)} terms, {len(idf)} idf, {len(weights)} weights")
        stored = file.header["weights"]
        on, among, given = (
            {name: float(stored[of][name]) for name in known}
            for of, known in (("on", ON), ("among", AMONG), ("given", GIVEN))
        )
        return StanceModel(
            {name: i for i, name in enumerate(names)},
            Attitude(idf, weights, sum(not name.startswith(CLASS) for name in names)),
            Weights(on, among, given, float(stored["text"]), float(stored["threshold"])),
            file.sha256,
        )


def pack(model: StanceModel) -> tuple[dict[str, object], dict[str, NDArray[np.generic]]]:
    """The header and arrays that `StanceModel.load` reads back."""
    return {"weights": asdict(model.weights)}, {
        "terms": packed_terms(model.vocabulary),
        "idf": model.attitude.idf.astype(np.float32),
        "weights": model.attitude.weights.astype(np.float32),
    }
