"""The premises' similarity to the question as a third factor (future work in H21)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.engine.stages.base import Candidates, Floats, Step
from argsearch.ranking.combination import factor
from argsearch.ranking.explanation import Explanation


@dataclass(frozen=True, slots=True)
class PremiseFactor:
    """S · (1 + ω_P·P), P = max(0, cos(question, premises)); used by `[boost] premises`.

    The factor is at least 1, so a candidate never falls below hits that were not re-ranked. P is 0
    if the index has no encoder, just as C is 0 without clusters.
    """

    name: ClassVar[str] = "premises"
    doc: ClassVar[str] = "similarity of the premises as a third factor (H21's future work)"
    formula: ClassVar[str] = "score, score so far × premise factor"
    needs: ClassVar[tuple[str, ...]] = ("vectors", "encoder")

    weight: float = 1.0

    def step(self, candidates: Candidates) -> Step:
        """Order by S · (1 + ω_P·P); ties keep their earlier order."""
        P = self._similarities(candidates)
        order = np.argsort(-self.combine(S=candidates.scores, P=P), kind="stable")
        return Step(order, {"S": candidates.scores[order], "P": P[order]}, {})

    def _similarities(self, candidates: Candidates) -> Floats:
        """Return P of each candidate, float64[n] in [0, 1]."""
        from argsearch.indexer.encoders import question_row

        if not candidates.encoder.dimensions:
            return np.zeros(len(candidates))
        question = question_row(candidates.encoder, candidates.question)
        vectors = candidates.vectors.astype(np.float64)
        return np.asarray(np.maximum(0.0, vectors @ question.astype(np.float64)))

    def combine(self, **columns: Floats) -> Floats:
        """Return S' = S · (1 + ω_P·P)."""
        return np.asarray(columns["S"] * factor(self.weight, columns["P"]))

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """Return the earlier score and the factor, with its weight and P."""
        P = Explanation(values["P"], "P, similarity of the premises to the question", symbol="P")
        weight = Explanation(
            self.weight, "w_premises, weight of the premises' similarity", symbol="ω_P"
        )
        total = float(factor(self.weight, values["P"]))
        name = "premise factor, 1 + w_premises × P"
        return before, Explanation(total, name, (weight, P), symbol="1 + ω_P·P")
