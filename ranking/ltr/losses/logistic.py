"""Pairwise logistic: RankNet's cross-entropy (F22; Burges et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.ranking.ltr.losses.base import Floats, better, differences
from argsearch.ranking.numbers import sigmoid


@dataclass(frozen=True, slots=True)
class Logistic:
    """L = Σ_ij I[y_i > y_j] · log(1 + e^{−(s_i − s_j)})   (F22)."""

    name: ClassVar[str] = "logistic"

    def value(self, s: Floats, y: Floats) -> float:
        """Σ_ij I[y_i > y_j] · log(1 + e^{−(s_i − s_j)}), without overflow."""
        return float(np.sum(better(y) * np.logaddexp(0.0, -differences(s))))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Of each pair: −σ(s_j − s_i) for i, +σ(s_j − s_i) for j."""
        pushed = better(y) * sigmoid(-differences(s))
        return np.asarray(pushed.sum(axis=0) - pushed.sum(axis=1))
