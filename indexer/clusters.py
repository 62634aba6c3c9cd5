"""The topical clusters of a corpus' conclusions, computed before any query (H21)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import Encoder
from argsearch.indexer.format.settings import IndexSettings
from argsearch.ranking.clustering import cluster_count, kmeans


@dataclass(frozen=True, slots=True)
class Clusters:
    """The topical clusters of a corpus."""

    centroids: NDArray[np.float32]
    """float32[k, dimensions], means of unit vectors (not normalised)."""
    labels: NDArray[np.int32]
    """int32[n_documents], each document's cluster; -1 for a document without conclusion."""
    encoder: str
    """Name of the encoder, `none` where there are no clusters by choice."""

    @property
    def k(self) -> int:
        """Number of clusters, after `cluster_count`."""
        return len(self.centroids)


def numbered(conclusions: Iterable[str | None], known: dict[str, int]) -> NDArray[np.int32]:
    """Number each conclusion by its text, in `known`, which grows: int32[n_documents].

    None, empty and blank ones are -1.
    """
    of = [known.setdefault(c, len(known)) if c and c.strip() else -1 for c in conclusions]
    return np.array(of, np.int32)


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
    if not texts or not encoder.dimensions:
        centroids = np.zeros((0, encoder.dimensions), np.float32)
        return Clusters(centroids, np.full(len(text_of), -1, np.int32), encoder.name)
    counts = np.bincount(text_of[text_of >= 0], minlength=len(texts))
    weights = counts.astype(np.float32) if settings.weight_by_count else None
    used = cluster_count(int(counts.sum()), len(texts), settings.clusters)
    found = kmeans(encoder.encode(texts), used, weights, settings.seed)
    labels = np.append(found.labels, np.int32(-1))[text_of]
    return Clusters(found.centroids, labels, encoder.name)
