"""What is computed about documents before any query: the clusters of their conclusions (H21)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import Encoder, load_encoder
from argsearch.indexer.format.settings import IndexSettings
from argsearch.ranking.clustering import cluster_count, kmeans


@dataclass(frozen=True, slots=True)
class Clusters:
    """The topical clusters of a corpus."""

    centroids: NDArray[np.float32]
    """float32[k, dimensions], means of unit vectors (not normalised)."""
    labels: NDArray[np.int32]
    """int32[n_documents], each document's cluster; -1 for a document without conclusion."""
    distinct: int
    """Number of distinct conclusions."""
    encoder: str
    """Name of the encoder, `none` where there are no clusters by choice."""

    @property
    def k(self) -> int:
        """Number of clusters, after `cluster_count`."""
        return len(self.centroids)


@dataclass(frozen=True, slots=True)
class Conclusions:
    """A corpus' conclusions, each distinct text once."""

    texts: Sequence[str]
    """The distinct texts, in order of first occurrence; none is blank."""
    text_of: NDArray[np.int32]
    """int32[n_documents] into `texts`; -1 for none."""

    @classmethod
    def of(cls, conclusions: Sequence[str | None]) -> Conclusions:
        """From one conclusion a document; None, empty and blank ones count as none."""
        distinct: dict[str, int] = {}
        text_of = [
            distinct.setdefault(text, len(distinct)) if text and text.strip() else -1
            for text in conclusions
        ]
        return cls(list(distinct), np.array(text_of, np.int32))

    @property
    def counts(self) -> NDArray[np.int64]:
        """Documents of each text, int64[n_texts]."""
        return np.bincount(self.text_of[self.text_of >= 0], minlength=len(self.texts))


def cluster_conclusions(
    conclusions: Sequence[str | None] | Conclusions,
    encoder: Encoder,
    k: int,
    weight_by_count: bool,
    seed: int,
) -> Clusters:
    """Embed each distinct conclusion once, and partition them by k-means (H21).

    weight_by_count: a conclusion weighs as many documents as have it, which is k-means over all
    conclusions as in the paper; else each distinct text weighs 1. Fewer than k clusters come back
    for a small corpus (`argsearch.ranking.clustering.cluster_count`), none when the encoder is
    `none`.
    """
    if not isinstance(conclusions, Conclusions):
        conclusions = Conclusions.of(conclusions)
    distinct = len(conclusions.texts)
    if not distinct or not encoder.dimensions:
        centroids = np.zeros((0, encoder.dimensions), np.float32)
        nowhere = np.full(len(conclusions.text_of), -1, np.int32)
        return Clusters(centroids, nowhere, distinct, encoder.name)
    counts = conclusions.counts
    weights = counts.astype(np.float32) if weight_by_count else None
    used = cluster_count(int(counts.sum()), distinct, k)
    found = kmeans(encoder.encode(conclusions.texts), used, weights, seed)
    labels = np.append(found.labels, np.int32(-1))[conclusions.text_of]
    return Clusters(found.centroids, labels, distinct, encoder.name)


def cluster_distinct(
    texts: Sequence[str], text_of: NDArray[np.int32], settings: IndexSettings
) -> Clusters:
    """`cluster_conclusions` of texts already made distinct, as [index] of a configuration says.

    texts: the distinct conclusions; text_of: int32[n_documents] into them, -1 for none.
    Raises what `load_encoder` raises.
    """
    return cluster_conclusions(
        Conclusions(texts, text_of),
        load_encoder(settings.encoder),
        settings.clusters,
        settings.weight_by_count,
        settings.seed,
    )
