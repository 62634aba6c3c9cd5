"""The argument graph, in which arguments rank high if high-ranked ones build on them (W22)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stages.base import Candidates, Step
from argsearch.engine.stages.mixing import Mixing
from argsearch.indexer.format.settings import setting
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.reranking.pagerank import COSINE, DAMPING, SIMILARITY, explain, pagerank


@dataclass(frozen=True, slots=True)
class Graph(Mixing):
    """Section [rerank.graph]: mixes in PageRank among the candidates.

    An edge leads from an argument to every argument whose conclusion is one of its premises.
    Sentences are split and embedded at query time, which takes .3 to 1 s for 100 arguments.
    """

    name: ClassVar[str] = "graph"
    doc: ClassVar[str] = "PageRank of arguments that reuse conclusions, mixed with the score (W22)"
    needs: ClassVar[tuple[str, ...]] = ("texts", "encoder")

    cosine: float = setting(
        COSINE, "smallest cosine at which a premise counts as a conclusion", low=0.5, high=1.0
    )
    similarity: float = setting(
        SIMILARITY,
        "or smallest word mover's similarity, 1 / (1 + distance)",
        low=0.01,
        high=0.99,
    )
    damping: float = setting(DAMPING, "PageRank's d", low=0.0, high=0.99)

    def step(self, candidates: Candidates) -> Step:
        """Order by the mixture of PageRank and the earlier scores."""
        from argsearch.indexer.parts.pairs.comparing import links

        n = len(candidates)
        edges = links(candidates.arguments, candidates.encoder, self.cosine, self.similarity) > 0
        ranks = pagerank(edges, self.damping)
        step = self.mixed(candidates.scores, ranks.values)
        columns = {
            **step.columns,
            "brought": ranks.brought[step.order],
            "loose": np.full(n, ranks.loose),
            "n": np.full(n, float(n)),
        }
        users = [_users(np.flatnonzero(edges[:, v])) for v in step.order.tolist()]
        return Step(step.order, columns, {"brought": users})

    def reason(self, values: Mapping[str, float], remarks: Mapping[str, str]) -> Explanation:
        """Return the derivation of PageRank. W22 mixes its re-rankers in the same way."""
        brought = Explanation(values["brought"], f"brought, by {remarks['brought']}")
        return explain(int(values["n"]), brought, values["loose"], self.damping)


def _users(places: NDArray[np.int64]) -> str:
    """Describe the arguments that have the conclusion as a premise, with their earlier ranks."""
    if not len(places):
        return "no argument uses its conclusion as a premise"
    ranks = ", ".join(str(place + 1) for place in places.tolist())
    return f"the arguments at ranks {ranks} so far, which use its conclusion as a premise"
