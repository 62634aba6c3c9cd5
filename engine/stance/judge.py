"""A user's own model that predicts whether a text is for or against a question.

It can be any public cross-encoder for natural language inference or stance. Its classes are found
by their names, such as `entailment` and `contradiction`. None ships.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from threading import Lock

import numpy as np

from argsearch.engine.stance import lexicon
from argsearch.engine.stance.claims import WORD, Claim, boundary
from argsearch.engine.stance.evidence import SIGN, StanceEvidence
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders.base import HUB_NAME, loading, located, require
from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.stance import Floats

_DOING = {"do", "does", "did"}
"""Auxiliaries that cannot simply be moved to form a statement: the main verb would change form."""
_NOT = re.compile(r"(?i)^(can(?=')|\w+?)n?'t\b")
"""Matches a beginning that expects a yes: "Aren't zoos cruel?" asks if zoos are cruel."""
JUDGED_HITS = 30
"""Number of best hits whose conclusion and best passage the model reads."""
SIDE_CLASSES = {
    "for": {"for", "pro", "favor", "favour", "support", "supports", "entailment", "entails"},
    "against": {"against", "con", "oppose", "opposes", "attack", "attacks", "contradiction"},
}
"""Names of the model's class for each side, in lower case. All other classes are neutral."""


class Judge:
    """A cross-encoder that reads a text and a claim; safe to share between threads."""

    def __init__(self, model: str) -> None:
        """Load a model by its name on a hub, or its folder.

        Raises MissingExtra, EncoderUnavailable, or InvalidParameter if the classes have no known
        names.
        """
        require("sentence_transformers", "sentence-transformers", "sbert")
        place = located(model, model, named_elsewhere=bool(HUB_NAME.fullmatch(model)))
        with loading(model, "give a cross-encoder's name on a hub, or its folder", "model"):
            from sentence_transformers import CrossEncoder

            self._model = CrossEncoder(place)
            names = {n: str(name).lower() for n, name in self._model.config.id2label.items()}
        found = [[n for n, name in names.items() if name in one] for one in SIDE_CLASSES.values()]
        if any(len(classes) != 1 for classes in found):
            allowed = [f"one of {', '.join(sorted(some))}" for some in SIDE_CLASSES.values()]
            raise InvalidParameter(
                "stance.model", f"{model} with the classes {', '.join(names.values())}",
                f"a model with two classes named {' and '.join(allowed)} (id2label in config.json)",
            )  # fmt: skip
        (self._for,), (self._against,) = found
        self._turn = Lock()

    def leanings(self, claim: Claim, texts: Sequence[str]) -> Floats:
        """Return P(for) − P(against) of each text, float64[n]; equal texts are read once."""
        distinct = list(dict.fromkeys(texts))
        with self._turn:
            pairs = [(text, statement(claim.text)) for text in distinct]
            shares = self._model.predict(pairs, apply_softmax=True, convert_to_numpy=True)
        leaning = shares[:, self._for].astype(np.float64) - shares[:, self._against]
        read = dict(zip(distinct, leaning.tolist(), strict=True))
        return np.array([read[text] for text in texts])

    def judged(
        self,
        claim: Claim,
        arguments: Sequence[Argument],
        passages: Sequence[str],
        found: Sequence[StanceEvidence],
    ) -> list[StanceEvidence]:
        """Return the evidence, adding the model's leaning for each conclusion and each passage.

        A conclusion's leaning is multiplied by the author's stance towards it.
        """
        if not found:
            return []
        conclusions = [one.conclusion or "" for one in arguments]
        by_claim, by_text = np.split(self.leanings(claim, [*conclusions, *passages]), 2)
        # A stance towards no claim says nothing about the question.
        signs = [
            SIGN[one.stance] if evidence.claiming and one.conclusion else 0
            for one, evidence in zip(arguments, found, strict=True)
        ]
        rows = zip(found, signs, by_claim.tolist(), by_text.tolist(), strict=True)
        return [
            replace(
                evidence,
                given={**evidence.given, "judged conclusion": sign * of, "judged passage": text},
            )
            for evidence, sign, of, text in rows
        ]


def statement(text: str) -> str:
    """Return a question as a statement if its verb can be moved, or else unchanged.

    "Should zoos be banned?" and "Shouldn't zoos be banned?" become "zoos should be banned".
    """
    opener, *rest = WORD.findall(_NOT.sub(r"\1", text.strip().replace("’", "'"))) or [""]
    cut = boundary([word.lower() for word in rest])
    verb = opener.lower()
    if verb not in lexicon.QUESTION_OPENERS or verb in _DOING or cut >= len(rest):
        return text
    return " ".join([*rest[:cut], verb, *rest[cut:]])


@lru_cache(2)
def judge(model: str) -> Judge:
    """Return the model with this name or folder, which stays loaded."""
    return Judge(model)
