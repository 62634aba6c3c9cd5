"""A scoring head over a text's features, linear or with a hidden layer, and its Adam optimiser.

s(x) = w · h + b, h = x or tanh(x·V + c). Features x [k] are standardised; all arrays are float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel

Floats = NDArray[np.float64]
Weights = dict[str, Floats]
"""`w` [h or k] and `b` [1]; with a hidden layer also `V` [k, h] and `c` [h]."""


def start(features: int, hidden: int, seed: int) -> Weights:
    """Return initial weights: zeros for a linear head, Glorot normal for a hidden layer."""
    if not hidden:
        return {"w": np.zeros(features), "b": np.zeros(1)}
    rng = np.random.default_rng(seed)
    return {
        "V": rng.normal(0.0, np.sqrt(2.0 / (features + hidden)), (features, hidden)),
        "c": np.zeros(hidden),
        "w": rng.normal(0.0, np.sqrt(2.0 / (hidden + 1)), hidden),
        "b": np.zeros(1),
    }


def forward(weights: Mapping[str, Floats], X: Floats) -> Floats:
    """Return s(x) of every row of X [n, k], float64[n]."""
    h = np.tanh(X @ weights["V"] + weights["c"]) if "V" in weights else X
    return np.asarray(h @ weights["w"] + weights["b"])


def backward(weights: Mapping[str, Floats], X: Floats, slope: Floats) -> Weights:
    """Return ∂L/∂weights. slope: the slope of the loss, ∂L/∂s [n]."""
    if "V" not in weights:
        return {"w": X.T @ slope, "b": np.array([slope.sum()])}
    h = np.tanh(X @ weights["V"] + weights["c"])
    inner = slope[:, None] * weights["w"] * (1.0 - h**2)  # tanh' = 1 − tanh²
    return {
        "V": X.T @ inner,
        "c": inner.sum(axis=0),
        "w": h.T @ slope,
        "b": np.array([slope.sum()]),
    }


@dataclass
class Adam:
    """Adam optimiser, which adapts the step of each weight (Kingma and Ba 2015; used by F22).

    Each step is m ← β₁m + (1 − β₁)g; v ← β₂v + (1 − β₂)g²; w ← w − α·m̂ / (√v̂ + ε), both
    bias-corrected.

    With `decay`, weights also decay: w ← w − α·decay·w (Loshchilov and Hutter 2019). The biases `b`
    and `c` do not decay.
    """

    rate: float
    """The learning rate α, above 0."""
    decay: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    steps: int = 0
    m: dict[str, Floats] = field(default_factory=dict)
    v: dict[str, Floats] = field(default_factory=dict)

    def step(self, weights: Mapping[str, Floats], gradient: Mapping[str, Floats]) -> None:
        """Update the weights in place by a step against the gradient."""
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


@kernel
def _linear(X: Any, w: Any, b: float, out: Any) -> None:
    for i in range(X.shape[0]):
        total = b
        for j in range(X.shape[1]):
            total += X[i, j] * w[j]
        out[i] = total


@kernel
def _hidden(X: Any, V: Any, c: Any, w: Any, b: float, out: Any) -> None:
    inner = np.empty(c.size)
    for i in range(X.shape[0]):
        inner[:] = c
        for j in range(X.shape[1]):
            x = X[i, j]
            for h in range(c.size):
                inner[h] += x * V[j, h]
        total = b
        for h in range(c.size):
            total += w[h] * np.tanh(inner[h])
        out[i] = total


def score(weights: Mapping[str, Floats], X: Floats) -> Floats:
    """Return `forward`, summed in a fixed order that does not depend on other rows or threads."""
    out, bias = np.empty(len(X)), float(weights["b"][0])
    rows = np.ascontiguousarray(X, np.float64)
    if "V" in weights:
        _hidden(rows, weights["V"], weights["c"], weights["w"], bias, out)
    else:
        _linear(rows, weights["w"], bias, out)
    return out
