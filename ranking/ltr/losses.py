"""The losses of learning to rank: a value and its gradient over one list (F22).

A new loss is a class here and its name in `LOSSES`.
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
    """A frozen dataclass: how badly scores s [n] order one list's labels y [n], y ≥ 0.

    Both are float64 of one length; higher is better. Name it in `LOSSES`.
    """

    def value(self, s: Floats, y: Floats) -> float:
        """The loss, at least 0."""

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """∂value/∂s, float64[n]."""


def better(y: Floats) -> NDArray[np.bool_]:
    """I[y_i > y_j], bool[n, n]: i should stand above j."""
    return np.asarray(y[:, None] > y[None, :])


def differences(s: Floats) -> Floats:
    """s_i − s_j, float64[n, n]."""
    return s[:, None] - s[None, :]


@dataclass(frozen=True, slots=True)
class MSE:
    """Mean squared error, pointwise: L = 1/n · Σ_i (s_i − y_i)²   (F22)."""

    def value(self, s: Floats, y: Floats) -> float:
        """1/n · Σ_i (s_i − y_i)²."""
        return float(np.mean((s - y) ** 2))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """2/n · (s_i − y_i)."""
        return np.asarray(2.0 / len(s) * (s - y))


@dataclass(frozen=True, slots=True)
class Hinge:
    """L = Σ_ij I[y_i > y_j] · max(0, 1 − (s_i − s_j))   (F22; Joachims 2002)."""

    def value(self, s: Floats, y: Floats) -> float:
        """Σ_ij I[y_i > y_j] · max(0, 1 − (s_i − s_j))."""
        return float(np.sum(better(y) * np.maximum(0.0, 1.0 - differences(s))))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Of each pair too near or wrong: −1 for i, +1 for j (0 where s_i − s_j is 1 exactly)."""
        pushed = (better(y) & (differences(s) < 1.0)).astype(np.float64)
        return np.asarray(pushed.sum(axis=0) - pushed.sum(axis=1))


@dataclass(frozen=True, slots=True)
class Logistic:
    """RankNet: L = Σ_ij I[y_i > y_j] · log(1 + e^{−(s_i − s_j)})   (F22; Burges et al. 2005)."""

    def value(self, s: Floats, y: Floats) -> float:
        """Σ_ij I[y_i > y_j] · log(1 + e^{−(s_i − s_j)}), without overflow."""
        return float(np.sum(better(y) * np.logaddexp(0.0, -differences(s))))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Of each pair: −σ(s_j − s_i) for i, +σ(s_j − s_i) for j."""
        pushed = better(y) * sigmoid(-differences(s))
        return np.asarray(pushed.sum(axis=0) - pushed.sum(axis=1))


@dataclass(frozen=True, slots=True)
class ListMLE:
    """L = −log Π_i e^{s_π(i)} / Σ_{k ≥ i} e^{s_π(k)}, π by falling y   (F22; Xia et al. 2008).

    Equal labels have no order of their own: the earlier item counts as the better one.
    """

    def value(self, s: Floats, y: Floats) -> float:
        """Σ_i log Σ_{k ≥ i} e^{s_π(k)} − s_π(i)."""
        ordered = s[np.argsort(-y, kind="stable")]
        return float(np.sum(_tails(ordered) - ordered))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Of the item at place k of π: Σ_{i ≤ k} e^{s_π(k)} / Σ_{l ≥ i} e^{s_π(l)} − 1."""
        order = np.argsort(-y, kind="stable")
        ordered = s[order]
        chance = np.exp(ordered[None, :] - _tails(ordered)[:, None])  # [i, k], k chosen i-th
        out = np.empty(len(s))
        out[order] = np.triu(np.minimum(chance, 1.0)).sum(axis=0) - 1.0
        return out


def _tails(s: Floats) -> Floats:
    """log Σ_{k ≥ i} e^{s_k} of every i, float64[n]."""
    return np.asarray(np.logaddexp.accumulate(s[::-1])[::-1])


@dataclass(frozen=True, slots=True)
class Softmax:
    """L = −Σ_i y_i · log(e^{s_i} / Σ_j e^{s_j})   (F22; ListNet, Cao et al. 2007).

    The labels are not normalised.
    """

    def value(self, s: Floats, y: Floats) -> float:
        """−Σ_i y_i · log softmax(s)_i, without overflow."""
        return float(-np.sum(y * (s - np.logaddexp.reduce(s))))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """softmax(s)_i · Σ_j y_j − y_i."""
        return np.asarray(np.exp(s - np.logaddexp.reduce(s)) * y.sum() - y)


@dataclass(frozen=True, slots=True)
class ApproxNDCG:
    """L = 1 − Σ_i g(y_i) / log₂(1 + r_i) / ideal DCG, r_i = 1 + Σ_{j≠i} σ((s_j − s_i)/τ)   (F22).

    Smooth ranks r stand for true ones (Qin, Liu and Li 2010). The thesis states no temperature
    τ; the gain is 2^y − 1 or y, relative to the list's best so that it never overflows (the
    quotient does not change). A list of no gain has the loss 0.
    """

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


LOSSES: dict[str, type[Loss]] = {
    "mse": MSE,
    "hinge": Hinge,
    "logistic": Logistic,
    "listmle": ListMLE,
    "softmax": Softmax,
    "approx-ndcg": ApproxNDCG,
}
"""Each loss' class, as a training configuration calls it."""


def make(name: str, **settings: Any) -> Loss:
    """The loss of that name, with those of the settings that it has.

    Raises ValueError for an unknown name, or a value that the loss does not take.
    """
    if name not in LOSSES:
        raise ValueError(f"loss is {name!r}; allowed: {', '.join(LOSSES)}")
    loss: Any = LOSSES[name]
    own = {one.name for one in fields(loss)}
    made: Loss = loss(**{key: value for key, value in settings.items() if key in own})
    return made
