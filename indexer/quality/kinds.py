"""The kinds of quality models that a file can have: a gate with a regressor, and H21's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.model_files import (
    QUALITY,
    ModelFile,
    ModelForm,
    numbers,
    packed_terms,
    standards,
    unpacked_terms,
)
from argsearch.indexer.quality import QualityModel
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.quality.linear import GatedModel, Linear, Standard
from argsearch.ranking.quality.surface import COUNTS, FEATURES, counts, derive
from argsearch.ranking.quality.svm import Decisions, Machines, TfIdfVocabulary, count_terms
from argsearch.ranking.quality.terms import HashedTerms

SCORED_AT_ONCE = 4096
"""Number of texts to score at a time; it limits memory and does not change predictions."""

COMPARED_AT_ONCE = 512
"""Number of texts to compare with H21's support vectors at a time; it only limits memory."""

_WORDS = COUNTS.index("words")


def check_features(form: ModelForm, name: str, file: ModelFile) -> None:
    """Raise ModelError if a model's features differ from this version's."""
    if file.header.get("features") != [feature.name for feature in FEATURES]:
        raise form.error(name, "was trained on features that differ from those of this version")


@dataclass(frozen=True)
class GatedQuality(QualityModel):
    """Q = P(argument) · clip(regression, 0, 1), for each text on its own.

    The kind `features` uses surface features clipped to the training range; the kind `words` uses
    terms as well.
    """

    model: GatedModel
    terms: HashedTerms | None

    @staticmethod
    def pack(model: GatedModel, terms: HashedTerms | None = None) -> dict[str, NDArray[Any]]:
        """Return the arrays for a model file, with term weights as float32.

        With terms, the gate is written before the regressor; without terms, after it.
        """
        linear = (model.regressor, model.gate) if terms is None else (model.gate, model.regressor)
        arrays = {
            "standard": model.standard.stacked(),
            "weights": np.stack([one.weights for one in linear]),
            "scalars": np.array([*(one.bias for one in linear), model.shift, model.penalty]),
        }
        if terms is None:
            return arrays
        words = model.words.astype(np.float32)
        return {**arrays, "keys": terms.keys, "idf": terms.idf, "words": words}

    @classmethod
    def from_file(cls, name: str, file: ModelFile) -> GatedQuality:
        """Read the arrays of `pack`; raise ModelError, ValueError or KeyError for invalid ones."""
        check_features(QUALITY, name, file)
        arrays, terms, words = file.arrays, None, np.zeros((2, 0))
        weights = numbers(arrays, "weights", 2, len(FEATURES))
        *biases, shift, penalty = numbers(arrays, "scalars", 4).tolist()
        gate, regressor = map(Linear, weights, biases)
        if file.header["kind"] == "features":
            gate, regressor = regressor, gate
        else:
            terms = HashedTerms(numbers(arrays, "keys", -1, kind="u"), numbers(arrays, "idf", -1))
            doubled = {"words": arrays["words"].astype(np.float64)}
            words = numbers(doubled, "words", 2, len(terms.keys))
            if len(terms.idf) != len(terms.keys):
                raise ValueError(f"it has {len(terms.keys)} keys, but {len(terms.idf)} idf")
        standard = Standard(*standards(arrays, len(FEATURES)))
        model = GatedModel(standard, gate, regressor, shift, penalty, words)
        return cls(name, file.sha256, file.header, model, terms)

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Return Q in [0, 1], float32[n]; NaN for a text without words."""
        out = np.empty(len(premises), dtype=np.float32)
        for start in range(0, len(premises), SCORED_AT_ONCE):
            texts = premises[start : start + SCORED_AT_ONCE]
            counted = counts(texts)
            scores = self.model.score(derive(counted))
            if self.terms is not None:
                scores = scores + self.terms.weigh(texts, self.model.words)
            logit, quality = scores.T
            weighed = np.clip(quality, 0.0, 1.0) * sigmoid(logit + self.model.shift)
            out[start : start + SCORED_AT_ONCE] = np.where(counted[:, _WORDS] > 0, weighed, np.nan)
        return out


@dataclass(frozen=True)
class HeimdallQuality(QualityModel):
    """H21's own model: Q is 0 if the support vector gate rejects a text, else the regression."""

    index: dict[str, int]
    decisions: Decisions

    @staticmethod
    def pack(vocabulary: TfIdfVocabulary, machines: Machines) -> dict[str, NDArray[Any]]:
        """Return the vocabulary and both machines as arrays for a model file."""
        terms = {"terms": packed_terms(vocabulary.terms), "idf": vocabulary.idf}
        return {**terms, **vars(machines)}

    @classmethod
    def from_file(cls, name: str, file: ModelFile) -> HeimdallQuality:
        """Read the arrays of `pack`; raise ValueError or KeyError for an index out of range."""
        arrays = file.arrays
        terms = unpacked_terms(arrays)
        starts, ids = (numbers(arrays, name, -1, kind="i") for name in ("starts", "ids"))
        values, n = numbers(arrays, "values", len(ids)), len(starts) - 1
        whole = (
            n >= 0 and starts[0] == 0 and starts[-1] == len(ids) and (np.diff(starts) >= 0).all()
        )
        if not whole or (len(ids) and not 0 <= ids.min() <= ids.max() < len(terms)):
            raise ValueError("starts or ids point outside their arrays")
        alpha = numbers(arrays, "alpha", 2, n)
        gamma, bias = numbers(arrays, "gamma", 2), numbers(arrays, "bias", 2)
        machines = Machines(starts, ids, values, alpha, gamma, bias)
        decisions = Decisions(machines, numbers(arrays, "idf", len(terms)))
        index = {term: i for i, term in enumerate(terms)}
        return cls(name, file.sha256, file.header, index, decisions)

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Return the unclipped regression, float32[n]; NaN for non-arguments or no known words."""
        out = np.empty(len(premises), dtype=np.float32)
        for start in range(0, len(premises), COMPARED_AT_ONCE):
            found = count_terms(premises[start : start + COMPARED_AT_ONCE], self.index)
            gate, quality = self.decisions(found).T
            known = np.diff(found.starts) > 0
            out[start : start + COMPARED_AT_ONCE] = np.where((gate > 0) & known, quality, np.nan)
        return out


KINDS: dict[str, type[GatedQuality] | type[HeimdallQuality]] = {
    "features": GatedQuality,
    "h21": HeimdallQuality,
    "words": GatedQuality,
}
"""Model class for each kind of file."""
