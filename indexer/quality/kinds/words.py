"""The blended model on texts: surface features and terms, a ridge regressor and a soft gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.quality.files import ModelFile, QualityModelError
from indexer.quality.scaling import scale_quality
from ranking.numbers import sigmoid
from ranking.quality.linear import Linear, Standard, score
from ranking.quality.surface.features import FEATURES, counts, derive
from ranking.quality.surface.scanning import COUNTS
from ranking.quality.words.model import BlendModel
from ranking.quality.words.scanning import Terms

BATCH = 4096
"""Texts scored at a time; bounds memory, changes no prediction."""

_WORDS = COUNTS.index("words")


def pack(model: BlendModel, terms: Terms) -> dict[str, NDArray[Any]]:
    """The fitted model as the arrays of a model file; what terms weigh in single precision."""
    parts = [getattr(model.standard, part) for part in ("low", "high", "mean", "scale")]
    return {
        "standard": np.stack(parts),
        "weights": np.stack([model.gate.weights, model.regressor.weights]),
        "scalars": np.array([model.gate.bias, model.regressor.bias, model.shift, model.penalty]),
        "keys": terms.keys,
        "idf": terms.idf,
        "words": model.words.astype(np.float32),
    }


def unpack(arrays: dict[str, NDArray[Any]]) -> tuple[BlendModel, Terms]:
    """What `pack` stored; raises ValueError where shapes do not fit."""
    gate, quality = arrays["weights"]
    gate_bias, bias, shift, penalty = arrays["scalars"].tolist()
    words, terms = arrays["words"].astype(np.float64), Terms(arrays["keys"], arrays["idf"])
    fits = words.shape == (2, len(terms.keys)) and terms.idf.shape == terms.keys.shape
    if not fits or gate.shape != (len(FEATURES),):
        raise ValueError(f"words {words.shape}, keys {terms.keys.shape}, weights {gate.shape}")
    model = BlendModel(
        Standard(*arrays["standard"]),
        Linear(gate, gate_bias),
        Linear(quality, bias),
        words,
        shift,
        penalty,
    )
    return model, terms


@dataclass(frozen=True)
class WordsQuality:
    """Q = P(argument) · clip(regression, 0, 1), as the feature model has it, with terms beside."""

    name: str
    sha256: str
    header: dict[str, Any]
    model: BlendModel
    terms: Terms

    @classmethod
    def from_file(cls, name: str, file: ModelFile) -> WordsQuality:
        """The model a file holds; raises QualityModelError when its features are not today's."""
        if file.header.get("features") != [feature.name for feature in FEATURES]:
            raise QualityModelError(
                name, "was trained on other features than this version computes"
            )
        return cls(name, file.sha256, file.header, *unpack(file.arrays))

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Q float32[n] in [0, 1]; NaN for a text without a word."""
        out, model = np.empty(len(premises), dtype=np.float32), self.model
        for start in range(0, len(premises), BATCH):
            texts = premises[start : start + BATCH]
            counted = counts(texts)
            scores = score(derive(counted), model.standard, (model.gate, model.regressor))
            logit, quality = (scores + self.terms.weigh(texts, model.words)).T
            weighed = np.clip(quality, 0.0, 1.0) * sigmoid(logit + model.shift)
            out[start : start + BATCH] = np.where(counted[:, _WORDS] > 0, weighed, np.nan)
        return out

    def predict(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Q float32[n] in [0, 1]; 0 for a text without a word."""
        return scale_quality(self.raw(premises), "clip")
