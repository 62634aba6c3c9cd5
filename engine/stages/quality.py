"""The premises' quality relative to the other candidates for the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.engine.stages.base import Candidates, Floats, Step
from argsearch.indexer.format.settings import setting
from argsearch.ranking.combination import factor
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.numbers import QUALITY_READINGS, percentiles


@dataclass(frozen=True, slots=True)
class RelativeQuality:
    """Section [rerank.quality]: S · (1 + w·F), where F compares Q with the other candidates'.

    F is in [0, 1], and exact for the first `rerank.depth` candidates. The factor is at least 1, so
    a candidate never falls below hits that were not re-ranked.
    """

    name: ClassVar[str] = "quality"
    doc: ClassVar[str] = "the quality of the premises, relative to the other candidates'"
    formula: ClassVar[str] = "score, score so far × standing factor"
    needs: ClassVar[tuple[str, ...]] = ("quality",)

    weight: float = setting(1.0, "weight w of F", low=0.0, high=1000.0)
    mode: str = setting(
        "rank",
        "F: Q itself (absolute), the share of other candidates with a lower Q (rank), or the share "
        "that a normal distribution gives for the z-score (z)",
        choices=QUALITY_READINGS,
    )

    def step(self, candidates: Candidates) -> Step:
        """Order by S · (1 + w·F), ties by the earlier order."""
        Q = np.asarray(candidates.quality, np.float64)
        F, n = percentiles(Q, self.mode), len(Q)
        order = np.argsort(-self.combine(S=candidates.scores, F=F), kind="stable")
        ordered = np.sort(Q)
        worse = np.searchsorted(ordered, Q, "left")
        columns = {
            "S": candidates.scores,
            "F": F,
            "Q": Q,
            "worse": worse.astype(np.float64),
            "equal": np.searchsorted(ordered, Q, "right") - worse - 1.0,
            "others": np.full(n, n - 1.0),
            "mean": np.full(n, Q.mean()),
            "deviation": np.full(n, Q.std()),
        }
        said = [f"better argued than {w} of {n - 1} other candidates" for w in worse.tolist()]
        remarks = {"F": [said[i] for i in order.tolist()]}
        return Step(order, {name: column[order] for name, column in columns.items()}, remarks)

    def combine(self, **columns: Floats) -> Floats:
        """Return S' = S · (1 + w·F)."""
        return np.asarray(columns["S"] * factor(self.weight, columns["F"]))

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """Return the earlier score and the factor, with its weight and F."""
        weight = Explanation(self.weight, "weight of the standing", symbol="w")
        F = Explanation(
            values["F"], f"{_SAID[self.mode]}: {remarks['F']}", self._details(values), "F"
        )
        total = float(factor(self.weight, values["F"]))
        return before, Explanation(total, "standing factor, 1 + w × F", (weight, F), "1 + w·F")

    def _details(self, values: Mapping[str, float]) -> tuple[Explanation, ...]:
        """Return the values from which F is computed."""
        Q = Explanation(values["Q"], "Q, quality of the premises", symbol="Q")
        others = _FROM.get(self.mode, {}).items()
        return (Q, *(Explanation(values[name], said) for name, said in others))


_FROM = {
    "rank": {
        "worse": "candidates of lower quality",
        "equal": "other candidates of equal quality",
        "others": "other candidates",
    },
    "z": {
        "mean": "mean quality of the candidates",
        "deviation": "standard deviation of the candidates' quality",
    },
}
"""The values besides Q from which F is computed, by mode."""
_SAID = {
    "absolute": "F, the quality itself",
    "rank": "F, (lower + equal / 2) / others",
    "z": "F, 1 / (1 + e^(−1.702 × z)), z = (Q − mean) / deviation",
}
