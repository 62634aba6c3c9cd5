"""Maximal marginal relevance: results that are relevant and differ from each other (W22)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.explanation import Explanation

Floats = NDArray[np.float64]

LAMBDA = 0.75
"""W22's λ, the weight of relevance against novelty."""


@dataclass(frozen=True, slots=True)
class Picks:
    """A re-ranked list, best first, with the values behind each pick."""

    order: NDArray[np.int64]
    """int64[k], the positions of the picked candidates in the input."""
    values: NDArray[np.float64]
    """float64[k], `marginal_relevance` of each candidate when it was picked."""
    relevance: NDArray[np.float64]
    """float64[k], sim(s, q)."""
    nearest: NDArray[np.int64]
    """int64[k], the position in `order` of the most similar earlier pick; -1 for the first pick."""
    redundancy: NDArray[np.float64]
    """float64[k], sim(s, s') to this earlier pick, or 0 for the first pick."""


def marginal_relevance(
    relevance: ArrayLike, redundancy: ArrayLike, lam: float
) -> NDArray[np.float64]:
    """Return λ·sim(s, q) − (1 − λ)·max_{s' chosen} sim(s, s') (Carbonell & Goldstein 1998; W22).

    relevance: sim(s, q). redundancy: the maximum, or 0 for the first pick, which has no penalty.
    """
    s_q, s_chosen = np.asarray(relevance, np.float64), np.asarray(redundancy, np.float64)
    return np.asarray(lam * s_q - (1 - lam) * s_chosen)


def mmr(relevance: ArrayLike, vectors: ArrayLike, k: int, lam: float = LAMBDA) -> Picks:
    """Return the first k picks of MMR in O(k·n·d), comparing only with the newest pick.

    Args: relevance: sim(s, q), float[n]. `vectors`: float[n, d], whose dot products are sim(s, s')
    (cosines for unit rows). λ = 1 gives the order of relevance, and λ = 0 seeks only novelty. Ties
    go to the earlier candidate. If k > n there are n picks. Dot products are summed by dimension,
    because a library's sums depend on the number of threads.

    Raises ValueError if k < 1, λ is outside [0, 1], the shapes do not match, or a value is not
    finite.
    """
    s_q, x = np.array(relevance, np.float64), np.asarray(vectors, np.float64)
    _check(s_q, x, k, lam)
    # The loops read rows of the first and columns of the second.
    return _picked(s_q, np.ascontiguousarray(x), np.ascontiguousarray(x.T), k, lam)


def mmr_among(relevance: ArrayLike, similarity: ArrayLike, k: int, lam: float = LAMBDA) -> Picks:
    """Return `mmr` of candidates in O(k·n), from given similarities sim(s, s'), float[n, n].

    Raises ValueError in the same cases as `mmr`.
    """
    s_q, sim = np.array(relevance, np.float64), np.ascontiguousarray(similarity, np.float64)
    _check(s_q, sim, k, lam)
    if len(sim) != sim.shape[1]:
        raise ValueError(f"similarity must have the shape (n, n), not {sim.shape}")
    return _picked(s_q, sim, None, k, lam)


def _picked(s_q: Floats, x: Floats, turned: Floats | None, k: int, lam: float) -> Picks:
    """Run MMR with vectors and their transpose, or with the similarities of all pairs and None."""
    n, k = len(s_q), min(k, len(s_q))
    redundancy, nearest = np.zeros(n), np.full(n, -1)
    order, values = np.zeros(k, np.int64), np.zeros(k)
    _pick(x, turned, lam, s_q, redundancy, nearest, order, values)
    return Picks(order, values, s_q[order], nearest[order], redundancy[order])


@kernel
def _pick(x, turned, lam, s_q, redundancy, nearest, order, values):  # type: ignore[no-untyped-def]
    """Take the free candidate with the highest marginal relevance (the earlier one if tied)."""
    free = np.ones(len(s_q), np.bool_)
    for place in range(len(order)):
        pick, best = -1, -np.inf
        for s in range(len(s_q)):
            value = lam * s_q[s] - (1 - lam) * redundancy[s]
            if free[s] and (pick < 0 or value > best):
                pick, best = s, value
        order[place], values[place], free[pick] = pick, best, False
        likeness = x[pick] if turned is None else _dots(x[pick], turned)
        for s in range(len(s_q)):
            if free[s] and (place == 0 or likeness[s] > redundancy[s]):
                redundancy[s], nearest[s] = likeness[s], place


@kernel
def _dots(row, turned):  # type: ignore[no-untyped-def]
    """Return a row's dot products with all columns."""
    out = np.zeros(turned.shape[1])
    for m in range(len(row)):
        weight, column = row[m], turned[m]
        for j in range(len(out)):
            out[j] += weight * column[j]
    return out


def explain(picks: Picks, place: int, lam: float = LAMBDA) -> Explanation:
    """Explain the candidate at `place` (from 0) by the two parts of `marginal_relevance`."""
    relevance, redundancy = float(picks.relevance[place]), float(picks.redundancy[place])
    above = int(picks.nearest[place])
    likest = f"the most alike above it, at rank {above + 1}" if above >= 0 else "nothing above it"
    return Explanation(
        float(picks.values[place]),
        "marginal relevance, lambda × similarity to the query − (1 − lambda) × redundancy",
        (
            Explanation(lam, "lambda, weight of relevance against novelty"),
            Explanation(relevance, "similarity to the query"),
            Explanation(redundancy, f"redundancy, similarity to {likest}"),
        ),
    )


def _check(s_q: NDArray[np.float64], x: NDArray[np.float64], k: int, lam: float) -> None:
    if k < 1:
        raise ValueError(f"k must be a whole number of at least 1, not {k!r}")
    if not 0 <= lam <= 1:
        raise ValueError(f"lambda must be a number from 0 to 1, not {lam!r}")
    if s_q.ndim != 1 or x.ndim != 2 or len(x) != len(s_q):
        raise ValueError(
            f"relevance and vectors must have the shapes (n,) and (n, d), not {s_q.shape} and "
            f"{x.shape}"
        )
    if not (np.isfinite(s_q).all() and np.isfinite(x).all()):
        raise ValueError("relevance and vectors must be finite numbers, but some are not")
