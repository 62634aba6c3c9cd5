"""A query in the form that the kernels need: its terms and the documents that pass filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.ranking.retrieval.bits import Bits, members, no_documents, packed, size
from argsearch.ranking.retrieval.scoring import Postings, Terms

BlockRow = tuple[NDArray[np.int32], NDArray[np.float64]]
"""For one term: start of its postings in each block, and its maximum contribution to R there."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A query's terms in one index, as rows of the term dictionary, rarest first."""

    rows: list[int]
    weights: NDArray[np.float64]
    """Frequency of each term in the query."""
    places: list[int]
    """Position of each term in the query, which orders explanations."""
    classes: dict[int, float] = field(default_factory=dict)
    """Rows of word-form classes, rarest first, with the frequency of their forms in the query."""
    several: frozenset[int] = frozenset()
    """Those of `rows` that are the first of several spellings of one word."""


@dataclass(frozen=True, slots=True)
class SoughtTerms:
    """A query's terms in the form that the kernels read."""

    postings: Postings
    terms: Terms
    known: Callable[[int], BlockRow | None]
    """Returns the blocks of the t-th term if they are stored or cached."""
    bounded: bool = True
    """True if no score is negative, which block bounds require."""


# Up to this share of all documents plus this number per requested hit, scoring the filtered
# documents one by one is faster than the search by blocks (measured: docs/retrieval.md).
FILTER_SHARE = 1 / 512
FILTER_PER_HIT = 16


@dataclass(frozen=True)
class Eligible:
    """The documents that may be hits: all, or (`filtered`) those whose bits are set."""

    bits: Bits
    filtered: bool

    @classmethod
    def of(cls, flags: NDArray[np.bool_]) -> Eligible:
        """Return the documents d with flags[d], bool[n]."""
        return cls(packed(flags), filtered=True)

    @cached_property
    def count(self) -> int:
        """Number of eligible documents, if there is a filter."""
        return size(self.bits)

    @cached_property
    def listed(self) -> NDArray[np.int32]:
        """Numbers of eligible documents, ascending, if there is a filter."""
        return members(self.bits)

    def few(self, documents: int, most: int) -> bool:
        """Return True if scoring them one by one is faster than blocks for `most` hits."""
        return self.filtered and self.count <= FILTER_SHARE * documents + FILTER_PER_HIT * most


EVERY_DOCUMENT = Eligible(no_documents(0), filtered=False)
"""All documents, without filters."""
