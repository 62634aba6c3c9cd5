"""A query's terms in one index directory: where they are, and what the kernels read of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True, slots=True)
class SoughtTerms:
    """What the kernels read of a query's terms."""

    postings: Postings
    terms: Terms
    known: Callable[[int], BlockRow | None]
    """The blocks of the t-th term, where they are kept or remembered."""
    bounded: bool = True
    """Whether no score is negative, which bounds take for granted."""
