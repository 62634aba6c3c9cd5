"""ApproxNDCG: nDCG with smooth ranks (F22; Qin, Liu and Li 2010)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.ranking.ltr.losses.base import Floats, differences
from argsearch.ranking.ltr.measures import GAINS, gains
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.parameters import parameter


@dataclass(frozen=True, slots=True)
class ApproxNDCG:
    """L = 1 − Σ_i g(y_i) / log₂(1 + r_i) / ideal DCG, r_i = 1 + Σ_{j≠i} σ((s_j − s_i)/τ)   (F22).

    The thesis states no temperature τ; the gain is 2^y − 1 or y, relative to the list's best so
    that it never overflows (the quotient does not change). A list of no gain has the loss 0.
    """

    name: ClassVar[str] = "approx-ndcg"

    temperature: float = parameter(
        0.1, "τ of the smooth ranks: the lower, the nearer to true ranks", low=1e-3, high=100.0
    )
    gain: str = parameter("exponential", "what a label gains: 2^y − 1, or y", choices=GAINS)

    def __post_init__(self) -> None:
        if not 0 < self.temperature < math.inf:
            raise ValueError(f"temperature is {self.temperature}; allowed: above 0")
        if self.gain not in GAINS:
            raise ValueError(f"gain is {self.gain!r}; allowed: {', '.join(GAINS)}")

    def value(self, s: Floats, y: Floats) -> float:
        """1 − DCG at smooth ranks / ideal DCG."""
        g = self._shares(y)
        return 1.0 - float(np.sum(g / np.log2(1.0 + self._ranks(s)))) if g.any() else 0.0

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Through d(1/log₂(1+r))/dr = −ln 2 / ((1+r) ln²(1+r)) and dσ(x)/dx = σ(x)(1 − σ(x))."""
        g, r = self._shares(y), self._ranks(s)
        slope = g * math.log(2.0) / ((1.0 + r) * np.log1p(r) ** 2)  # ∂L/∂r_i
        steep = sigmoid(-differences(s) / self.temperature)
        steep = steep * (1.0 - steep) / self.temperature  # ∂r_i/∂s_j, j ≠ i; −its sum for j = i
        np.fill_diagonal(steep, 0.0)
        return np.asarray(slope @ steep - slope * steep.sum(axis=1))

    def _ranks(self, s: Floats) -> Floats:
        """r_i = 1 + Σ_{j≠i} σ((s_j − s_i)/τ), float64[n]; σ(0) = ½ of i itself is taken off."""
        return np.asarray(0.5 + sigmoid(-differences(s) / self.temperature).sum(axis=1))

    def _shares(self, y: Floats) -> Floats:
        """g(y_i) / ideal DCG, float64[n]."""
        g = gains(y, self.gain)
        ideal = float(np.sum(-np.sort(-g) / np.log2(2.0 + np.arange(len(g)))))
        return np.asarray(g / ideal) if ideal > 0 else np.zeros(len(g))
