"""Hits of an index directory by words, and those that are near the question by meaning."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.hits import EmbeddedRanking
from argsearch.engine.backends.embedded.meaning import Prototype
from argsearch.engine.stages.base import Floats, Ints


@dataclass(frozen=True)
class FusedRanking(EmbeddedRanking):
    """The first by words, then those that are near by meaning alone, then the others by words."""

    by_words: int = 0
    """How many of the first are those by words."""
    nearest: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """The nearest by meaning, nearest first."""

    @property
    def fused(self) -> FusedRanking:
        """Itself."""
        return self

    @property
    def head(self) -> int:
        """The first by words, and those behind them."""
        return self.by_words + int(np.isin(self.numbers[self.by_words :], self.nearest).sum())

    @property
    def by_meaning(self) -> int:
        """How many have none of the words that matter."""
        return len(self.more)

    def prototype(self, rows: Ints) -> Prototype:
        """Return what the question is about, by what these rows conclude."""
        return self.backend.meaning.prototype(self.search.query.text, self.numbers[rows])

    def near(self, rows: Ints) -> dict[str, Floats]:
        """Return the ranks by meaning, and what they follow from."""
        docs, order = self.numbers[rows], np.argsort(self.nearest)
        rank = np.full(len(docs), np.inf)
        if len(order):
            at = np.searchsorted(self.nearest, docs, sorter=order).clip(max=len(order) - 1)
            rank = np.where(self.nearest[order[at]] == docs, order[at] + 1.0, np.inf)
        known = self.backend.meaning.of(self.search.query.text, docs)
        return {"found": np.asarray(rows < self.by_words, np.float64), "near": rank, **known}


def with_nearest(found: EmbeddedRanking) -> FusedRanking:
    """Put the nearest by meaning behind as many by words, with their own S, 0 without a word."""
    search, query = found.search, found.search.query
    # what is near need have none of `Query.among`
    listed = search.kept.listed if search.kept.filtered else None
    nearest = found.backend.meaning.nearest(query.text, query.near, listed)
    first, others = found.numbers[: query.near], found.numbers[query.near :]
    # what both lists have stands once; fusion looks its rank by meaning up
    added = nearest[~np.isin(nearest, first)]
    S, matches = search.scores_of(added)
    if query.among is not None:
        matches &= np.isin(added, search.eligible.listed)
    # found by words further down, but moved up by meaning
    left = ~np.isin(others, added)
    return FusedRanking(
        np.concatenate([found.scores[: query.near], S, found.scores[query.near :][left]]),
        found.backend,
        search,
        np.concatenate([first, added, others[left]]),
        added[~matches],
        len(first),
        nearest,
    )
