"""The query object, in which everything that a backend needs is already computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.config import Boost, Retrieval
from argsearch.engine.parameters import OFFSET, QUERY, K
from argsearch.engine.query.facets import Facets
from argsearch.engine.query.filters import Filter
from argsearch.engine.query.sort import Sort
from argsearch.engine.query.spelling import Spelling


@dataclass(frozen=True, slots=True)
class Query:
    """A query: text, page, filters and the weights of Eq. 1 (H21).

    `similarities` holds C for each cluster of the index, float64[n_clusters], computed as set in
    `boost.cosine`. It is empty if `boost.cluster` is 0 or the index has no clusters.
    """

    text: str
    k: int = 10
    offset: int = 0
    filters: tuple[Filter, ...] = ()
    """Conditions on the columns of every hit."""
    retrieval: Retrieval = field(default_factory=Retrieval)
    boost: Boost = field(default_factory=Boost)
    similarities: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0), compare=False)
    sort: Sort | None = None
    """Order of the hits; None means the order of their scores."""
    facets: tuple[str, ...] = ()
    """Columns whose values are counted."""
    among: tuple[str, ...] | None = None
    """A hit found by words must contain one of these words; None allows any word of the text."""
    near: int = 0
    """Number of nearest arguments to append to as many found by words; requires offset 0."""

    def __post_init__(self) -> None:
        QUERY.read(self.text)
        K.read(self.k)
        OFFSET.read(self.offset)


class Matches(Protocol):
    """Facts about all arguments that match a query. Each fact is computed only on request."""

    @property
    def total(self) -> int:
        """Exact number of matches."""

    @property
    def documents(self) -> int:
        """N, number of documents in the index."""

    @property
    def spelling(self) -> Spelling | None:
        """Spelling corrections from the index's vocabulary; None on a server."""

    def documents_with(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return how many documents contain each word (or a form of it, if configured)."""

    def count(self, words: Sequence[str]) -> int:
        """Return exactly how many matches contain any of these query words."""

    def having(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Return whether each hit contains each word, bool[n, w]; None on a server."""

    def facets(self) -> Facets:
        """Return exactly how many matches have each value of the columns in `Query.facets`."""

    def common(self) -> int | None:
        """Return how many more match without `Query.among`, or None if `among` is unset."""

    def groups(self) -> int | None:
        """Return the number of near-duplicate groups among matches; None without the part."""
