"""Pairwise hinge: the better item is to score at least 1 more (F22; Joachims 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.ranking.ltr.losses.base import Floats, better, differences


@dataclass(frozen=True, slots=True)
class Hinge:
    """L = Σ_ij I[y_i > y_j] · max(0, 1 − (s_i − s_j))   (F22)."""

    name: ClassVar[str] = "hinge"

    def value(self, s: Floats, y: Floats) -> float:
        """Σ_ij I[y_i > y_j] · max(0, 1 − (s_i − s_j))."""
        return float(np.sum(better(y) * np.maximum(0.0, 1.0 - differences(s))))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Of each pair too near or wrong: −1 for i, +1 for j (0 where s_i − s_j is 1 exactly)."""
        pushed = (better(y) & (differences(s) < 1.0)).astype(np.float64)
        return np.asarray(pushed.sum(axis=0) - pushed.sum(axis=1))
