"""What the stages share that mix the ranking so far with a distance: S = μ·I + (1 − μ)·R (W22)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from argsearch.engine.stages.base import Candidates, Floats, Step
from argsearch.indexer.format.settings import setting
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.reranking.mixture import MU_PREMISES, READINGS, mixed, mixture

FORMULA = "mixture, mu × I + (1 - mu) × R"


def mu_setting() -> float:
    """The key `mu` of such a stage."""
    value: float = setting(
        MU_PREMISES, "μ: 1 is the ranking so far alone, 0 is this stage's alone", low=0.0, high=1.0
    )
    return value


@dataclass(frozen=True, slots=True)
class Mixing:
    """A stage that mixes the ranking so far with a distance between texts."""

    formula: ClassVar[str] = FORMULA
    needs: ClassVar[tuple[str, ...]] = ("texts",)
    meaning: ClassVar[str]
    """What R is, with {mode} in it."""

    mu: float = mu_setting()
    mode: str = setting(
        "similarity",
        "what R is: the distance (as W22 can be read: farther is higher), or the similarity",
        choices=READINGS,
    )

    def read(self, candidates: Candidates) -> Floats:
        """Return R of each candidate, by the mode."""
        raise NotImplementedError

    def step(self, candidates: Candidates) -> Step:
        """By the mixture of the scores so far with R."""
        return step(candidates.scores, self.read(candidates), self.mu)

    def combine(self, **columns: Floats) -> Floats:
        """S = μ·I + (1 − μ)·R   (W22)."""
        return combine(columns, self.mu)

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """The mixture's parts."""
        return explain(values, self.mu, before, self.meaning.format(mode=self.mode))


def step(scores: Floats, other: ArrayLike, mu: float) -> Step:
    """By the mixture, of equal ones the earlier first; scores and R scaled within the list."""
    mix = mixture(scores, other, mu)
    order = mix.order()
    (low_I, high_I), (low_R, high_R) = mix.ranges
    n = len(order)
    columns = {
        "I": mix.I[order],
        "R": mix.R[order],
        "x": np.asarray(other, np.float64)[order],
        "low_I": np.full(n, low_I),
        "high_I": np.full(n, high_I),
        "low_R": np.full(n, low_R),
        "high_R": np.full(n, high_R),
    }
    return Step(order, columns, {})


def combine(columns: Mapping[str, Floats], mu: float) -> Floats:
    """S = μ·I + (1 − μ)·R   (W22)."""
    return mixed(columns["I"], columns["R"], mu)


def explain(
    values: Mapping[str, float], mu: float, before: Explanation, meaning: str | Explanation
) -> tuple[Explanation, ...]:
    """μ, and both scores with what they were scaled from; meaning: what x is, or its tree."""
    x = meaning if isinstance(meaning, Explanation) else Explanation(values["x"], meaning)
    return (
        Explanation(mu, "mu, weight of the ranking so far", symbol="μ"),
        _scaled("I", before, values),
        _scaled("R", x, values),
    )


def _scaled(symbol: str, of: Explanation, values: Mapping[str, float]) -> Explanation:
    low = Explanation(values[f"low_{symbol}"], "low, the least in the list")
    high = Explanation(values[f"high_{symbol}"], "high, the greatest in the list")
    if low.value == high.value:
        return Explanation(values[symbol], f"{symbol}, 0: all candidates have the same", (of,))
    said = f"{symbol}, scaled within the list: (x - low) / (high - low)"
    return Explanation(values[symbol], said, (of, low, high), symbol)
