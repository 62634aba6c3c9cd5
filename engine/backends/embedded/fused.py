"""Hits found by words in an index directory, combined with hits found by meaning."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.hits import EmbeddedRanking
from argsearch.engine.backends.embedded.meaning import Prototype
from argsearch.engine.stages.base import Floats, Ints


@dataclass(frozen=True)
class FusedRanking(EmbeddedRanking):
    """The first hits by words, then hits found only by meaning, then the other hits by words."""

    by_words: int = 0
    """Number of leading hits that were found by words."""
    nearest: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """The nearest documents by meaning, nearest first."""

    @property
    def fused(self) -> FusedRanking:
        """The ranking itself."""
        return self

    @property
    def head(self) -> int:
        """Number of hits to fuse: the first hits found by words, then those found by meaning."""
        return self.by_words + int(
            np.isin(self.numbers[self.by_words :], self.nearest, assume_unique=True).sum()
        )

    @property
    def by_meaning(self) -> int:
        """Number of hits without any of the words that count."""
        return len(self.more)

    def prototype(self, rows: Ints) -> Prototype:
        """Return the subject of the question, inferred from these rows."""
        return self.backend.meaning.prototype(self.search.query.text, self.numbers[rows])

    def near(self, rows: Ints) -> dict[str, Floats]:
        """Return the ranks by meaning and the values behind them."""
        docs, order = self.numbers[rows], np.argsort(self.nearest)
        rank = np.full(len(docs), np.inf)
        if len(order):
            at = np.searchsorted(self.nearest, docs, sorter=order).clip(max=len(order) - 1)
            rank = np.where(self.nearest[order[at]] == docs, order[at] + 1.0, np.inf)
        known = self.backend.meaning.of(self.search.query.text, docs)
        return {"found": np.asarray(rows < self.by_words, np.float64), "near": rank, **known}


def with_nearest(found: EmbeddedRanking) -> FusedRanking:
    """Add the nearest hits by meaning after as many hits by words; S = 0 if no word matches."""
    search, query = found.search, found.search.query
    # Arguments found by meaning need not contain any word of `Query.among`.
    listed = search.kept.listed if search.kept.filtered else None
    nearest = found.backend.meaning.nearest(query.text, query.near, listed)
    first, others = found.numbers[: query.near], found.numbers[query.near :]
    # A document in both lists appears once, and fusion looks up its rank by meaning.
    added = nearest[~np.isin(nearest, first, assume_unique=True)]
    S, matches = search.scores_of(added)
    if query.among is not None:
        matches &= np.isin(added, search.eligible.listed, assume_unique=True)
    # Documents that meaning moved up are left out of the lower hits by words.
    left = ~np.isin(others, added, assume_unique=True)
    return FusedRanking(
        np.concatenate([found.scores[: query.near], S, found.scores[query.near :][left]]),
        found.backend,
        search,
        np.concatenate([first, added, others[left]]),
        added[~matches],
        len(first),
        nearest,
    )
