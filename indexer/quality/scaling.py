"""How raw predictions of quality become Q in [0, 1] (H21)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.numbers import minmax

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
