"""Stages that mix the earlier scores with their own: S = μ·I + (1 − μ)·R (W22)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.engine.stages.base import Floats, Step
from argsearch.indexer.format.settings import setting
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.reranking.mixture import MU_PREMISES, mixed, mixture


@dataclass(frozen=True, slots=True)
class Mixing:
    """A stage that mixes the earlier scores with R, both scaled within the list."""

    formula: ClassVar[str] = "mixture, mu × I + (1 - mu) × R"
    needs: ClassVar[tuple[str, ...]] = ("texts",)

    mu: float = setting(
        MU_PREMISES, "μ: weight of the earlier ranking; R has 1 − μ", low=0.0, high=1.0
    )

    def mixed(self, scores: Floats, R: Floats) -> Step:
        """Order by the mixture of R and the earlier scores, with ties in the earlier order."""
        mix = mixture(scores, R, self.mu)
        order, n = mix.order(), len(scores)
        columns = {"I": mix.I[order], "R": mix.R[order], "x": np.asarray(R, np.float64)[order]}
        for symbol, ends in zip("IR", mix.ranges, strict=True):
            for name, end in zip(("low", "high"), ends, strict=True):
                columns[f"{name}_{symbol}"] = np.full(n, end)
        return Step(order, columns, {})

    def combine(self, **columns: Floats) -> Floats:
        """Return S = μ·I + (1 − μ)·R   (W22)."""
        return mixed(columns["I"], columns["R"], self.mu)

    def reason(self, values: Mapping[str, float], remarks: Mapping[str, str]) -> Explanation:
        """Return the value that was scaled to R."""
        raise NotImplementedError

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """Return μ and both scores, with the values that they were scaled from."""
        return (
            Explanation(self.mu, "mu, weight of the ranking so far", symbol="μ"),
            _scaled("I", before, values),
            _scaled("R", self.reason(values, remarks), values),
        )


def _scaled(symbol: str, of: Explanation, values: Mapping[str, float]) -> Explanation:
    low = Explanation(values[f"low_{symbol}"], "low, the minimum of the list")
    high = Explanation(values[f"high_{symbol}"], "high, the maximum of the list")
    if low.value == high.value:
        return Explanation(values[symbol], f"{symbol}, 0: all candidates have the same", (of,))
    said = f"{symbol}, scaled within the list: (x - low) / (high - low)"
    return Explanation(values[symbol], said, (of, low, high), symbol)
