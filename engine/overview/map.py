"""The map of an index: its topical clusters as circles, each with its most frequent conclusions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.base import Contents
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.ranking.combination import cluster_similarity
from argsearch.ranking.lexicons import stop_words

Floats = NDArray[np.float64]

TYPICAL = 3
"""Number of conclusions, and number of words, to show for each cluster."""
CONCLUSIONS_READ = 50
"""Number of most frequent conclusions to choose a cluster's words from."""
STEM = 5
"""Two words of a cluster count as one if they share this many initial letters."""
CIRCLE_SHARE = 0.35
"""Total area of all circles, as a share of the map's square."""
MOST_STEPS = 1000
"""Maximum number of steps in which circles are moved apart."""
# If circles still overlap after this many steps, all of them are spread by this factor.
STEPS_BEFORE_GROWTH = 20
GROWTH_FACTOR = 1.1


@dataclass(frozen=True)
class MapCluster:
    """A cluster on the map."""

    number: int
    """Cluster number, as in the column `cluster`."""
    x: float
    y: float
    r: float
    """Radius on a map of width 1. The area is proportional to the number of arguments."""
    arguments: int
    conclusions: tuple[str, ...]
    """The most frequent conclusions in descending order; ties in the order of the index."""
    words: tuple[str, ...] = ()
    """Words that distinguish its conclusions from other clusters', most distinctive first."""


def clusters(contents: Contents) -> tuple[MapCluster, ...]:
    """Return the clusters that have arguments, by number. Similar clusters are neighbours.

    Circles start at the principal components of the centroids and move until none overlap.
    """
    centroids = np.asarray(contents.arrays.centroids, np.float64)
    codes = np.asarray(contents.arrays.clusters).astype(np.int64)
    sizes = np.bincount(codes[codes < len(centroids)], minlength=len(centroids))
    there = np.flatnonzero(sizes)
    if not len(there):
        return ()
    placed = plane(centroids[there])
    placed /= np.abs(placed).max() * 2 or 1.0
    radii = np.sqrt(CIRCLE_SHARE / np.pi * sizes[there] / sizes.sum())
    placed = apart(placed, radii)
    typical = _typical(contents, codes)
    words = telling_words(typical)
    return tuple(
        MapCluster(c, x, y, r, int(sizes[c]), typical.get(c, ())[:TYPICAL], words.get(c, ()))
        for c, (x, y), r in zip(there.tolist(), placed.tolist(), radii.tolist(), strict=True)
    )


def closeness(centroids: NDArray[np.float32], asked: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return C of each cluster for the vector of a question: max(0, cos), float64[n_clusters]."""
    norms = np.linalg.norm(centroids, axis=1) * (np.linalg.norm(asked) or 1.0)
    cosines = (centroids @ asked) / np.where(norms > 0, norms, 1.0)
    return cluster_similarity(cosines, "clipped")


def _typical(contents: Contents, codes: NDArray[np.int64]) -> dict[int, tuple[str, ...]]:
    """Return the most frequent conclusions of each cluster, at most CONCLUSIONS_READ of them."""
    begins = np.asarray(contents.arrays.conclusion_docs)
    sizes = np.diff(begins)
    found: dict[int, dict[str, None]] = {}
    for row in np.argsort(-sizes, kind="stable").tolist():
        if not sizes[row]:
            break
        of = found.setdefault(int(codes[begins[row]]), {})
        if len(of) < CONCLUSIONS_READ:
            conclusion = " ".join((contents.store[int(begins[row])].conclusion or "").split())
            if conclusion:
                of[conclusion] = None
    return {cluster: tuple(of) for cluster, of in found.items()}


def telling_words(conclusions: Mapping[int, Sequence[str]]) -> dict[int, tuple[str, ...]]:
    """Return the words that distinguish each cluster's conclusions from other clusters'.

    A word's value is the number of the cluster's conclusions that contain it × ln((n + 1) / df),
    where df of the n clusters contain the word. Stop words, numbers and single letters don't count.
    """
    common, tokens = stop_words(), StandardAnalyzer().tokens
    counts = {
        cluster: Counter(word for one in some for word in dict.fromkeys(tokens(one)))
        for cluster, some in conclusions.items()
    }
    df = Counter(word for some in counts.values() for word in some)
    found = {}
    for cluster, some in counts.items():
        worth = {word: n * math.log((len(counts) + 1) / df[word]) for word, n in some.items()}
        chosen: dict[str, str] = {}
        for word in sorted(worth, key=lambda word: (-worth[word], word)):
            if len(word) > 1 and not word.isdigit() and word not in common:
                chosen.setdefault(word[:STEM], word)
        found[cluster] = tuple(chosen.values())[:TYPICAL]
    return found


def plane(points: Floats) -> Floats:
    """Return the first two principal components of points float[n, d], as centred float64[n, 2].

    The sign of a component is arbitrary, so its largest coordinate is made positive here. A
    component that the points lack is zero.
    """
    centred = np.asarray(points, np.float64) - np.mean(points, axis=0, dtype=np.float64)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    found = (left * sizes)[:, :2]
    found[:, sizes[:2] <= 1e-9 * max(1.0, sizes[0])] = 0.0
    largest = found[np.abs(found).argmax(axis=0), np.arange(found.shape[1])]
    placed = np.zeros((len(centred), 2))
    placed[:, : found.shape[1]] = found * np.where(largest < 0, -1.0, 1.0)
    return placed


def apart(places: Floats, radii: Floats) -> Floats:
    """Return places float[n, 2], moved so that circles of these radii, float[n], do not overlap.

    Each step moves overlapping circles apart along the line between them, by half the overlap each.
    The steps end when no overlap exceeds a thousandth, or after MOST_STEPS steps. Every
    STEPS_BEFORE_GROWTH steps, all places move outwards. Tiny offsets separate identical places.
    """
    n = len(places)
    angles = np.arange(n) * np.pi * (3.0 - np.sqrt(5.0))
    moved = np.asarray(places, np.float64) + 1e-6 * np.stack([np.cos(angles), np.sin(angles)], 1)
    wanted = radii[:, None] + radii[None, :]
    np.fill_diagonal(wanted, 0.0)
    for step in range(1, MOST_STEPS + 1):
        between = moved[:, None, :] - moved[None, :, :]
        distance = np.sqrt((between**2).sum(axis=2))
        overlap = np.maximum(0.0, wanted - distance)
        if not n or overlap.max() <= 1e-3 * radii.max():
            break
        direction = between / np.where(distance > 0, distance, 1.0)[:, :, None]
        moved = moved + 0.5 * (overlap[:, :, None] * direction).sum(axis=1)
        if step % STEPS_BEFORE_GROWTH == 0:
            moved = moved * GROWTH_FACTOR
    return moved
