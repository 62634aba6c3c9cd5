"""The feature model on texts: surface features, a ridge regressor and a soft gate.

Its form, Q = P(argument) · clip(regression, 0, 1) text by text, is that of the model `words`, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.model_files import QUALITY, ModelFile, numbers, standards
from argsearch.indexer.quality.protocol import ClippedQuality
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.quality.linear import Linear, Standard
from argsearch.ranking.quality.surface.features import FEATURES, counts, derive
from argsearch.ranking.quality.surface.model import SurfaceModel
from argsearch.ranking.quality.surface.scanning import COUNTS

SCORED_AT_ONCE = 4096
"""Texts scored at a time; bounds memory, changes no prediction."""

_WORDS = COUNTS.index("words")

Floats = NDArray[np.float64]


def check_features(name: str, file: ModelFile) -> None:
    """Raise ModelError where a model's features are not today's."""
    if file.header.get("features") != [feature.name for feature in FEATURES]:
        raise QUALITY.error(name, "was trained on other features than this version computes")


def gated(
    premises: Sequence[str],
    shift: float,
    score: Callable[[Floats, Sequence[str]], tuple[Any, Any]],
) -> NDArray[np.float32]:
    """Q float32[n] in [0, 1]; NaN for a text without a word.

    score: the gate's logit and the regression of some texts, from their features and themselves.
    """
    out = np.empty(len(premises), dtype=np.float32)
    for start in range(0, len(premises), SCORED_AT_ONCE):
        texts = premises[start : start + SCORED_AT_ONCE]
        counted = counts(texts)
        logit, quality = score(derive(counted), texts)
        weighed = np.clip(quality, 0.0, 1.0) * sigmoid(logit + shift)
        out[start : start + SCORED_AT_ONCE] = np.where(counted[:, _WORDS] > 0, weighed, np.nan)
    return out


def pack(model: SurfaceModel) -> dict[str, NDArray[np.float64]]:
    """The fitted model as the arrays of a model file."""
    return {
        "standard": model.standard.stacked(),
        "weights": np.stack([model.regressor.weights, model.gate.weights]),
        "scalars": np.array([model.regressor.bias, model.gate.bias, model.shift, model.alpha]),
    }


def unpack(arrays: dict[str, NDArray[Any]]) -> SurfaceModel:
    """The model that `pack` stored; raises ValueError or KeyError for arrays of other shapes."""
    quality, gate = numbers(arrays, "weights", 2, len(FEATURES))
    bias, gate_bias, shift, alpha = numbers(arrays, "scalars", 4).tolist()
    standard = Standard(*standards(arrays, len(FEATURES)))
    return SurfaceModel(standard, Linear(quality, bias), Linear(gate, gate_bias), shift, alpha)


@dataclass(frozen=True)
class SurfaceQuality(ClippedQuality):
    """Q = P(argument) · clip(regression, 0, 1), over features clipped to the training range."""

    name: str
    sha256: str
    header: dict[str, Any]
    model: SurfaceModel

    @classmethod
    def from_file(cls, name: str, file: ModelFile) -> SurfaceQuality:
        """The model a file holds; raises ModelError when its features are not today's."""
        check_features(name, file)
        return cls(name, file.sha256, file.header, unpack(file.arrays))

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Q float32[n] in [0, 1]; NaN for a text without a word."""
        return gated(premises, self.model.shift, lambda X, _: self.model.score(X))
