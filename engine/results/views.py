"""A part of a ranking: a page after all stages, the hits of a side, the heads of groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.base import Ranking
from argsearch.engine.query.facets import Facets
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.explanation import Explanation


class Over:
    """What the hits of another ranking have, at other places."""

    base: Ranking
    """The other ranking."""

    @property
    def places(self) -> NDArray[np.int64]:
        """int64[n], each hit's place in it."""
        raise NotImplementedError

    @property
    def documents(self) -> int:
        """N, documents of the index."""
        return self.base.documents

    def documents_with(self, words: Sequence[str]) -> NDArray[np.int64]:
        """How many documents of the index have each word."""
        return self.base.documents_with(words)

    def count(self, words: Sequence[str]) -> int:
        """How many of the matching arguments have any of these words."""
        return self.base.count(words)

    def having(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Which hits have which of these words."""
        having = self.base.having(words)
        return None if having is None else having[self.places]

    def ids(self, rows: NDArray[np.int64] | None = None) -> list[str]:
        """The id of each hit, or of some of them."""
        return self.base.ids(self.places if rows is None else self.places[rows])

    def argument(self, i: int) -> Argument:
        """The i-th hit's document."""
        return self.base.argument(int(self.places[i]))

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32] | None:
        """The stored vectors of hits' premises."""
        return self.base.vectors(self.places[rows])

    def qualities(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Q of hits' premises."""
        return self.base.qualities(self.places[rows])

    def groups(self) -> NDArray[np.int32] | None:
        """The group of near-copies of each hit."""
        groups = self.base.groups()
        return None if groups is None else groups[self.places]

    def columns(self) -> dict[str, list[float | str | None]]:
        """The value of each hit in every column."""
        columns, places = self.base.columns(), self.places.tolist()
        return {name: [values[place] for place in places] for name, values in columns.items()}

    def facets(self) -> Facets:
        """How many of the matching arguments have each value of the columns asked for."""
        return self.base.facets()

    def distinct(self) -> int | None:
        """How many groups of near-copies the matching arguments are in."""
        return self.base.distinct()


@dataclass(frozen=True)
class Picked(Over):
    """Some hits of a ranking, as they stand there."""

    base: Ranking
    rows: NDArray[np.int64]
    """int64[n], their places in it, ascending."""
    total: int
    """How many there are beyond the page, as far as they were looked for."""
    groups_left: int | None = None
    """How many groups of near-copies these are in; None: as many as the other ranking's matches."""

    @property
    def places(self) -> NDArray[np.int64]:
        """int64[n], their places in it."""
        return self.rows

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each, float64[n]."""
        return self.base.scores[self.rows]

    def distinct(self) -> int | None:
        """How many groups of near-copies they are in, beyond the page too."""
        return super().distinct() if self.groups_left is None else self.groups_left

    def explanation(self, i: int) -> Explanation:
        """The tree behind the i-th hit's score."""
        return self.base.explanation(int(self.rows[i]))
