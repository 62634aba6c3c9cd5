"""What models of surface features share: Q = P(argument) · clip(regression, 0, 1), text by text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.model_files import QUALITY, ModelFile
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.quality.surface.features import FEATURES, counts, derive
from argsearch.ranking.quality.surface.scanning import COUNTS

BATCH = 4096
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
    for start in range(0, len(premises), BATCH):
        texts = premises[start : start + BATCH]
        counted = counts(texts)
        logit, quality = score(derive(counted), texts)
        weighed = np.clip(quality, 0.0, 1.0) * sigmoid(logit + shift)
        out[start : start + BATCH] = np.where(counted[:, _WORDS] > 0, weighed, np.nan)
    return out
