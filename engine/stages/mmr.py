"""Maximal marginal relevance: results that are relevant and differ from each other (W22)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.engine.stages.base import Candidates, Floats, Step
from argsearch.indexer.format.settings import setting
from argsearch.ranking.explanation import Explanation


@dataclass(frozen=True, slots=True)
class MMR:
    """Section [rerank.mmr].

    sim(s, q) is a candidate's score divided by the best score. sim(s, s') is (1 + cos)/2 of the
    premises' embeddings. Both are in [0, 1], so scores never rise from one pick to the next.
    """

    name: ClassVar[str] = "mmr"
    doc: ClassVar[str] = "maximal marginal relevance: relevant, and unlike the hits above (W22)"
    formula: ClassVar[str] = (
        "marginal relevance, lambda × similarity to the query − (1 − lambda) × redundancy"
    )
    needs: ClassVar[tuple[str, ...]] = ("vectors", "encoder")

    trade_off: float = setting(
        0.75, "MMR's λ: 1 is relevance alone, 0 is variety alone", low=0.0, high=1.0
    )

    def step(self, candidates: Candidates) -> Step:
        """Return the candidates in the order in which MMR picks them."""
        from argsearch.ranking.reranking.mmr import mmr

        n = len(candidates)
        # Negative weights are allowed, so it can happen that no score is above 0.
        best = float(candidates.scores[0]) if candidates.scores[0] > 0 else 1.0
        vectors = candidates.vectors
        shifted = np.hstack([vectors, np.ones((n, 1))]) / np.sqrt(2.0)  # dot products: (1 + cos)/2
        picks = mmr(candidates.scores / best, shifted, n, self.trade_off)
        columns = {
            "relevance": picks.relevance,
            "redundancy": picks.redundancy,
            "best": np.full(n, best),
        }
        likest = [
            f"the most similar above, at rank {above + 1}" if above >= 0 else "nothing above it"
            for above in picks.nearest.tolist()
        ]
        return Step(picks.order, columns, {"redundancy": likest})

    def combine(self, **columns: Floats) -> Floats:
        """Return λ·sim(s, q) − (1 − λ)·max sim(s, s')   (Carbonell & Goldstein 1998; W22)."""
        from argsearch.ranking.reranking.mmr import marginal_relevance

        return marginal_relevance(columns["relevance"], columns["redundancy"], self.trade_off)

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """Return λ, the similarity to the query with its derivation, and the redundancy."""
        best = Explanation(values["best"], "score of the best hit")
        return (
            Explanation(self.trade_off, "lambda, weight of relevance against novelty", symbol="λ"),
            Explanation(
                values["relevance"],
                "similarity to the query, score / score of the best hit",
                (before, best),
                symbol="sim(s, q)",
            ),
            Explanation(
                values["redundancy"],
                f"redundancy, similarity to {remarks['redundancy']}",
                symbol="sim(s, s')",
            ),
        )
