"""A query in the form that kernels need: its terms and the documents that pass the filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.ranking.retrieval.bits import Bits, members, no_documents, packed, size
from argsearch.ranking.retrieval.scoring import Postings, Terms

BlockRow = tuple[NDArray[np.int32], NDArray[np.float64]]
"""A term's first posting in each block, and its largest contribution to R there."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A query's terms in one index, as rows of the term dictionary, rarest first."""

    rows: list[int]
    weights: NDArray[np.float64]
    """Number of times each term occurs in the query."""
    places: list[int]
    """Position of each term in the query, which orders explanations."""
    classes: dict[int, float] = field(default_factory=dict)
    """Rows of word-form classes, rarest first, with the frequency of their forms in the query."""
    several: frozenset[int] = frozenset()
    """The elements of `rows` that stand for several spellings of one word."""


@dataclass(frozen=True, slots=True)
class SoughtTerms:
    """A query's terms in the form that the kernels read."""

    postings: Postings
    terms: Terms
    known: Callable[[int], BlockRow | None]
    """Function that returns the blocks of the t-th term if they are stored or cached."""
    bounded: bool = True
    """True if no score is negative; block bounds hold only then."""


# Scoring filtered documents one by one is faster than the search by blocks up to this share of all
# documents, plus this number for each requested hit (measured in docs/retrieval.md).
FILTER_SHARE = 1 / 512
FILTER_PER_HIT = 16


@dataclass(frozen=True)
class Eligible:
    """The documents that may be hits: all, or with `filtered` only the ones whose bits are set."""

    bits: Bits
    filtered: bool

    @classmethod
    def of(cls, flags: NDArray[np.bool_]) -> Eligible:
        """Return the documents whose flag is set. flags: bool[n], by document."""
        return cls(packed(flags), filtered=True)

    @cached_property
    def count(self) -> int:
        """Number of eligible documents; valid only with a filter."""
        return size(self.bits)

    @cached_property
    def listed(self) -> NDArray[np.int32]:
        """Numbers of the eligible documents, in ascending order; valid only with a filter."""
        return members(self.bits)

    def few(self, documents: int, most: int) -> bool:
        """Return True if it is faster to score these documents one by one than to use blocks."""
        return self.filtered and self.count <= FILTER_SHARE * documents + FILTER_PER_HIT * most


EVERY_DOCUMENT = Eligible(no_documents(0), filtered=False)
"""All documents, without filters."""
