"""The logistic regression that predicts whether two sentences make the same point."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.model_files import POINT_MODEL, numbers, shipped
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.points import POINT_FEATURES, Floats, Limits

POINTS_FILE = shipped("points-default")
"""The model that is shipped with the package."""
DECIMALS = 6
"""Number of decimals to which a probability is rounded."""


@dataclass(frozen=True)
class PointModel:
    """P(same) = 1 / (1 + e^−(w·x + b)) over POINT_FEATURES, with its thresholds."""

    weights: Floats
    """The weights in the order of POINT_FEATURES, float64[16]."""
    bias: float
    limits: Limits
    sha256: str = ""

    @classmethod
    def load(cls, path: Path | None = None) -> PointModel:
        """Load a model from a file, by default the shipped one. Raises ModelError."""
        return _load(path or POINTS_FILE)

    def same(self, x: Floats) -> Floats:
        """Return P(same) in [0, 1] for features of shape [..., 16].

        The result is rounded to DECIMALS decimals, so the last bit of a sum makes no difference.
        """
        # Add term by term: a matrix product adds in another order on another processor.
        logits = np.full(x.shape[:-1], self.bias)
        for weight, values in zip(self.weights, np.moveaxis(x, -1, 0), strict=True):
            logits += weight * values
        return np.asarray(np.round(sigmoid(logits), DECIMALS), np.float64)

    def explanation(self, x: Floats) -> Explanation:
        """Return each feature's share of the logit that two sentences make the same point."""
        shares = [
            Explanation(float(w * value), f"{w:.3g} x {name} ({value:.3g})")
            for w, value, name in zip(self.weights, x, POINT_FEATURES, strict=True)
        ]
        details = (Explanation(self.bias, "constant"), *shares)
        logit = Explanation(float(self.weights @ x + self.bias), "logit, sum of:", details)
        what = "probability that it makes the same point = 1 / (1 + e^-logit)"
        return Explanation(float(self.same(x)), what, (logit,))


def pack(model: PointModel) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
    """Return the header and the arrays that `PointModel.load` reads."""
    header = {"features": list(POINT_FEATURES), "limits": asdict(model.limits)}
    return header, {"weights": model.weights, "bias": np.array([model.bias])}


@lru_cache(4)
def _load(path: Path) -> PointModel:
    file = POINT_MODEL.read(path)
    with POINT_MODEL.unpacking(path):
        if tuple(file.header["features"]) != POINT_FEATURES:
            raise ValueError(f"its features are {file.header['features']}")
        weights = numbers(file.arrays, "weights", len(POINT_FEATURES))
        bias = float(numbers(file.arrays, "bias", 1)[0])
        return PointModel(weights, bias, Limits(**file.header["limits"]), file.sha256)
