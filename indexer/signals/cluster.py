"""The topical cluster of an argument's conclusion, computed before any query (H21)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import Encoder
from argsearch.indexer.format.columns import Column
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.signals.base import Clusters, Signal, WholeCorpus


class Cluster(Signal):
    """The k-means cluster; the number of clusters stands for a document without conclusion."""

    column = Column(
        name="cluster",
        doc="Topical cluster of the conclusion (k-means over sentence embeddings; H21).",
        kind="number",
        dtype="uint16",
        high=65_000,
        ramp=(0.0, 0.0),
        array="clusters",
    )

    def finish(self, raw: NDArray[Any] | None, whole: WholeCorpus) -> tuple[Column, NDArray[Any]]:
        """Clusters, uint16[n]."""
        none = whole.clusters.k
        labels = whole.clusters.labels
        column = replace(self.column, high=float(max(0, none - 1)), missing=float(none))
        return column, np.where(labels < 0, none, labels).astype(np.uint16)


def cluster_conclusions(
    texts: Sequence[str], text_of: NDArray[np.int32], encoder: Encoder, settings: IndexSettings
) -> Clusters:
    """Embed each distinct conclusion once, and partition them by k-means (H21).

    texts: the distinct conclusions, none of them blank; text_of: int32[n_documents] into them, -1
    for none. With `weight_by_count` a conclusion weighs as many documents as have it, which is
    k-means over all conclusions as in the paper; else each distinct text weighs 1. Fewer than k
    clusters come back for a small corpus (`argsearch.ranking.clustering.cluster_count`), none when
    the encoder is `none`.
    """
    from argsearch.ranking.clustering import cluster_count, kmeans

    if not texts or not encoder.dimensions:
        centroids = np.zeros((0, encoder.dimensions), np.float32)
        return Clusters(centroids, np.full(len(text_of), -1, np.int32), encoder.name)
    counts = np.bincount(text_of[text_of >= 0], minlength=len(texts))
    weights = counts.astype(np.float32) if settings.weight_by_count else None
    used = cluster_count(int(counts.sum()), len(texts), settings.clusters)
    found = kmeans(encoder.encode(texts), used, weights, settings.seed)
    labels = np.append(found.labels, np.int32(-1))[text_of]
    return Clusters(found.centroids, labels, encoder.name)
