"""Which documents a query's filters keep, as the kernels take them: bits, or a list of a few."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.retrieval.bits import Bits, members, no_documents, packed, size

LISTED, LISTED_FOR_A_HIT = 1 / 512, 16
"""Up to this share of all documents and this many for each hit asked for, the documents that
filters keep are scored one by one, for that is quicker than the search by blocks (measured:
docs/retrieval.md)."""


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
        return self.filtered and self.count <= LISTED * documents + LISTED_FOR_A_HIT * most


EVERY_DOCUMENT = Eligible(no_documents(0), filtered=False)
"""Without filters."""
