"""The protocol of quality models, how raw predictions become Q, and the model of none (H21)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.numbers import minmax


class QualityModel(Protocol):
    """Predicts the quality of premises; a text has the same quality in any batch or process."""

    @property
    def name(self) -> str:
        """The spec the model was loaded by: `default`, `words`, `none` or the path as given."""

    @property
    def sha256(self) -> str:
        """SHA-256 of the model file, in hexadecimal; empty for `none`."""

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Predictions float32[n] before `scale_quality`; NaN = not an argument."""

    def predict(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Q float32[n] in [0, 1], by the `clip` scale; 0 for what is not an argument."""


SCALES = ("clip", "minmax")
"""`clip` = predictions as given, cut to [0, 1] (the paper); `minmax` = rescaled over the corpus
(the author's code)."""


def scale_quality(raw: ArrayLike, how: str) -> NDArray[np.float32]:
    """Raw predictions of a whole corpus as Q in [0, 1], float32[n]; NaN (no argument) becomes 0.

    `clip` cuts to [0, 1]; `minmax` maps the lowest prediction for an argument to 0 and the highest
    to 1 (where all are equal, `clip`). Raises InvalidParameter for another `how`.
    """
    if how not in SCALES:
        raise InvalidParameter("quality_scale", how, ", ".join(SCALES))
    values = minmax(raw) if how == "minmax" else np.asarray(raw, dtype=np.float64)
    return np.clip(np.nan_to_num(values, nan=0.0), 0.0, 1.0).astype(np.float32)


class ClippedQuality:
    """What every model of a file shares: Q is what `raw` predicts, cut to [0, 1]."""

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Predictions float32[n]; NaN = not an argument."""
        raise NotImplementedError

    def predict(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Q float32[n] in [0, 1]; 0 for what is not an argument."""
        return scale_quality(self.raw(premises), "clip")


class NoQuality:
    """The model `none`: every text has quality 0, so the quality factor of Eq. 1 is 1 (H21)."""

    name = "none"
    sha256 = ""

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Zeros float32[n]."""
        return np.zeros(len(premises), dtype=np.float32)

    predict = raw
