"""z-nDCG: nDCG over z-normalised gains; a random ranking is near 0, the ideal is 1 (G19).

Beside it what the gains are made of: quality dimensions together, and their correlations.

The thesis leaves open what a non-argument gains, whether a repeated document counts, what the
ideal ranking is made of and what a negative DCG is divided by. Each is a parameter here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.numbers import z_scores

Floats = NDArray[np.float64]
Ideal = Literal["runs", "union", "judged", "run"]
Negative = Literal["ideal", "worst"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of z-nDCG; the defaults come closest to the published table (G19).

    non_arguments: their gain is 0 (`zero`), the topic's lowest argument's (`lowest`), the score as
    given (`keep`), or they leave the rankings (`drop`). duplicates: a document met again counts
    again (`keep`) or not (`drop`). ideal: the best k of the lists of all runs, one after another
    (`runs`), of the documents they hold (`union`), of all judged ones (`judged`) or of the run
    itself (`run`). negative: a negative DCG is divided by the ideal DCG (`ideal`) or by the size
    of the worst ranking's DCG, so that −1 is the inverted ranking (`worst`). scale: gains as given
    or z-normalised over each topic's arguments (`topic`).
    """

    k: int = 50
    non_arguments: Literal["zero", "lowest", "keep", "drop"] = "zero"
    duplicates: Literal["keep", "drop"] = "keep"
    ideal: Ideal = "runs"
    negative: Negative = "ideal"
    scale: Literal["given", "topic"] = "given"

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k is {self.k}; allowed: a whole number from 1")
        for name, kind in get_type_hints(type(self)).items():
            allowed = get_args(kind)
            if allowed and (value := getattr(self, name)) not in allowed:
                raise ValueError(f"{name} is {value!r}; allowed: {', '.join(allowed)}")


def dcg(gains: ArrayLike) -> float:
    """DCG = Σ g_i / ln(i + 1), i from 1 (G19; the logarithm's base cancels in z-nDCG)."""
    g = np.asarray(gains, dtype=np.float64)
    return float((g / np.log(np.arange(2, g.size + 2))).sum())


def z_ndcg(gains: ArrayLike, pool: ArrayLike, k: int = 50, negative: Negative = "ideal") -> float:
    """z-nDCG@k of one ranking's gains against the ideal ordering of `pool` (G19).

    NaN where the quotient means nothing: the ideal DCG is ≤ 0 (or, for a negative DCG divided by
    the worst, the worst DCG is ≥ 0). Such a topic is to be left out of a mean and counted.
    """
    achieved = dcg(np.asarray(gains, dtype=np.float64)[:k])
    ordered = np.sort(np.asarray(pool, dtype=np.float64))
    inverted = achieved < 0 and negative == "worst"
    scale = -dcg(ordered[:k]) if inverted else dcg(ordered[::-1][:k])
    return achieved / scale if scale > 0 else float("nan")


@dataclass(frozen=True, slots=True)
class JudgedDocuments:
    """Judged documents of all topics: gain [n], is it an argument [n], topic number [n]."""

    gain: Floats
    is_argument: NDArray[np.bool_]
    topic: NDArray[np.intp]


def z_ndcg_by_topic(
    runs: Mapping[str, Sequence[Sequence[int]]], judged: JudgedDocuments, reading: Reading
) -> dict[str, Floats]:
    """z-nDCG of each run and topic, [topics] each, NaN where it is undefined.

    `runs[name][t]` holds the positions in `judged` of topic t's documents, best first; topic t of
    every run is the topic numbered t in `judged.topic`.
    """
    gain = _gains(judged, reading)
    lists = {name: [_kept(docs, judged, reading) for docs in run] for name, run in runs.items()}

    def value(name: str, t: int, docs: NDArray[np.intp]) -> float:
        """Of topic t's documents of a run."""
        pool = gain[_pool(lists, name, t, judged, reading)]
        return z_ndcg(gain[docs], pool, reading.k, reading.negative)

    return {
        name: np.array([value(name, t, docs) for t, docs in enumerate(run)])
        for name, run in lists.items()
    }


def _gains(judged: JudgedDocuments, reading: Reading) -> Floats:
    gain = judged.gain.astype(np.float64, copy=True)
    for t in np.unique(judged.topic):
        rows = judged.topic == t
        arguments = rows & judged.is_argument
        if reading.scale == "topic":
            gain[rows] = z_scores(gain[rows], judged.is_argument[rows])
        if reading.non_arguments == "lowest" and arguments.any():
            gain[rows & ~judged.is_argument] = gain[arguments].min()
    if reading.non_arguments == "zero":
        gain[~judged.is_argument] = 0.0
    return gain


def _kept(docs: Sequence[int], judged: JudgedDocuments, reading: Reading) -> NDArray[np.intp]:
    kept = docs if reading.duplicates == "keep" else list(dict.fromkeys(docs))
    rows = np.asarray(kept, dtype=np.intp)
    return rows[judged.is_argument[rows]] if reading.non_arguments == "drop" else rows


def _pool(
    lists: Mapping[str, Sequence[NDArray[np.intp]]],
    name: str,
    t: int,
    judged: JudgedDocuments,
    reading: Reading,
) -> NDArray[np.intp]:
    if reading.ideal == "run":
        return lists[name][t]
    if reading.ideal == "judged":
        rows = judged.topic == t
        if reading.non_arguments == "drop":
            rows &= judged.is_argument
        return np.flatnonzero(rows)
    every = np.concatenate([run[t] for run in lists.values()])
    return every if reading.ideal == "runs" else np.unique(every)


@dataclass(frozen=True, slots=True)
class Components:
    """Principal components: share of variance [d] and loadings [d, d], a component a row."""

    explained: Floats
    loadings: Floats


def combined_quality(Z: ArrayLike) -> Floats:
    """Combined quality [n] of dimension scores Z [n, d]: z-normalised ‖z − (−10, …)‖₂ (G19)."""
    scores = _matrix(Z)
    return z_scores(np.sqrt(((scores + 10.0) ** 2).sum(axis=1)))


def principal_components(Z: ArrayLike) -> Components:
    """PCA of dimension scores Z [n, d], z-normalised first; each loading's sum is positive."""
    scores = _matrix(Z)
    X = np.column_stack([z_scores(column) for column in scores.T])
    _, singular, loadings = np.linalg.svd(X, full_matrices=False)
    variance = singular**2
    signs = np.where(loadings.sum(axis=1) < 0, -1.0, 1.0)
    return Components(variance / variance.sum(), loadings * signs[:, None])


def _matrix(Z: ArrayLike) -> Floats:
    scores = np.asarray(Z, dtype=np.float64)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(f"scores have the shape {scores.shape}; allowed: [items, dimensions]")
    return scores
