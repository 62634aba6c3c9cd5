"""Losses for learning to rank: value and gradient over one list (F22).

To add a loss, define its class here and add its name to `LOSSES`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.ltr.measures import GAINS, gains
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.parameters import parameter

Floats = NDArray[np.float64]


class Loss(Protocol):
    """Interface of a loss: how badly scores s [n] order the labels y [n] of one list, y ≥ 0.

    Implement it as a frozen dataclass and add it to `LOSSES`. Higher scores are better.
    """

    def value(self, s: Floats, y: Floats) -> float:
        """Return the loss, at least 0."""

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Return ∂value/∂s, float64[n]."""


def better(y: Floats) -> NDArray[np.bool_]:
    """Return I[y_i > y_j], bool[n, n], which is true if i should rank above j."""
    return np.asarray(y[:, None] > y[None, :])


def differences(s: Floats) -> Floats:
    """Return s_i − s_j, float64[n, n]."""
    return s[:, None] - s[None, :]


@dataclass(frozen=True, slots=True)
class MSE:
    """Mean squared error, pointwise: L = 1/n · Σ_i (s_i − y_i)²   (F22)."""

    def value(self, s: Floats, y: Floats) -> float:
        """Return 1/n · Σ_i (s_i − y_i)²."""
        return float(np.mean((s - y) ** 2))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Return 2/n · (s_i − y_i)."""
        return np.asarray(2.0 / len(s) * (s - y))


@dataclass(frozen=True, slots=True)
class Hinge:
    """Hinge loss: L = Σ_ij I[y_i > y_j] · max(0, 1 − (s_i − s_j))   (F22; Joachims 2002)."""

    def value(self, s: Floats, y: Floats) -> float:
        """Return Σ_ij I[y_i > y_j] · max(0, 1 − (s_i − s_j))."""
        return float(np.sum(better(y) * np.maximum(0.0, 1.0 - differences(s))))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Return the sum over pairs within the margin: −1 for i, +1 for j, 0 if s_i − s_j is 1."""
        pushed = (better(y) & (differences(s) < 1.0)).astype(np.float64)
        return np.asarray(pushed.sum(axis=0) - pushed.sum(axis=1))


@dataclass(frozen=True, slots=True)
class Logistic:
    """RankNet: L = Σ_ij I[y_i > y_j] · log(1 + e^{−(s_i − s_j)})   (F22; Burges et al. 2005)."""

    def value(self, s: Floats, y: Floats) -> float:
        """Return Σ_ij I[y_i > y_j] · log(1 + e^{−(s_i − s_j)}), without overflow."""
        return float(np.sum(better(y) * np.logaddexp(0.0, -differences(s))))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Return the sum over pairs: −σ(s_j − s_i) for i and +σ(s_j − s_i) for j."""
        pushed = better(y) * sigmoid(-differences(s))
        return np.asarray(pushed.sum(axis=0) - pushed.sum(axis=1))


@dataclass(frozen=True, slots=True)
class ListMLE:
    """L = −log Π_i e^{s_π(i)} / Σ_{k ≥ i} e^{s_π(k)}, π by descending y   (F22; Xia et al. 2008).

    The earlier of two items with equal labels counts as better.
    """

    def value(self, s: Floats, y: Floats) -> float:
        """Return Σ_i (log Σ_{k ≥ i} e^{s_π(k)} − s_π(i))."""
        ordered = s[np.argsort(-y, kind="stable")]
        return float(np.sum(_tails(ordered) - ordered))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Return, for the item at rank k of π, Σ_{i ≤ k} e^{s_π(k)} / Σ_{l ≥ i} e^{s_π(l)} − 1."""
        order = np.argsort(-y, kind="stable")
        ordered = s[order]
        chance = np.exp(ordered[None, :] - _tails(ordered)[:, None])  # [i, k]: k chosen i-th
        out = np.empty(len(s))
        out[order] = np.triu(np.minimum(chance, 1.0)).sum(axis=0) - 1.0
        return out


