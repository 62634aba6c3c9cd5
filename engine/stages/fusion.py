"""Fusion of the rankings by words and by meaning (docs/meaning.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.engine.stages.base import Candidates, Floats, Step
from argsearch.ranking.combination import KAPPA, NOWHERE, raised, reach, reciprocal_ranks
from argsearch.ranking.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Fusion:
    """F = 1 / (κ + rank by words) + ω_M / (κ + rank by meaning); used by `[meaning] weight`.

    The first `depth` hits by words and by meaning are fused; other hits follow. A hit in only one
    list gets that list's term alone. ω_M rises to `paraphrase_weight` if words miss near arguments
    (`ranking.combination.reach`).
    """

    name: ClassVar[str] = "meaning"
    doc: ClassVar[str] = "nearest arguments by meaning added and fused with those by words, by rank"
    formula: ClassVar[str] = "score, reciprocal ranks: by words + w_meaning × by meaning"
    needs: ClassVar[tuple[str, ...]] = ("meaning",)

    weight: float = 0.5
    depth: int = 100
    paraphrase_weight: float = 0.0

    def step(self, candidates: Candidates) -> Step:
        """Order by F, ties by the earlier order."""
        assert candidates.source.fused is not None, "the unit found them by meaning"
        found = candidates.source.fused.near(candidates.rows)
        place = np.arange(1.0, len(candidates) + 1)
        words = np.where((place <= self.depth) & (found["found"] > 0), place, NOWHERE)
        M = found["M"]
        reached = reach(M[found["found"] > 0], M[np.isfinite(found["near"])])
        weight = np.full(len(M), raised(self.weight, self.paraphrase_weight, reached))
        columns = {"words": words, "weight": weight, "reach": np.full(len(M), reached), **found}
        fused = reciprocal_ranks(words, found["near"], weight)
        order = np.argsort(-fused, kind="stable")
        return Step(order, {name: column[order] for name, column in columns.items()}, {})

    def combine(self, **columns: Floats) -> Floats:
        """Return F of the ranks."""
        return reciprocal_ranks(columns["words"], columns["near"], columns["weight"])

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """Return one term for each list: its rank, and the values that the rank comes from."""
        words = self._term("words", 1.0, values["words"], (before,))
        names = {
            "M": "M, mean of the cosines of the question with",
            "claim": "conclusion, cosine with the question",
            "passage": "best passage of the premises, or all of them, cosine with the question",
        }
        parts = tuple(
            Explanation(values[key], names[key])
            for key in ("claim", "passage")
            if np.isfinite(values[key])
        )
        M = Explanation(values["M"], names["M"], parts, symbol="M")
        said = f"ω_M, for what words find comes to {values['reach']:.2f} of the nearest"
        weight = Explanation(values["weight"], said, symbol="ω_M")
        details = (M,) if values["weight"] == self.weight else (M, weight)
        return words, self._term("meaning", values["weight"], values["near"], details)

    def _term(
        self, by: str, weight: float, rank: float, details: tuple[Explanation, ...]
    ) -> Explanation:
        symbol = f"1 / (κ + rank by {by})"
        if not np.isfinite(rank):
            said = f"not among the first {self.depth} by {by}"
            return Explanation(0.0, said, details, symbol=symbol)
        said = f"{weight:g} / ({KAPPA} + {rank:.0f}), rank {rank:.0f} by {by}"
        return Explanation(weight / (KAPPA + rank), said, details, symbol=symbol)
