"""The map of an index: its topical clusters as circles, each with its most frequent conclusions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.backend import EmbeddedBackend
from argsearch.ranking.circles import apart, plane
from argsearch.ranking.combination import cluster_similarity

TYPICAL = 3
"""Conclusions of a cluster that are named."""
FILLED = 0.35
"""Share of the map's square that circles cover, were they to fit into it."""


@dataclass(frozen=True)
class MapCluster:
    """A cluster on the map."""

    number: int
    """As the column `cluster` has it."""
    x: float
    y: float
    r: float
    """Its circle: the area is as the number of its arguments. The map is about 1 wide."""
    arguments: int
    conclusions: tuple[str, ...]
    """The most frequent ones, most frequent first, then by their place in the index."""


def clusters(backend: EmbeddedBackend) -> tuple[MapCluster, ...]:
    """The clusters that have arguments, by number; alike ones are near each other.

    They lie where the principal components of their centroids are, moved apart until none overlaps.
    """
    centroids = np.asarray(backend.centroids, np.float64)
    codes = np.asarray(backend.arrays.clusters).astype(np.int64)
    sizes = np.bincount(codes[codes < len(centroids)], minlength=len(centroids))
    there = np.flatnonzero(sizes)
    if not len(there):
        return ()
    placed = plane(centroids[there])
    placed /= np.abs(placed).max() * 2 or 1.0
    radii = np.sqrt(FILLED / np.pi * sizes[there] / sizes.sum())
    placed = apart(placed, radii)
    typical = _typical(backend, codes)
    return tuple(
        MapCluster(int(c), float(x), float(y), float(r), int(sizes[c]), typical.get(int(c), ()))
        for c, (x, y), r in zip(there, placed, radii, strict=True)
    )


def closeness(centroids: NDArray[np.float32], asked: NDArray[np.float32]) -> NDArray[np.float64]:
    """C of each cluster for a question's vector: max(0, cos), float64[n_clusters]."""
    norms = np.linalg.norm(centroids, axis=1) * (np.linalg.norm(asked) or 1.0)
    cosines = (centroids @ asked) / np.where(norms > 0, norms, 1.0)
    return cluster_similarity(cosines, "clipped")


def _typical(backend: EmbeddedBackend, codes: NDArray[np.int64]) -> dict[int, tuple[str, ...]]:
    """Each cluster's most frequent conclusions."""
    begins = np.asarray(backend.arrays.conclusion_docs)
    sizes = np.diff(begins)
    found: dict[int, dict[str, None]] = {}
    for row in np.argsort(-sizes, kind="stable").tolist():
        if not sizes[row]:
            break
        of = found.setdefault(int(codes[begins[row]]), {})
        if len(of) < TYPICAL:
            conclusion = " ".join((backend.store[int(begins[row])].conclusion or "").split())
            if conclusion:
                of[conclusion] = None
    return {cluster: tuple(of) for cluster, of in found.items()}
