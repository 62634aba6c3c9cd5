"""z-nDCG: nDCG over z-normalised gains. A random ranking is near 0, and the ideal is 1 (G19).

The module also combines quality dimensions, from which gains are derived, into a single score and
into principal components. The thesis leaves open the gain of a non-argument, the ideal
ranking, the divisor of a negative DCG and normalising within topics; see `Reading`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.numbers import z_scores

Floats = NDArray[np.float64]
Ideal = Literal["runs", "judged"]
Negative = Literal["ideal", "worst"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One interpretation of z-nDCG (G19). The default is not the closest to the published table.

    Non-arguments get 0 (`zero`) or the given score (`keep`), or are removed (`drop`). The ideal is
    the best k of all runs' lists together (`runs`) or of all judged documents (`judged`). A
    negative DCG is divided by the ideal DCG (`ideal`) or by the absolute DCG of the worst ranking
    (`worst`). Gains are used as `given`, or z-normalised over each topic's arguments (`topic`).
    """

    k: int = 50
    non_arguments: Literal["zero", "keep", "drop"] = "zero"
    ideal: Ideal = "runs"
    negative: Negative = "ideal"
    scale: Literal["given", "topic"] = "given"


def dcg(gains: ArrayLike) -> float:
    """Return DCG = Σ g_i / ln(i + 1), i from 1 (G19). The logarithm's base cancels in z-nDCG."""
    g = np.asarray(gains, dtype=np.float64)
    return float((g / np.log(np.arange(2, g.size + 2))).sum())


def z_ndcg(gains: ArrayLike, pool: ArrayLike, k: int = 50, negative: Negative = "ideal") -> float:
    """Return z-nDCG@k of one ranking's gains against the ideal ordering of `pool` (G19).

    Returns NaN if the quotient is undefined, because the ideal DCG is ≤ 0 or a negative DCG would
    be divided by a worst DCG ≥ 0. Exclude such topics from a mean, and report their number.
    """
    achieved = dcg(np.asarray(gains, dtype=np.float64)[:k])
    ordered = np.sort(np.asarray(pool, dtype=np.float64))
    inverted = achieved < 0 and negative == "worst"
    scale = -dcg(ordered[:k]) if inverted else dcg(ordered[::-1][:k])
    return achieved / scale if scale > 0 else float("nan")


@dataclass(frozen=True, slots=True)
class JudgedDocuments:
    """Judged documents of all topics: gain [n], True for arguments [n], and topic number [n]."""

    gain: Floats
    is_argument: NDArray[np.bool_]
    topic: NDArray[np.intp]


def z_ndcg_by_topic(
    runs: Mapping[str, Sequence[Sequence[int]]], judged: JudgedDocuments, reading: Reading
) -> dict[str, Floats]:
    """Return z-nDCG of each run and topic, [topics] each, with NaN where it is undefined.

    For topic t, `runs[name][t]` holds the positions of the run's documents in `judged`, best first.
    Topic t of every run is number t in `judged.topic`.
    """
    gain = _gains(judged, reading)
    lists = {name: [_kept(docs, judged, reading) for docs in run] for name, run in runs.items()}

    def value(t: int, docs: NDArray[np.intp]) -> float:
        """Score one run's documents for topic t."""
        pool = gain[_pool(lists, t, judged, reading)]
        return z_ndcg(gain[docs], pool, reading.k, reading.negative)

    return {
        name: np.array([value(t, docs) for t, docs in enumerate(run)])
        for name, run in lists.items()
    }


def _gains(judged: JudgedDocuments, reading: Reading) -> Floats:
    gain = judged.gain.astype(np.float64, copy=True)
    if reading.scale == "topic":
        for t in np.unique(judged.topic):
            rows = judged.topic == t
            gain[rows] = z_scores(gain[rows], judged.is_argument[rows])
    if reading.non_arguments == "zero":
        gain[~judged.is_argument] = 0.0
    return gain


def _kept(docs: Sequence[int], judged: JudgedDocuments, reading: Reading) -> NDArray[np.intp]:
    rows = np.asarray(docs, dtype=np.intp)
    return rows[judged.is_argument[rows]] if reading.non_arguments == "drop" else rows


def _pool(
    lists: Mapping[str, Sequence[NDArray[np.intp]]],
    t: int,
    judged: JudgedDocuments,
    reading: Reading,
) -> NDArray[np.intp]:
    if reading.ideal == "judged":
        rows = judged.topic == t
        if reading.non_arguments == "drop":
            rows &= judged.is_argument
        return np.flatnonzero(rows)
    return np.concatenate([run[t] for run in lists.values()])


@dataclass(frozen=True, slots=True)
class Components:
    """Principal components: shares of variance [d], and loadings [d, d], one component per row."""

    explained: Floats
    loadings: Floats


def combined_quality(Z: ArrayLike) -> Floats:
    """Return the combined quality [n] of scores Z [n, d]: ‖z − (−10, …)‖₂, z-normalised (G19)."""
    return z_scores(np.sqrt(((np.asarray(Z, np.float64) + 10.0) ** 2).sum(axis=1)))


def principal_components(Z: ArrayLike) -> Components:
    """Compute the PCA of z-normalised dimension scores Z [n, d]; each loading's sum is positive."""
    X = np.column_stack([z_scores(column) for column in np.asarray(Z, np.float64).T])
    _, singular, loadings = np.linalg.svd(X, full_matrices=False)
    variance = singular**2
    signs = np.where(loadings.sum(axis=1) < 0, -1.0, 1.0)
    return Components(variance / variance.sum(), loadings * signs[:, None])
