"""The topical cluster of an argument's conclusion (H21)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.columns import Column
from argsearch.indexer.signals.base import PerCorpus, WholeCorpus


class Cluster(PerCorpus):
    """The k-means cluster; the number of clusters stands for a document without conclusion."""

    column = Column(
        name="cluster",
        doc="Topical cluster of the conclusion (k-means over sentence embeddings; H21).",
        kind="number",
        dtype="uint16",
        high=65_000,
        array="clusters",
    )

    def finish(
        self, raw: NDArray[Any] | None, whole: WholeCorpus
    ) -> tuple[Column, NDArray[np.uint16]]:
        """Clusters, uint16[n]."""
        none = whole.clusters.k
        labels = whole.clusters.labels
        column = replace(self.column, high=float(max(0, none - 1)), missing=float(none))
        return column, np.where(labels < 0, none, labels).astype(np.uint16)
