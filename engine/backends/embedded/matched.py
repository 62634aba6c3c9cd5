"""A query in one index directory, as the kernels take it: its terms, and what its filters keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.ranking.retrieval.bits import Bits, members, no_documents, packed, size
from argsearch.ranking.retrieval.scoring import Postings, Terms

BlockRow = tuple[NDArray[np.int32], NDArray[np.float64]]
"""Of one term: where its postings of each block start, and the most it adds to R there, once."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A query's terms in one index: rows of the term dictionary, the rarest first."""

    rows: list[int]
    weights: NDArray[np.float64]
    """How often the query has each."""
    places: list[int]
    """Where each term stands in the query, for explanations in its order."""
    classes: dict[int, float] = field(default_factory=dict)
    """Rows of classes of word forms, the rarest first, and how often the query has a form."""
    several: frozenset[int] = frozenset()
    """Those of `rows` that stand for several spellings of one word, of which each is the first."""


@dataclass(frozen=True, slots=True)
class SoughtTerms:
    """What the kernels read of a query's terms."""

    postings: Postings
    terms: Terms
    known: Callable[[int], BlockRow | None]
    """The blocks of the t-th term, where they are kept or remembered."""
    bounded: bool = True
    """Whether no score is negative, which bounds take for granted."""


# Up to this share of all documents and this many for each hit asked for, the documents that filters
# keep are scored one by one, for that is quicker than the search by blocks (measured:
# docs/retrieval.md).
FILTER_SHARE = 1 / 512
FILTER_PER_HIT = 16


@dataclass(frozen=True)
class Eligible:
    """The documents that may be answers: all, or (`filtered`) those whose bits are set."""

    bits: Bits
    filtered: bool

    @classmethod
    def of(cls, flags: NDArray[np.bool_]) -> Eligible:
        """The documents d with flags[d], bool[n]."""
        return cls(packed(flags), filtered=True)

    @cached_property
    def count(self) -> int:
        """How many they are, where there is a filter."""
        return size(self.bits)

    @cached_property
    def listed(self) -> NDArray[np.int32]:
        """Their numbers, ascending, where there is a filter."""
        return members(self.bits)

    def few(self, documents: int, most: int) -> bool:
        """Whether scoring them one by one is quicker than the search by blocks for `most` hits."""
        return self.filtered and self.count <= FILTER_SHARE * documents + FILTER_PER_HIT * most


EVERY_DOCUMENT = Eligible(no_documents(0), filtered=False)
"""Without filters."""
