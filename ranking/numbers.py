"""Small operations on lists of numbers that several formulas share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def minmax(values: ArrayLike) -> NDArray[np.float64]:
    """(x − min) / (max − min), float64[n] in [0, 1]; all 0 where every value is the same.

    values: float[n]. The order is kept: a larger value never becomes the smaller one.

    Raises ValueError for values that are not a list or not finite.
    """
    x = np.asarray(values, np.float64)
    if x.ndim != 1:
        raise ValueError(f"values have shape {x.shape}; allowed: one list, (n,)")
    if not np.isfinite(x).all():
        raise ValueError("values hold NaN or infinity; allowed: finite numbers")
    if not len(x) or x.min() == x.max():
        return np.zeros(len(x))
    if max(abs(x.min()), abs(x.max())) > np.finfo(np.float64).max / 2:
        x = x / 2  # so that max − min is finite
    return np.asarray((x - x.min()) / (x.max() - x.min()))
