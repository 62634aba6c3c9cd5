"""The topical cluster of an argument's conclusion, computed before any query (H21)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import Encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import Column
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.signals.base import Clusters, Signal, WholeCorpus


class Cluster(Signal):
    """The k-means cluster of a conclusion; for a document without one, the number of clusters."""

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
        """Return the column, and the cluster of each document, uint16[n]."""
        none = whole.clusters.k
        labels = whole.clusters.labels
        column = replace(self.column, high=float(max(0, none - 1)), missing=float(none))
        return column, np.where(labels < 0, none, labels).astype(np.uint16)


JOIN_PROBES = 16
"""Number of recorded conclusions to embed again before new conclusions join their clusters."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """Topical clusters that are kept from an index: a new conclusion joins the nearest cluster."""

    centroids: NDArray[np.float32]
    """float32[k, dimensions]."""
    labels: Mapping[str, int]
    """Cluster of each conclusion in the index."""
    encoder: str
    """Name of the encoder."""

    @property
    def has_none(self) -> bool:
        """True if the index has an encoder but had no conclusions to cluster."""
        return not len(self.centroids) and self.encoder != "none"

    def is_of(self, encoder: Encoder, texts: Sequence[str] | None = None) -> bool:
        """Check on a sample of conclusions whether the clusters come from the encoder's model.

        texts: the conclusions to check; None: the first JOIN_PROBES. Three quarters of the
        conclusions must be nearest to their own cluster's centroid. The other conclusions may
        differ because of another machine's rounding or because an older version made the clusters.
        """
        from argsearch.ranking.clustering import nearest_centroids

        asked = list(islice(self.labels, JOIN_PROBES)) if texts is None else list(texts)
        if not len(self.centroids) or encoder.dimensions != self.centroids.shape[1]:
            return not len(self.centroids)
        if not asked:
            return True
        nearest = nearest_centroids(encoder.encode(asked), self.centroids)
        labels = np.array([self.labels[text] for text in asked])
        return 4 * int((nearest == labels).sum()) >= 3 * len(asked)


def cluster_conclusions(
    texts: Sequence[str],
    text_of: NDArray[np.int32],
    encoder: Encoder,
    settings: IndexSettings,
    recorded: Recorded | None = None,
) -> Clusters:
    """Embed each distinct conclusion once, and cluster the conclusions by k-means (H21).

    texts: the distinct conclusions, none of them blank; text_of: int32[n_documents] into `texts`,
    -1 for none. With `weight_by_count`, a conclusion's weight is the number of its documents, which
    is equivalent to the paper's k-means over all conclusions. Otherwise each distinct text has
    weight 1. A small corpus has fewer than k clusters (`ranking.clustering.cluster_count`), and the
    encoder `none` gives no clusters.

    Each conclusion is in the cluster with the nearest centroid. If clusters are recorded, k-means
    is skipped. Raises InvalidParameter if the recorded clusters come from another encoder.
    """
    from argsearch.ranking.clustering import nearest_centroids

    if recorded is not None:
        _check_name(recorded, encoder)
        if not recorded.has_none:
            return _joined(texts, text_of, encoder, recorded)
    if not texts or not encoder.dimensions:
        centroids = np.zeros((0, encoder.dimensions), np.float32)
        return Clusters(centroids, np.full(len(text_of), -1, np.int32), encoder.name)
    counts = np.bincount(text_of[text_of >= 0], minlength=len(texts))
    rows = encoder.encode(texts)
    centroids = centroids_of(rows, counts, int(counts.sum()), settings)
    labels = np.append(nearest_centroids(rows, centroids), np.int32(-1))[text_of]
    return Clusters(centroids, labels, encoder.name)


def centroids_of(
    rows: NDArray[np.float32], counts: NDArray[np.int64], arguments: int, settings: IndexSettings
) -> NDArray[np.float32]:
    """Return the centroids of distinct conclusions by k-means, float32[k, dimensions].

    rows: embeddings, float32[n, dimensions]. counts: int64[n], number of documents per conclusion.
    arguments: number of arguments with a conclusion, including those outside a sample.
    """
    from argsearch.ranking.clustering import FULL_SIZE, cluster_count, kmeans

    weights = counts.astype(np.float32) if settings.weight_by_count else None
    size = arguments if settings.scale_clusters else FULL_SIZE
    used = cluster_count(size, len(rows), settings.clusters)
    return kmeans(rows, used, weights, settings.seed).centroids


def _joined(
    texts: Sequence[str], text_of: NDArray[np.int32], encoder: Encoder, recorded: Recorded
) -> Clusters:
    """Assign known conclusions to their recorded clusters, and new conclusions to the nearest."""
    from argsearch.ranking.clustering import nearest_centroids

    labels = np.array([recorded.labels.get(text, -1) for text in texts], np.int32)
    if len(recorded.centroids) and len(new := np.flatnonzero(labels < 0)):
        # Another model may have the same name now; known conclusions show this.
        known = np.flatnonzero(labels >= 0)[:JOIN_PROBES]
        check_model(recorded, encoder, [texts[i] for i in known.tolist()])
        rows = encoder.encode([texts[i] for i in new.tolist()])
        labels[new] = nearest_centroids(rows, recorded.centroids)
    labels = np.append(labels, np.int32(-1))[text_of]
    return Clusters(recorded.centroids, labels, encoder.name)


def _check_name(recorded: Recorded, encoder: Encoder) -> None:
    if encoder.name != recorded.encoder:
        allowed = f"{recorded.encoder}, which the recorded clusters were made with"
        raise InvalidParameter("index.encoder", encoder.name, allowed)


def check_model(recorded: Recorded, encoder: Encoder, texts: Sequence[str] | None = None) -> None:
    """Raise InvalidParameter if the recorded clusters are from another model than the encoder's.

    texts: conclusions to check, as in `Recorded.is_of`.
    """
    _check_name(recorded, encoder)
    if not recorded.is_of(encoder, texts):
        allowed = (
            "the model that made the recorded clusters; this one only has its name; recompute "
            "them: argsearch index --rebuild --out INDEX (or build a server's index again)"
        )
        raise InvalidParameter("index.encoder", encoder.name, allowed)
