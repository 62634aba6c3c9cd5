"""The protocol of quality models, and the one that predicts nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


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


class NoQuality:
    """The model `none`: every text has quality 0, so the quality factor of Eq. 1 is 1 (H21)."""

    name = "none"
    sha256 = ""

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Zeros float32[n]."""
        return np.zeros(len(premises), dtype=np.float32)

    predict = raw
