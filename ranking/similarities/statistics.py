"""What every model of a term's relevance reads: the statistics of a term, and how it is asked.

Symbols, the same in every model: tf = occurrences of the term in the document, dl = length of the
document (tokens), df = documents that have the term, ttf = occurrences of the term in the whole
collection, N = documents that have any token, T = tokens of the collection, avgdl = T / N.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.explanation import Explanation

Array = NDArray[np.float64]

STATISTIC_NAMES = {
    "tf": "occurrences in the document",
    "dl": "length of the document in tokens",
    "df": "documents that have the term",
    "ttf": "occurrences in the collection",
    "N": "documents of the collection",
    "T": "tokens of the collection",
}
"""What the counts are, by their symbol."""


def checked(name: str, values: ArrayLike, *, above: bool = False) -> Array:
    """`values` as float64, finite and from 0 (`above`: above 0); raises ValueError otherwise."""
    array = np.asarray(values, dtype=np.float64)
    bad = ~(np.isfinite(array) & ((array > 0) if above else (array >= 0)))
    if bad.any():
        limit = "above 0" if above else "from 0"
        raise ValueError(f"{name} is {array[bad].flat[0]:g}; allowed: a finite number {limit}")
    return array


def check_parameter(
    name: str, value: float, high: float = math.inf, *, above: bool = False
) -> None:
    """Raise ValueError unless 0 ≤ value ≤ high (`above`: 0 < value) and it is finite."""
    inside = 0 < value <= high if above else 0 <= value <= high
    if not (math.isfinite(value) and inside):
        first = "above 0" if above else "from 0"
        last = "" if high == math.inf else f" to {high:g}"
        raise ValueError(f"{name} is {value}; allowed: a finite number {first}{last}")


@dataclass(frozen=True, slots=True)
class Statistics:
    """A term in a collection: 1 ≤ df ≤ N ≤ T and df ≤ ttf ≤ T.

    Raises ValueError for counts that no collection can have.
    """

    df: int
    ttf: int
    N: int
    T: int

    def __post_init__(self) -> None:
        for name, value, low, high, said in (
            ("df", self.df, 1, self.N, f"1 to N, {self.N} documents"),
            ("ttf", self.ttf, self.df, self.T, f"df to T, {self.df} to {self.T} tokens"),
            ("N", self.N, 1, self.T, f"1 to T, {self.T} tokens"),
        ):
            if not low <= value <= high:
                raise ValueError(f"{name} is {value}; allowed: {said}")

    @property
    def avgdl(self) -> float:
        """T / N: the mean length of the documents that have any token."""
        return self.T / self.N

    @staticmethod
    def leaf(name: str, value: float) -> Explanation:
        """The leaf of a count by its symbol."""
        return Explanation(value, f"{name}, {STATISTIC_NAMES[name]}")

    def explain(self, *names: str) -> tuple[Explanation, ...]:
        """The named counts, as the leaves of a tree."""
        leaves = {name: self.leaf(name, getattr(self, name)) for name in ("df", "ttf", "N", "T")}
        said = "avgdl, mean length of a document: T / N"
        leaves["avgdl"] = Explanation(self.avgdl, said, (leaves["T"], leaves["N"]))
        return tuple(leaves[name] for name in names)


class Similarity(Hashable, Protocol):
    """A model of relevance: what one term adds to one document's R; its parameters make it."""

    def score(self, tf: ArrayLike, dl: ArrayLike, term: Statistics) -> Array:
        """The term's score; tf > 0 and dl > 0 broadcast against each other.

        A term that a document lacks is not asked for: it adds nothing. R(q, d) is the sum over the
        query's terms that d has; a repeated query term counts each time. For Lucene's scores give
        dl as `smallfloat` keeps it. Raises ValueError for a tf or dl that is not above 0.
        """

    def explain(self, tf: float, dl: float, term: Statistics) -> Explanation:
        """The tree of one term's score in one document; its root is `score(tf, dl, term)`.

        A node reads `symbol, meaning: formula`, the formula's symbols being those of its details.
        """
