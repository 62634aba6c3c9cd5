"""The protocol of a backend: the same query, the same semantics, whatever holds the index."""

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
from argsearch.indexer.format.parts import Part
from argsearch.indexer.format.store import DocumentStore

if TYPE_CHECKING:
    from argsearch.engine.config import Retrieval


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What the engine needs to know of an index."""

    fingerprint: str
    documents: int
    encoder: str
    """Spec of the sentence encoder that made the centroids; `none` when there are no clusters."""
    tokens: int
    """T, tokens of all documents."""
    manifest: dict[str, Any]

    @classmethod
    def of(cls, manifest: dict[str, Any]) -> IndexInfo:
        """Return what a manifest says."""
        documents, tokens = (int(manifest["counts"][name]) for name in ("documents", "tokens"))
        return cls(manifest["fingerprint"], documents, manifest["encoder"], tokens, manifest)


@dataclass(frozen=True)
class Ranking(Findings):
    """One query's hits from its offset on, by rank from row 0, best first, ties by id (ascending).

    A backend gives their ids, scores, arguments and explanations, values that it has stored for
    them, and `matches`, which collects over all that match only what is asked for.
    """

    scores: Floats
    """S of each hit, float64[n], descending."""

    @property
    def matches(self) -> Matches:
        """All that match."""
        raise NotImplementedError

    @property
    def total(self) -> int:
        """How many arguments match."""
        return self.matches.total


class Contents(Protocol):
    """All documents of an open index, read without a question."""

    arrays: Arrays
    ids: Ids
    store: DocumentStore


class Backend(Protocol):
    """An open index."""

    @property
    def info(self) -> IndexInfo:
        """What the index is."""

    @property
    def centroids(self) -> NDArray[np.float32]:
        """The k-means centroids, float32[n_clusters, dimensions]; zero rows without clusters."""

    @property
    def is_local(self) -> bool:
        """Whether this process answers by itself, and waits for no search server."""

    @property
    def contents(self) -> Contents | None:
        """All documents; None on a search server, which would have to send them."""

    @property
    def tells_near(self) -> bool:
        """Whether it tells which arguments are near a question by meaning, and which are not."""

    @property
    def parts(self) -> frozenset[str]:
        """The optional parts that the index has."""

    @property
    def beside(self) -> Backend | None:
        """The directory that holds more parts of an index on a search server; else None."""

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """How often each term occurs; a search server is asked for each once."""

    @property
    def unifies_spellings(self) -> bool:
        """True if all spellings of any word can be one term."""

    def spellings(self, words: Sequence[str], asked: Retrieval) -> list[tuple[str, ...]]:
        """The spellings that the index has of each word, itself where it has none.

        The word alone where `asked` takes spellings for different words.
        """

    def documents_with(self, words: Sequence[str], asked: Retrieval) -> NDArray[np.int64]:
        """Return how many documents have each word (or, as asked for, a form), int64[w]."""

    def has_label(self, column: str, label: str) -> bool:
        """Whether a document has exactly that label in a column of the corpus' own labels."""

    def part(self, name: str, version: int | None = None) -> Part:
        """An optional part, of the version in VERSIONS; raises PartMissing without it."""

    def search(self, query: Query) -> Ranking:
        """The exact answer to `query`; raises where a combination cannot be done."""

    def argument(self, id: str) -> Argument | None:
        """The argument with that id, or None."""

    def quality(self, id: str) -> float | None:
        """Return Q of the argument with that id, or None."""

    def near_duplicates(self, id: str) -> list[str]:
        """The ids of an argument's near-duplicates, ascending; raises PartMissing without them."""

    def check(self) -> None:
        """Check all that this process would read of the index; raises IndexDamaged.

        A search server checks its own files: nothing is done for it.
        """

    def close(self) -> None:
        """Release what is held."""
