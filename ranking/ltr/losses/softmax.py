"""Softmax cross-entropy: labels as a distribution over the list (F22; Cao et al. 2007, ListNet)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.ranking.ltr.losses.base import Floats


@dataclass(frozen=True, slots=True)
class Softmax:
    """L = −Σ_i y_i · log(e^{s_i} / Σ_j e^{s_j})   (F22); the labels are not normalised."""

    name: ClassVar[str] = "softmax"

    def value(self, s: Floats, y: Floats) -> float:
        """−Σ_i y_i · log softmax(s)_i, without overflow."""
        return float(-np.sum(y * (s - np.logaddexp.reduce(s))))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """softmax(s)_i · Σ_j y_j − y_i."""
        return np.asarray(np.exp(s - np.logaddexp.reduce(s)) * y.sum() - y)
