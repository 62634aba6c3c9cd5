"""The blended model on texts: surface features and terms, a ridge regressor and a soft gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.model_files import ModelFile, numbers, standards
from argsearch.indexer.quality.kinds.surface import check_features, gated
from argsearch.indexer.quality.protocol import ClippedQuality
from argsearch.ranking.quality.linear import Linear, Standard, score
from argsearch.ranking.quality.surface.features import FEATURES
from argsearch.ranking.quality.words.model import BlendModel
from argsearch.ranking.quality.words.scanning import HashedTerms


def pack(model: BlendModel, terms: HashedTerms) -> dict[str, NDArray[Any]]:
    """The fitted model as the arrays of a model file; what terms weigh in single precision."""
    return {
        "standard": model.standard.stacked(),
        "weights": np.stack([model.gate.weights, model.regressor.weights]),
        "scalars": np.array([model.gate.bias, model.regressor.bias, model.shift, model.penalty]),
        "keys": terms.keys,
        "idf": terms.idf,
        "words": model.words.astype(np.float32),
    }


def unpack(arrays: dict[str, NDArray[Any]]) -> tuple[BlendModel, HashedTerms]:
    """What `pack` stored; raises ValueError or KeyError for arrays of other shapes."""
    gate, quality = numbers(arrays, "weights", 2, len(FEATURES))
    gate_bias, bias, shift, penalty = numbers(arrays, "scalars", 4).tolist()
    terms = HashedTerms(numbers(arrays, "keys", -1, kind="u"), numbers(arrays, "idf", -1))
    words = numbers({"words": arrays["words"].astype(np.float64)}, "words", 2, len(terms.keys))
    if len(terms.idf) != len(terms.keys):
        raise ValueError(f"{len(terms.idf)} idf of {len(terms.keys)} keys")
    standard = Standard(*standards(arrays, len(FEATURES)))
    linear = Linear(gate, gate_bias), Linear(quality, bias)
    return BlendModel(standard, *linear, words, shift, penalty), terms


@dataclass(frozen=True)
class WordsQuality(ClippedQuality):
    """Q = P(argument) · clip(regression, 0, 1), as the feature model has it, with terms beside."""

    name: str
    sha256: str
    header: dict[str, Any]
    model: BlendModel
    terms: HashedTerms

    @classmethod
    def from_file(cls, name: str, file: ModelFile) -> WordsQuality:
        """The model a file holds; raises ModelError when its features are not today's."""
        check_features(name, file)
        return cls(name, file.sha256, file.header, *unpack(file.arrays))

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Q float32[n] in [0, 1]; NaN for a text without a word."""
        model = self.model
        linear = model.gate, model.regressor

        def scores(X: NDArray[np.float64], texts: Sequence[str]) -> tuple[Any, Any]:
            weighed = score(X, model.standard, linear) + self.terms.weigh(texts, model.words)
            return weighed[:, 0], weighed[:, 1]

        return gated(premises, model.shift, scores)
