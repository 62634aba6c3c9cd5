"""The feature model on texts: surface features, a ridge regressor and a soft gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.quality.files import ModelFile, QualityModelError, numbers, standards
from indexer.quality.scaling import scale_quality
from ranking.numbers import sigmoid
from ranking.quality.linear import Linear, Standard
from ranking.quality.surface.features import FEATURES, counts, derive
from ranking.quality.surface.model import SurfaceModel
from ranking.quality.surface.scanning import COUNTS

BATCH = 4096
"""Texts scored at a time; bounds memory, changes no prediction."""

_WORDS = COUNTS.index("words")


def pack(model: SurfaceModel) -> dict[str, NDArray[np.float64]]:
    """The fitted model as the arrays of a model file."""
    scalars = np.array([model.regressor.bias, model.gate.bias, model.shift, model.alpha])
    return {
        "standard": np.stack(
            [getattr(model.standard, part) for part in ("low", "high", "mean", "scale")]
        ),
        "weights": np.stack([model.regressor.weights, model.gate.weights]),
        "scalars": scalars,
    }


def unpack(arrays: dict[str, NDArray[Any]]) -> SurfaceModel:
    """The model that `pack` stored; raises ValueError or KeyError for arrays of other shapes."""
    quality, gate = numbers(arrays, "weights", 2, len(FEATURES))
    bias, gate_bias, shift, alpha = numbers(arrays, "scalars", 4).tolist()
    standard = Standard(*standards(arrays, len(FEATURES)))
    return SurfaceModel(standard, Linear(quality, bias), Linear(gate, gate_bias), shift, alpha)


@dataclass(frozen=True)
class SurfaceQuality:
    """Q = P(argument) · clip(regression, 0, 1), over features clipped to the training range."""

    name: str
    sha256: str
    header: dict[str, Any]
    model: SurfaceModel

    @classmethod
    def from_file(cls, name: str, file: ModelFile) -> SurfaceQuality:
        """The model a file holds; raises QualityModelError when its features are not today's."""
        if file.header.get("features") != [feature.name for feature in FEATURES]:
            raise QualityModelError(
                name, "was trained on other features than this version computes"
            )
        return cls(name, file.sha256, file.header, unpack(file.arrays))

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Q float32[n] in [0, 1]; NaN for a text without a word."""
        out = np.empty(len(premises), dtype=np.float32)
        for start in range(0, len(premises), BATCH):
            counted = counts(premises[start : start + BATCH])
            logit, quality = self.model.score(derive(counted))
            weighed = np.clip(quality, 0.0, 1.0) * sigmoid(logit + self.model.shift)
            out[start : start + BATCH] = np.where(counted[:, _WORDS] > 0, weighed, np.nan)
        return out

    def predict(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Q float32[n] in [0, 1]; 0 for a text without a word."""
        return scale_quality(self.raw(premises), "clip")
