"""A part of a ranking, its order kept: the hits on a side, near-copies folded, a page of either."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.backends.base import Ranking
from indexer.corpus.argument import Argument
from ranking.explanation import Explanation


@dataclass(frozen=True)
class Picked:
    """Some hits of a ranking."""

    base: Ranking
    rows: NDArray[np.int64]
    """int64[n], their places in it, ascending."""
    total: int
    """How many there are beyond the page, as far as they were looked for."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each, float64[n]."""
        return self.base.scores[self.rows]

    def ids(self) -> list[str]:
        """The id of each."""
        ids = self.base.ids()
        return [ids[row] for row in self.rows.tolist()]

    def argument(self, i: int) -> Argument:
        """The i-th hit's document."""
        return self.base.argument(int(self.rows[i]))

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32] | None:
        """The stored vectors of hits' premises."""
        return self.base.vectors(self.rows[rows])

    def explanation(self, i: int) -> Explanation:
        """The tree behind the i-th hit's score."""
        return self.base.explanation(int(self.rows[i]))
