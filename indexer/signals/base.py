"""Base class of signals; a signal computes a column's values for documents and for a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.columns import Column
from argsearch.indexer.format.settings import IndexSettings

if TYPE_CHECKING:
    from argsearch.indexer.quality import QualityModel


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of consecutive documents in a worker process."""

    arguments: Sequence[Argument]
    lengths: NDArray[np.int32]
    """int32[n], number of tokens in each text."""
    quality: QualityModel


@dataclass(frozen=True, slots=True)
class Clusters:
    """The topical clusters of a corpus."""

    centroids: NDArray[np.float32]
    """float32[k, dimensions], means of unit vectors (not normalised)."""
    labels: NDArray[np.int32]
    """int32[n_documents], cluster of each document; -1 for a document without a conclusion."""
    encoder: str
    """Name of the encoder; `none` if clustering is switched off."""

    @property
    def k(self) -> int:
        """Number of clusters, as given by `cluster_count`."""
        return len(self.centroids)


@dataclass(frozen=True, slots=True)
class WholeCorpus:
    """Facts about a corpus that has been read to its end."""

    settings: IndexSettings
    lengths: NDArray[np.int32]
    clusters: Clusters


class Signal:
    """A number or label per document; register a signal in `argsearch.indexer.signals.SIGNALS`."""

    column: Column
    """Definition of the column that holds the values."""

    def of(self, batch: Batch) -> NDArray[Any] | list[str | None] | None:
        """Return the values of some documents, [n], or None if only `finish` computes them.

        If the corpus has its own labels, the values are labels; None means no label.
        """

    def finish(self, raw: NDArray[Any] | None, whole: WholeCorpus) -> tuple[Column, NDArray[Any]]:
        """Return the final column, and the values of all documents in the order read, [n].

        raw: joined results of `of`, with labels as codes (0: no label). By default, return `raw`.
        """
        assert raw is not None
        return self.column, raw
