"""The query object: what a backend answers, with everything it needs already computed."""

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
    """One query: text, page, filters and the weights of Eq. 1 (H21).

    `similarities` holds C for each cluster of the index, float64[n_clusters], already read as
    `boost.cosine` says; it is empty when `boost.cluster` is 0 or the index has no clusters.
    """

    text: str
    k: int = 10
    offset: int = 0
    filters: tuple[Filter, ...] = ()
    """What every hit has to be, by its columns."""
    retrieval: Retrieval = field(default_factory=Retrieval)
    boost: Boost = field(default_factory=Boost)
    similarities: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0), compare=False)
    sort: Sort | None = None
    """The order of the hits; None: by score."""
    facets: tuple[str, ...] = ()
    """The columns whose values are counted."""
    among: tuple[str, ...] | None = None
    """Words of which every hit has one, but what is near by meaning; None: any of the text's."""
    near: int = 0
    """How many of the nearest by meaning are added, behind as many by words; from the offset 0."""

    def __post_init__(self) -> None:
        QUERY.read(self.text)
        K.read(self.k)
        OFFSET.read(self.offset)


class Matches(Protocol):
    """All arguments that match a query, beside its hits; each is collected when it is asked for."""

    @property
    def total(self) -> int:
        """How many they are (exactly)."""

    @property
    def documents(self) -> int:
        """N, documents of the index."""

    @property
    def spelling(self) -> Spelling | None:
        """The index's own vocabulary; None where that would cost requests."""

    def documents_with(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return how many documents of the index have each word (or, as asked for, a form)."""

    def count(self, words: Sequence[str]) -> int:
        """Return how many of them have any of these words of the query (exactly)."""

    def having(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Return which hits have which words, bool[n, w]; None where that costs a request."""

    def facets(self) -> Facets:
        """Return how many of them have each value of the columns of `Query.facets` (exactly)."""

    def common(self) -> int | None:
        """Return how many more match but by `Query.among`; None where that is None."""

    def groups(self) -> int | None:
        """Return how many groups of near-duplicates they are in; None without that part."""
