"""Words and their forms: relevance by the words as they stand, mixed with that of their stems.

R_forms takes all terms of the collection with one stem for one term: its tf, df and ttf are those
of the class. Half and half does best on the collection of Webis-ArgQuality-20 (docs/formulas.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.explanation import Explanation


def mixed(R_plain: ArrayLike, R_forms: ArrayLike, f: float) -> NDArray[np.float64]:
    """R = (1 − f) · R_plain + f · R_forms, both ≥ 0; f in [0, 1], else ValueError."""
    if not 0.0 <= f <= 1.0:
        raise ValueError(f"f is {f}; allowed: a number from 0 to 1")
    plain, forms = np.asarray(R_plain, np.float64), np.asarray(R_forms, np.float64)
    return np.asarray((1.0 - f) * plain + f * forms)


def explain(plain: Explanation, forms: Explanation, f: float) -> Explanation:
    """The tree whose root is `mixed(plain.value, forms.value, f)`."""
    weight = Explanation(f, "f, weight of the word forms")
    value = float(mixed(plain.value, forms.value, f))
    said = "R, relevance: (1 - f) × R_plain + f × R_forms"
    return Explanation(value, said, (weight, plain, forms), "R")
