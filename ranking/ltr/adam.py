"""Adam: steps sized by each weight's own gradients (Kingma and Ba 2015; F22 trains with it)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass
class Adam:
    """m ← β₁m + (1 − β₁)g; v ← β₂v + (1 − β₂)g²; w ← w − α·m̂ / (√v̂ + ε), both unbiased.

    `decay` shrinks the weights beside that, w ← w − α·decay·w (Loshchilov and Hutter 2019);
    biases, which are `b` and `c`, stay.
    """

    rate: float
    """α."""
    decay: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    steps: int = 0
    m: dict[str, Floats] = field(default_factory=dict)
    v: dict[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (0 < self.rate < np.inf and 0 <= self.decay < np.inf):
            allowed = "rate above 0, decay from 0"
            raise ValueError(f"rate is {self.rate}, decay is {self.decay}; allowed: {allowed}")

    def step(self, weights: Mapping[str, Floats], gradient: Mapping[str, Floats]) -> None:
        """Change the weights in place by one step against the gradient."""
        self.steps += 1
        for name, w in weights.items():
            g = gradient[name]
            m = self.m.setdefault(name, np.zeros_like(w))
            v = self.v.setdefault(name, np.zeros_like(w))
            m += (1 - self.beta1) * (g - m)
            v += (1 - self.beta2) * (g**2 - v)
            if name not in ("b", "c"):
                w -= self.rate * self.decay * w
            unbiased = m / (1 - self.beta1**self.steps)
            scale = np.sqrt(v / (1 - self.beta2**self.steps)) + self.epsilon
            w -= self.rate * unbiased / scale