def _tails(s: Floats) -> Floats:
    """Return log Σ_{k ≥ i} e^{s_k} for every i, float64[n]."""
    return np.asarray(np.logaddexp.accumulate(s[::-1])[::-1])


@dataclass(frozen=True, slots=True)
class Softmax:
    """L = −Σ_i y_i · log(e^{s_i} / Σ_j e^{s_j})   (F22; ListNet, Cao et al. 2007).

    The labels are not normalised.
    """

    def value(self, s: Floats, y: Floats) -> float:
        """Return −Σ_i y_i · log softmax(s)_i, without overflow."""
        return float(-np.sum(y * (s - np.logaddexp.reduce(s))))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Return softmax(s)_i · Σ_j y_j − y_i."""
        return np.asarray(np.exp(s - np.logaddexp.reduce(s)) * y.sum() - y)


@dataclass(frozen=True, slots=True)
class ApproxNDCG:
    """L = 1 − Σ_i g(y_i) / log₂(1 + r_i) / ideal DCG, r_i = 1 + Σ_{j≠i} σ((s_j − s_i)/τ)   (F22).

    The smooth ranks r approximate the true ranks (Qin, Liu and Li 2010). The thesis does not state
    the temperature τ. The gain is 2^y − 1 or y. To avoid overflow it is divided by the list's best
    gain, which does not change the quotient. The loss of a list without gains is 0.
    """

    temperature: float = parameter(
        0.1, "τ of the smooth ranks; lower values are closer to true ranks", low=1e-3, high=100.0
    )
    gain: str = parameter("exponential", "gain of a label: 2^y − 1, or y", choices=GAINS)

    def value(self, s: Floats, y: Floats) -> float:
        """Return 1 − DCG at smooth ranks / ideal DCG."""
        g = self._shares(y)
        return 1.0 - float(np.sum(g / np.log2(1.0 + self._ranks(s)))) if g.any() else 0.0

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Return ∂L/∂s, from d(1/log₂(1+r))/dr = −ln 2 / ((1+r) ln²(1+r)) and σ' = σ(1 − σ)."""
        g, r = self._shares(y), self._ranks(s)
        slope = g * math.log(2.0) / ((1.0 + r) * np.log1p(r) ** 2)  # ∂L/∂r_i
        steep = sigmoid(-differences(s) / self.temperature)
        steep = steep * (1.0 - steep) / self.temperature  # ∂r_i/∂s_j, j ≠ i; −its sum for j = i
        np.fill_diagonal(steep, 0.0)
        return np.asarray(slope @ steep - slope * steep.sum(axis=1))

    def _ranks(self, s: Floats) -> Floats:
        """Return r_i = 1 + Σ_{j≠i} σ((s_j − s_i)/τ), float64[n]; 0.5 = 1 − σ(0) omits j = i."""
        return np.asarray(0.5 + sigmoid(-differences(s) / self.temperature).sum(axis=1))

    def _shares(self, y: Floats) -> Floats:
        """Return g(y_i) / ideal DCG, float64[n]."""
        g = gains(y, self.gain)
        ideal = float(np.sum(-np.sort(-g) / np.log2(2.0 + np.arange(len(g)))))
        return np.asarray(g / ideal) if ideal > 0 else np.zeros(len(g))


LOSSES: dict[str, type[Loss]] = {
    "mse": MSE,
    "hinge": Hinge,
    "logistic": Logistic,
    "listmle": ListMLE,
    "softmax": Softmax,
    "approx-ndcg": ApproxNDCG,
}
"""Class of each loss, by the loss's name in a training configuration."""


def make(name: str, **settings: Any) -> Loss:
    """Build the loss with this name from the settings it supports; other settings are ignored."""
    loss: Any = LOSSES[name]
    own = {one.name for one in fields(loss)}
    made: Loss = loss(**{key: value for key, value in settings.items() if key in own})
    return made
