"""Inter-annotator agreement: Krippendorff's α, Cohen's κ, and Fleiss' κ."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Level = Literal["nominal", "ordinal", "interval"]


def vote_counts(
    units: Sequence[Hashable], votes: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Count votes per unit and value. Return counts [units, values] and the sorted distinct values.

    `units[i]` is the unit that vote i rates. NaN votes are ignored; annotators need no identity.
    """
    x = np.asarray(votes, dtype=np.float64)
    index = {unit: row for row, unit in enumerate(dict.fromkeys(units))}
    rows = np.array([index[unit] for unit in units], dtype=np.intp)
    there = ~np.isnan(x)
    values, columns = np.unique(x[there], return_inverse=True)
    counts = np.zeros((len(index), values.size))
    np.add.at(counts, (rows[there], columns), 1)
    return counts, values


def krippendorff_alpha(counts: ArrayLike, values: ArrayLike, level: Level = "nominal") -> float:
    """Return Krippendorff's α = 1 − D_o / D_e of vote counts [units, values] (from `vote_counts`).

    `values` [values] must be in ascending order. Units with fewer than two votes are ignored.
    Returns NaN if no unit has two votes or if all votes are equal.
    """
    n_uv, v = np.asarray(counts, dtype=np.float64), np.asarray(values, dtype=np.float64)
    m = n_uv.sum(axis=1)
    n_uv, m = n_uv[m > 1], m[m > 1]
    n_v = n_uv.sum(axis=0)
    delta = _distances(v, n_v, level)
    observed = float((((n_uv / (m - 1)[:, None]).T @ n_uv) * delta).sum())
    expected = float((np.outer(n_v, n_v) * delta).sum())
    return 1 - (float(n_v.sum()) - 1) * observed / expected if expected > 0 else float("nan")


def _distances(v: NDArray[np.float64], n: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """Return δ²_ck, the squared distance of values c and k. n: votes per value, if ordinal."""
    if level == "nominal":
        return 1.0 - np.eye(v.size)
    place = v if level == "interval" else np.cumsum(n) - n / 2
    return np.asarray((place[:, None] - place[None, :]) ** 2)


def cohen_kappa(a: ArrayLike, b: ArrayLike) -> float:
    """Return Cohen's κ = 1 − Σ_{c≠k} O / Σ_{c≠k} E of two annotators' labels [n].

    Returns NaN if both annotators used one and the same label throughout.
    """
    x, y = np.asarray(a), np.asarray(b)
    if x.shape != y.shape or x.ndim != 1 or not x.size:
        raise ValueError(f"both lists must have equal length > 0, not {x.shape} and {y.shape}")
    labels, coded = np.unique(np.concatenate([x, y]), return_inverse=True)
    k = labels.size
    observed = np.zeros((k, k))
    np.add.at(observed, (coded[: x.size], coded[x.size :]), 1)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / x.size
    unlike = 1.0 - np.eye(k)
    chance = float((unlike * expected).sum())
    return 1 - float((unlike * observed).sum()) / chance if chance > 0 else float("nan")


def fleiss_kappa(counts: ArrayLike) -> float:
    """Return Fleiss' κ of vote counts [units, labels]. All units need equally many votes (≥ 2)."""
    n_uv = np.asarray(counts, dtype=np.float64)
    m = n_uv.sum(axis=1)
    agreement = float(((n_uv**2).sum(axis=1) - m).mean()) / (m[0] * (m[0] - 1))
    chance = float(((n_uv.sum(axis=0) / n_uv.sum()) ** 2).sum())
    return float((agreement - chance) / (1 - chance)) if chance < 1 else float("nan")
