"""What a signal is: a column, its values for a run of documents, and for the whole corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.columns import Column
from argsearch.indexer.format.settings import IndexSettings

if TYPE_CHECKING:
    from argsearch.indexer.clusters import Clusters
    from argsearch.indexer.quality import QualityModel


@dataclass(frozen=True, slots=True)
class Batch:
    """A run of documents in a worker process."""

    arguments: Sequence[Argument]
    lengths: NDArray[np.int32]
    """int32[n] tokens of each text."""
    quality: QualityModel


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of a run of documents, each distinct one once."""

    table: list[str]
    codes: NDArray[np.int32]
    """int32[n]: 0 for none, else 1 + the place in `table`."""

    @classmethod
    def of(cls, labels: Sequence[str | None]) -> Labels:
        """From one label a document."""
        table: dict[str, int] = {}
        codes = [table.setdefault(label, len(table)) + 1 if label else 0 for label in labels]
        return cls(list(table), np.array(codes, np.int32))


@dataclass(frozen=True, slots=True)
class WholeCorpus:
    """The corpus when all of it was read."""

    settings: IndexSettings
    lengths: NDArray[np.int32]
    clusters: Clusters


class Signal(Protocol):
    """One number or label a document; register it in `argsearch.indexer.signals.SIGNALS`."""

    @property
    def column(self) -> Column:
        """What the values are."""

    def of(self, batch: Batch) -> NDArray[Any] | Labels | None:
        """The values of a run of documents, [n]; None where `finish` alone makes them."""

    def finish(self, raw: NDArray[Any] | None, whole: WholeCorpus) -> tuple[Column, NDArray[Any]]:
        """The column as it came out, and its values for all documents in the order read, [n].

        raw: what `of` gave, joined; labels as codes from 1 over all documents.
        """


class PerDocument:
    """A signal whose values are those of its documents, whatever the others are."""

    column: Column

    def finish(self, raw: NDArray[Any] | None, whole: WholeCorpus) -> tuple[Column, NDArray[Any]]:
        """As they were read."""
        assert raw is not None
        return self.column, raw


class PerCorpus:
    """A signal that is known when all documents are."""

    column: Column

    def of(self, batch: Batch) -> None:
        """Nothing yet."""
