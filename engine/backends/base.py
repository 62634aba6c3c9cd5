"""The protocol of a backend: the same query, the same semantics, whatever holds the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.query.facets import Facets
from argsearch.engine.query.query import Query
from argsearch.engine.query.spelling import Spelling
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.parts import Part
from argsearch.ranking.explanation import Explanation

if TYPE_CHECKING:
    from argsearch.engine.backends.embedded.backend import EmbeddedBackend


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What the engine needs to know of an index."""

    fingerprint: str
    documents: int
    encoder: str
    """Spec of the sentence encoder that made the centroids; `none` when there are no clusters."""
    manifest: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Occurrences in an index: of each term asked for, and of all terms."""

    terms: tuple[int, ...]
    tokens: int


class Ranking(Protocol):
    """One query's answer: hits from `offset` on, best first, ties by id (ascending)."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """S of each hit, float64[n], descending."""

    @property
    def total(self) -> int:
        """How many arguments match (exactly)."""

    @property
    def documents(self) -> int:
        """N, documents of the index."""

    def documents_with(self, words: Sequence[str]) -> NDArray[np.int64]:
        """How many documents of the index have each word (or, as asked for, a form), int64[w]."""

    def count(self, words: Sequence[str]) -> int:
        """How many of the matching arguments have any of these words of the query (exactly)."""

    def having(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Which hits have which of these words, bool[n, w]; None where that costs a request."""

    def ids(self, rows: NDArray[np.int64] | None = None) -> list[str]:
        """The id of each hit, or of some of them."""

    def argument(self, i: int) -> Argument:
        """The i-th hit's document (0-based)."""

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32] | None:
        """Stored unit vectors of hits' premises, float32[m, d]; None without the part `vectors`."""

    def qualities(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Q of hits' premises, float64[m] in [0, 1]; 0 in an index without a quality model."""

    def groups(self) -> NDArray[np.int32] | None:
        """The group of near-duplicates of each hit, int32[n]; None without that part."""

    def columns(self) -> dict[str, list[float | str | None]]:
        """The value of each hit in every column of the index; None where it has none."""

    def facets(self) -> Facets:
        """How many of the matching arguments have each value of the columns asked for (exactly)."""

    def distinct(self) -> int | None:
        """How many groups of near-duplicates the matching arguments are in (exactly).

        None without the part `near_duplicates`.
        """

    def explanation(self, i: int) -> Explanation:
        """The tree behind the i-th hit's score; its root's value is that score."""


class Backend(Protocol):
    """An open index."""

    @property
    def info(self) -> IndexInfo:
        """What the index is."""

    @property
    def centroids(self) -> NDArray[np.float32]:
        """The k-means centroids, float32[n_clusters, dimensions]; zero rows without clusters."""

    @property
    def local(self) -> bool:
        """Whether answers are computed in this process; else it waits for a server's."""

    @property
    def directory(self) -> EmbeddedBackend | None:
        """The backend itself where it reads an index directory; None where a server answers."""

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        """How often the terms occur; a search server is asked for each once."""

    def part(self, name: str, version: int | None = None) -> Part:
        """An optional part, of the version in VERSIONS; raises PartMissing without it."""

    @property
    def spelling(self) -> Spelling | None:
        """The index's own vocabulary; None where that would cost requests."""

    def search(self, query: Query) -> Ranking:
        """The exact answer to `query`; raises where a combination cannot be done."""

    def argument(self, id: str) -> Argument | None:
        """The argument with that id, or None."""

    def quality(self, id: str) -> float | None:
        """Return Q of the argument with that id, or None."""

    def near_duplicates(self, id: str) -> list[str]:
        """The ids of an argument's near-duplicates; raises PartMissing without that part."""

    def check(self) -> None:
        """Check all that this process would read of the index; raises IndexDamaged.

        A search server checks its own files: nothing is done for it.
        """

    def close(self) -> None:
        """Release what is held."""
