"""The protocol of quality models, how one is loaded, and how raw predictions become Q in [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from indexer.errors import InvalidParameter

if TYPE_CHECKING:
    from indexer.quality.files import ModelFile

SCALES = ("clip", "minmax")
"""`clip` = predictions as given, cut to [0, 1] (the paper); `minmax` = rescaled over the corpus
(the author's code)."""

DEFAULT_FILE = Path(__file__).resolve().parent.parent / "models" / "quality-default.npz"
"""The model that ships with the package."""


class QualityModel(Protocol):
    """Predicts the quality of premises; a text has the same quality in any batch or process."""

    @property
    def name(self) -> str:
        """The spec the model was loaded by: `default`, `none` or the path as the user gave it."""

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


def scale_quality(raw: ArrayLike, how: str) -> NDArray[np.float32]:
    """Raw predictions of a whole corpus as Q in [0, 1], float32[n]; NaN (no argument) becomes 0.

    `clip` cuts to [0, 1]; `minmax` maps the lowest prediction for an argument to 0 and the highest
    to 1 (where all are equal, `clip`). Raises InvalidParameter for another `how`.
    """
    if how not in SCALES:
        raise InvalidParameter("quality_scale", how, ", ".join(SCALES))
    values = np.asarray(raw, dtype=np.float64)
    known = values[np.isfinite(values)]
    if how == "minmax" and known.size and known.max() > known.min():
        values = (values - known.min()) / (known.max() - known.min())
    return np.clip(np.nan_to_num(values, nan=0.0), 0.0, 1.0).astype(np.float32)


def load_quality_model(spec: str) -> QualityModel:
    """The model `default` (ships with the package), `none`, or the model file at a path.

    Raises QualityModelError, in one line with the remedy, for a missing, foreign, newer or damaged
    file.
    """
    if spec == "none":
        return NoQuality()
    from indexer.quality.files import QualityModelError, read_model

    file = read_model(DEFAULT_FILE if spec == "default" else Path(spec))
    try:
        return _of_kind(spec, file)
    except (KeyError, ValueError, TypeError) as error:
        raise QualityModelError(
            spec, f"lacks an array or holds one of another shape: {error}"
        ) from error


def _of_kind(spec: str, file: ModelFile) -> QualityModel:
    from indexer.quality.files import QualityModelError

    kind = file.header.get("kind")
    if kind == "features":
        from indexer.quality.surface import SurfaceQuality

        return SurfaceQuality.from_file(spec, file)
    if kind == "h21":
        from indexer.quality.heimdall import HeimdallQuality

        return HeimdallQuality.from_file(spec, file)
    raise QualityModelError(spec, f"holds a model of kind {kind!r}; known kinds: features, h21")
