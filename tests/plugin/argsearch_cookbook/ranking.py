"""What ranks: a stage and a unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from argsearch.engine.stages.base import Candidates, Step
from argsearch.engine.units.base import SearchRequest, Unit
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.parameters import parameter


@dataclass(frozen=True, slots=True)
class Brevity:
    """Section [rerank.brevity]: the shorter of the best hits first."""

    name: ClassVar[str] = "brevity"
    doc: ClassVar[str] = "the shorter a text, the higher"
    formula: ClassVar[str] = "1 / (1 + words / half)"
    needs: ClassVar[tuple[str, ...]] = ("texts",)

    half: float = parameter(100.0, "words at which the score is a half", low=1.0, high=10_000.0)

    def step(self, candidates: Candidates) -> Step:
        """Order by length."""
        words = np.array([len(text.split()) for text in candidates.texts], np.float64)
        order = np.argsort(words, kind="stable")
        return Step(order, {"words": words[order]}, {})

    def combine(self, **columns: Any) -> Any:
        """Return 1 / (1 + words / half)."""
        return 1.0 / (1.0 + columns["words"] / self.half)

    def explain(self, values: Any, remarks: Any, before: Explanation) -> tuple[Explanation, ...]:
        """Return the words, and the score until here."""
        return Explanation(values["words"], "words of the text", symbol="words"), before


class Conclusions(Unit):
    """The unit `conclusions`: each distinct one once, by its best argument."""

    name = "conclusions"
    singular = "conclusion"
    doc = "distinct conclusions, by their best argument"
    takes = ("offset",)

    def retrieve(self, request: SearchRequest) -> Candidates:
        """Return the best conclusions of the first ten times as many hits."""
        hits = self.engine.search(request.text, k=10 * request.k, config=request.config).hits
        best: dict[str | None, int] = {}
        for place, hit in enumerate(hits):
            best.setdefault(hit.conclusion, place)
        places = np.array(list(best.values()), np.int64)
        return hits.candidates.take(places[request.page], len(best))
