"""Re-ranking of the best hits for variety: maximal marginal relevance (W22)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.backends.base import Backend, Ranking
from engine.config import Rerank
from engine.query import Query
from indexer.corpus.argument import Argument
from indexer.errors import InvalidParameter
from ranking.explanation import Explanation
from ranking.reranking import mmr as diversity
from ranking.reranking.mmr import Picks

if TYPE_CHECKING:
    from indexer.encoders import Encoder


def rerank(backend: Backend, query: Query, settings: Rerank, encoder: Encoder) -> Reranked:
    """The `settings.depth` best hits in the order of MMR, cut to the query's page.

    sim(s, q) is a hit's score over the best score; sim(s, s') is (1 + cos)/2 of the premises'
    embeddings. Both lie in [0, 1], so that no pick scores above the one before it.

    Raises InvalidParameter when the page ends beyond the depth, or the index has no encoder.
    """
    if query.offset + query.k > settings.depth:
        allowed = f"at least offset + k = {query.offset + query.k} (or ask for fewer hits)"
        raise InvalidParameter("rerank.depth", settings.depth, allowed)
    if not encoder.dimensions:
        raise InvalidParameter(
            "rerank.method", settings.method, "none, for the index has no encoder"
        )
    base = backend.search(replace(query, k=settings.depth, offset=0))
    n = len(base.scores)
    best = float(base.scores[0]) if n and base.scores[0] > 0 else 1.0
    if not n:
        return Reranked(base, None, settings.trade_off, best, slice(0))
    vectors = encoder.encode([base.argument(i).premise for i in range(n)])
    shifted = np.hstack([vectors, np.ones((n, 1))]) / np.sqrt(2.0)  # dot products: (1 + cos)/2
    picks = diversity.mmr(base.scores / best, shifted, n, settings.trade_off)
    page = slice(query.offset, min(query.offset + query.k, n))
    return Reranked(base, picks, settings.trade_off, best, page)


@dataclass(frozen=True)
class Reranked:
    """A page of re-ranked hits; the score is the marginal relevance, which never rises."""

    base: Ranking
    picks: Picks | None
    trade_off: float
    best: float
    page: slice

    @property
    def _order(self) -> list[int]:
        return [] if self.picks is None else self.picks.order[self.page].tolist()

    @property
    def scores(self) -> NDArray[np.float64]:
        """Marginal relevance of each hit, float64[n]."""
        return np.zeros(0) if self.picks is None else self.picks.values[self.page]

    @property
    def total(self) -> int:
        """How many arguments match, beyond the re-ranked ones too."""
        return self.base.total

    def ids(self) -> list[str]:
        """The id of each hit."""
        ids = self.base.ids()
        return [ids[i] for i in self._order]

    def argument(self, i: int) -> Argument:
        """The i-th hit's document."""
        return self.base.argument(self._order[i])

    def explanation(self, i: int) -> Explanation:
        """The pick's marginal relevance, and under it the score that it came with."""
        assert self.picks is not None
        pick = diversity.explain(self.picks, self.page.start + i, self.trade_off)
        weight, similarity, redundancy = pick.details
        score = self.base.explanation(self._order[i])
        best = Explanation(self.best, "score of the best hit")
        relevance = Explanation(
            similarity.value,
            "similarity to the query, score / score of the best hit",
            (score, best),
        )
        return replace(pick, details=(weight, relevance, redundancy))
