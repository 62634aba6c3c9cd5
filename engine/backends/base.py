"""The protocol of a backend: the same queries and results for every kind of index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.query.query import Matches, Query
from argsearch.engine.stages.base import Findings, Floats
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.arrays import Arrays, Ids
from argsearch.indexer.format.columns import Values
from argsearch.indexer.format.parts import Part
from argsearch.indexer.format.store import DocumentStore

if TYPE_CHECKING:
    from argsearch.engine.config import Retrieval


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """The facts about an index that the engine needs."""

    fingerprint: str
    documents: int
    encoder: str
    """Spec of the sentence encoder that made the centroids, or `none` if there are no clusters."""
    tokens: int
    """T, number of tokens in all documents."""
    manifest: dict[str, Any]

    @classmethod
    def of(cls, manifest: dict[str, Any]) -> IndexInfo:
        """Return the info described by a manifest."""
        documents, tokens = (int(manifest["counts"][name]) for name in ("documents", "tokens"))
        return cls(manifest["fingerprint"], documents, manifest["encoder"], tokens, manifest)


@dataclass(frozen=True)
class Ranking(Findings):
    """The hits of a query from its offset on, best first. Equal scores are ordered by ascending id.

    A backend supplies the hits' ids, scores, arguments, explanations and stored values. `matches`
    has facts about all matches and computes each of them only on request.
    """

    scores: Floats
    """S of each hit, float64[n], descending."""

    @property
    def matches(self) -> Matches:
        """All matching arguments."""
        raise NotImplementedError

    @property
    def total(self) -> int:
        """Number of matching arguments."""
        return self.matches.total


class Contents(Protocol):
    """All documents of an open index, accessible without a query."""

    arrays: Arrays
    columns: dict[str, Values]
    ids: Ids
    store: DocumentStore

    def telling_passages(
        self, question: str, arguments: Sequence[Argument]
    ) -> list[list[tuple[int, float]]]:
        """Return the start of each argument's passages and their worth for a gist.

        Reads part `meaning`.
        """


class Backend(Protocol):
    """An open index."""

    @property
    def info(self) -> IndexInfo:
        """Facts about the index."""

    @property
    def centroids(self) -> NDArray[np.float32]:
        """The k-means centroids, float32[n_clusters, dimensions]; without clusters, no rows."""

    @property
    def is_local(self) -> bool:
        """True if this process computes answers without a search server."""

    @property
    def contents(self) -> Contents | None:
        """All documents, or None on a search server, which would have to send them."""

    @property
    def tells_near(self) -> bool:
        """True if the index can tell which arguments are close in meaning to a question."""

    @property
    def parts(self) -> frozenset[str]:
        """Names of the optional parts that the index has."""

    @property
    def beside(self) -> Backend | None:
        """The directory with further parts of an index on a search server, or None."""

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """Return how often each term occurs in the index; a search server's answers are cached."""

    def spellings(self, words: Sequence[str], asked: Retrieval) -> list[tuple[str, ...]]:
        """Return the index's spellings of each word, or the word itself if there are none.

        If `asked` treats spellings as different words, return each word alone.
        """

    def documents_with(self, words: Sequence[str], asked: Retrieval) -> NDArray[np.int64]:
        """Return how many documents contain each word (or a form, if `asked` says so), int64[w]."""

    def has_label(self, column: str, label: str) -> bool:
        """Return True if a document has exactly this label in a column with free labels."""

    def part(self, name: str, version: int | None = None) -> Part:
        """Return an optional part, in the current version by default, or raise PartMissing."""

    def search(self, query: Query) -> Ranking:
        """Return the exact answer to a query, or raise an error if it cannot be computed."""

    def argument(self, id: str) -> Argument | None:
        """Return the argument with this id, or None."""

    def quality(self, id: str) -> float | None:
        """Return Q of the argument with this id, or None."""

    def near_duplicates(self, id: str) -> list[str]:
        """Return the sorted ids of an argument's near-duplicates, or raise PartMissing."""

    def check(self) -> None:
        """Raise IndexDamaged unless all data that this process could read is sound.

        A search server checks its own files, so for a server this method does nothing.
        """

    def close(self) -> None:
        """Release all resources."""
