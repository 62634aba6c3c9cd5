"""Models that predict argument quality (Q, H21); they are loaded from verified files.

model = load_quality_model("default")
model.predict(["Premises, joined by a space."])      # float32[1] in [0, 1]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.indexer.errors import InvalidParameter, either, short
from argsearch.indexer.model_files import QUALITY, shipped
from argsearch.indexer.model_places import model_path
from argsearch.ranking.numbers import minmax

DEFAULT_FILE = shipped("quality-default")
SHIPPED_MODELS = {"default": DEFAULT_FILE, "words": shipped("quality-words")}


SCALES = ("clip", "minmax")
"""Ways to scale a corpus's raw predictions to Q. `clip` clips them to [0, 1] (the paper); `minmax`
rescales them (presumably as the author did)."""


def scale_quality(raw: ArrayLike, how: str) -> NDArray[np.float32]:
    """Return a corpus's raw predictions scaled to Q in [0, 1], float32[n]; NaN (no argument) is 0.

    `clip` cuts predictions off at 0 and 1. `minmax` maps the lowest prediction for an argument to 0
    and the highest to 1 (if all are equal, it clips). Raises InvalidParameter for any other `how`.
    """
    if how not in SCALES:
        raise InvalidParameter("quality_scale", how, either(SCALES))
    values = minmax(raw) if how == "minmax" else np.asarray(raw, dtype=np.float64)
    return np.clip(np.nan_to_num(values, nan=0.0), 0.0, 1.0).astype(np.float32)


@dataclass(frozen=True)
class QualityModel:
    """Predicts the quality of premises; a text has the same quality in any batch or process."""

    name: str
    """Spec from which the model was loaded: `default`, `words`, `none` or the given path."""
    sha256: str
    """SHA-256 of the model file, in hexadecimal; empty for `none`."""
    header: dict[str, Any]
    """The model's description, from its file."""

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Return predictions before `scale_quality`, float32[n]; NaN: not an argument."""
        raise NotImplementedError

    def predict(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Return Q clipped to [0, 1], float32[n]; 0 for a text that is not an argument."""
        return scale_quality(self.raw(premises), "clip")


class NoQuality(QualityModel):
    """The model `none`: every text has quality 0, so the quality factor in Eq. 1 is 1 (H21)."""

    def __init__(self) -> None:
        super().__init__("none", "", {})

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Return zeros, float32[n]."""
        return np.zeros(len(premises), dtype=np.float32)


def load_quality_model(spec: str) -> QualityModel:
    """Load the model `default` or `words` (both ship with the package), `none`, or one at a path.

    `argsearch train quality` makes a file, `argsearch train ltr` a folder. Raises ModelError, in
    one line with the remedy, if the model is missing, foreign, newer or damaged.
    """
    if spec == "none":
        return NoQuality()
    path = SHIPPED_MODELS.get(spec) or model_path(spec)
    if path.is_dir():
        from argsearch.indexer.quality.listwise import ListwiseQuality

        return ListwiseQuality.open(str(path))
    from argsearch.indexer.quality.kinds import KINDS

    file = QUALITY.read(path)
    kind = file.header.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        what = f"has unknown kind {short(repr(kind))}; the kinds are {', '.join(KINDS)}"
        raise QUALITY.error(spec, what)
    with QUALITY.unpacking(spec):
        return KINDS[kind].from_file(spec, file)


def described(spec: str) -> dict[str, str] | None:
    """Return a model's entry for the manifest, or None for `none`; see `load_quality_model`."""
    if spec == "none":
        return None
    model = load_quality_model(spec)
    return {"name": model.name, "sha256": model.sha256}
