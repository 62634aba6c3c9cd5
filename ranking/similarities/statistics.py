"""The statistics of a term, and the interface of relevance models, which read them.

Symbols are the same in every model: tf = occurrences of the term in the document, dl = length of
the document in tokens. In the collection, df = documents with the term, ttf = occurrences of the
term, N = documents with any token, T = tokens, and avgdl = T / N.
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
"""Description of each count, by symbol."""


def checked(name: str, values: ArrayLike, *, above: bool = False) -> Array:
    """Return values as finite float64 ≥ 0, or > 0 if `above`; raise ValueError for any others."""
    array = np.asarray(values, dtype=np.float64)
    bad = ~(np.isfinite(array) & ((array > 0) if above else (array >= 0)))
    if bad.any():
        limit = "above 0" if above else "of at least 0"
        raise ValueError(f"{name} must be a finite number {limit}, not {array[bad].flat[0]:g}")
    return array


def check_parameter(
    name: str, value: float, high: float = math.inf, *, above: bool = False
) -> None:
    """Raise ValueError unless value is finite and 0 ≤ value ≤ high, or 0 < value if `above`."""
    inside = 0 < value <= high if above else 0 <= value <= high
    if not (math.isfinite(value) and inside):
        first = "above 0" if above else "of at least 0"
        last = "" if high == math.inf else f" and at most {high:g}"
        raise ValueError(f"{name} must be a finite number {first}{last}, not {value}")


@dataclass(frozen=True, slots=True)
class Statistics:
    """The counts of a term in a collection: 1 ≤ df ≤ N ≤ T and df ≤ ttf ≤ T.

    Raises ValueError if no collection can have these counts.
    """

    df: int
    ttf: int
    N: int
    T: int

    def __post_init__(self) -> None:
        for name, value, low, high, said in (
            ("df", self.df, 1, self.N, f"from 1 to N, {self.N} documents"),
            ("ttf", self.ttf, self.df, self.T, f"from df to T, {self.df} to {self.T} tokens"),
            ("N", self.N, 1, self.T, f"from 1 to T, {self.T} tokens"),
        ):
            if not low <= value <= high:
                raise ValueError(f"{name} must be {said}, not {value}")

    @property
    def avgdl(self) -> float:
        """Mean length of the documents that have at least one token, T / N."""
        return self.T / self.N

    @staticmethod
    def leaf(name: str, value: float) -> Explanation:
        """Explain the count with this symbol."""
        return Explanation(value, f"{name}, {STATISTIC_NAMES[name]}")

    def explain(self, *names: str) -> tuple[Explanation, ...]:
        """Explain the named counts."""
        leaves = {name: self.leaf(name, getattr(self, name)) for name in ("df", "ttf", "N", "T")}
        said = "avgdl, mean length of a document: T / N"
        leaves["avgdl"] = Explanation(self.avgdl, said, (leaves["T"], leaves["N"]))
        return tuple(leaves[name] for name in names)


class Similarity(Hashable, Protocol):
    """A relevance model: how much a term adds to the R of a document."""

    def score(self, tf: ArrayLike, dl: ArrayLike, term: Statistics) -> Array:
        """Return the term's score. tf > 0 and dl > 0 broadcast against each other.

        A term that is not in a document adds nothing. R(q, d) is the sum over the query's terms in
        d; a repeated query term counts each time. For Lucene's scores, round dl as `smallfloat`
        does. Raises ValueError unless tf and dl are positive.
        """

    def explain(self, tf: float, dl: float, term: Statistics) -> Explanation:
        """Explain a term's score in a document. The root is `score(tf, dl, term)`.

        A node has the form `symbol, meaning: formula`; the formula uses its details' symbols.
        """
