"""Points of many dimensions as circles in a plane, alike ones near each other, none on another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_STEPS = 1000
"""Steps in which circles are moved apart at most."""
CROWDED, SPREAD = 20, 1.1
"""After so many steps what is still crowded is spread by this factor."""


def plane(points: Floats) -> Floats:
    """The first two principal components of points float[n, d]: float64[n, 2], centred.

    The sign of a component is free; here its largest coordinate is positive. What has fewer than
    two dimensions of its own has zeros.
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
    """Places float[n, 2] moved so that circles of these radii float[n] do not overlap.

    Overlapping pairs move each other away along the line between them, half the overlap each, until
    none overlaps by more than a thousandth or MOST_STEPS are done; after every CROWDED steps all
    places are spread. Equal places part by a golden angle.
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
        if step % CROWDED == 0:
            moved = moved * SPREAD
    return moved
