"""Word mover's distance: how far one text's words travel to become another's (Kusner 2015; W22).

A text is the bag of its known words. Symbols: a, b = the weights of two bags, each with sum 1;
c(i, j) = the Euclidean distance of two word vectors; T = the cheapest flows from one bag's words to
the other's, by POT's network simplex.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

SLACK = 1e-9
"""Relative rounding error subtracted from lower bounds before they exclude a candidate."""
MOST_PIVOTS = 1_000_000
"""Limit on pivots of the network simplex. Texts of hundreds of words need thousands of pivots."""
OPTIMAL = 1
"""The network simplex's return code for an optimal solution."""
_UNASKED = [f"POT_BACKEND_DISABLE_{name}" for name in ("PYTORCH", "JAX", "CUPY", "TENSORFLOW")]


@dataclass(frozen=True, slots=True)
class Bag:
    """The distinct known words of a text and their weights. Both may be empty."""

    words: NDArray[np.int64]
    """int64[n], distinct rows in the matrix of word vectors."""
    weights: NDArray[np.float64]
    """float64[n], the words' `weights`, positive and with sum 1."""


def weights(tf: ArrayLike) -> NDArray[np.float64]:
    """Return log(1 + tf) / Σ log(1 + tf), each word's share of a text   (W22, as in its library).

    tf: occurrences of each word, [n], at least 1. The base of the logarithm cancels.
    """
    logs = np.log1p(np.asarray(tf, np.float64))
    return np.asarray(logs / logs.sum()) if len(logs) else logs


def costs(x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """Return c(i, j) = ‖xᵢ − yⱼ‖, float64[n, m], of word vectors float[n, d] and float[m, d].

    This is |x|² + |y|² − 2·x·y with a single matrix product. A distance below 1e-6 times the norms
    is treated as a rounding error and set to 0, as for equal words.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    norms = (x * x).sum(1)[:, None] + (y * y).sum(1)[None, :]
    squares = norms - 2 * (x @ y.T)
    return np.sqrt(np.where(squares > 1e-12 * norms, squares, 0.0))


def distance(q: Bag, s: Bag, cost: NDArray[np.float64]) -> float:
    """Return WMD(q, s) = min over T ≥ 0 of Σ T(i, j)·c(i, j), Σⱼ T(i, j) = aᵢ, Σᵢ T(i, j) = bⱼ.

    Args: cost: c from q's words (rows) to s's (columns). The result is exact (network simplex),
    symmetric, ≥ 0, and 0 for equal bags. It is infinite if either bag is empty.
    """
    if not (len(q.words) and len(s.words)):
        return math.inf
    return cheapest(q.weights, s.weights, np.ascontiguousarray(cost))


def distances(q: Bag, sentences: Sequence[Bag], vectors: ArrayLike) -> NDArray[np.float64]:
    """Return WMD from one bag to each of many, float64[n], all finite.

    vectors: float[words, d], finite. An empty text gets the largest distance in the list (W22). All
    are 0 if no distance is finite, for instance for an empty query.

    Raises ValueError if vectors are not finite, or if a word in a bag has no vector.
    """
    cost = _costs(q, sentences, vectors)
    found = np.array([distance(q, s, cost[:, s.words]) for s in sentences])
    known = np.isfinite(found)
    return np.where(known, found, found[known].max(initial=0.0))


def within(q: Bag, sentences: Sequence[Bag], vectors: ArrayLike, least: float) -> NDArray[np.bool_]:
    """Return True for each bag whose `similarity` is above `least`, bool[n] (W22's edge condition).

    The exact distance is computed only if the lower bound `_relaxed` does not settle the result. No
    text is near an empty text. `least` is in (0, 1). Raises ValueError as `distances` does.
    """
    cost = _costs(q, sentences, vectors)
    near = np.zeros(len(sentences), np.bool_)
    bounds = _relaxed(q, sentences, cost)
    for i in np.flatnonzero(similarity(bounds * (1 - SLACK)) > least).tolist():
        far = distance(q, sentences[i], cost[:, sentences[i].words])
        near[i] = similarity(far) > least
    return near


def _relaxed(q: Bag, sentences: Sequence[Bag], cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return RWMD of one bag to each of many, a lower bound of WMD, float64[n] (Kusner, 4.2).

    Each word moves to the nearest word, in the more expensive direction: max(Σᵢ aᵢ·minⱼ c(i, j), Σⱼ
    bⱼ·minᵢ c(i, j)). The result is infinite if either bag is empty.
    """
    bounds = np.full(len(sentences), math.inf)
    known = [i for i, s in enumerate(sentences) if len(s.words) and len(q.words)]
    if known:
        words = np.concatenate([sentences[i].words for i in known])
        b = np.concatenate([sentences[i].weights for i in known])
        starts = np.cumsum([0] + [len(sentences[i].words) for i in known])[:-1]
        there = q.weights @ np.minimum.reduceat(cost[:, words], starts, axis=1)
        bounds[known] = np.maximum(there, np.add.reduceat(b * cost.min(axis=0)[words], starts))
    return bounds


def similarity(distance: ArrayLike) -> NDArray[np.float64]:
    """Return 1 / (1 + WMD), in (0, 1], the other interpretation of R in W22 (also in its graph)."""
    return np.asarray(1 / (1 + np.asarray(distance, np.float64)))


def _costs(q: Bag, sentences: Sequence[Bag], vectors: ArrayLike) -> NDArray[np.float64]:
    """Return c for the query's words and every row of the vectors, float64[|q|, words]."""
    x = np.asarray(vectors)
    if x.ndim != 2 or not np.isfinite(x).all():
        raise ValueError(f"vectors must be finite numbers of shape (words, d), not {x.shape}")
    highest = max((int(bag.words.max(initial=-1)) for bag in (q, *sentences)), default=-1)
    if highest >= len(x):
        raise ValueError(f"words in a bag must be from 0 to {len(x) - 1}, not {highest}")
    return costs(x[q.words], x)


@cache
def prepare() -> Any:
    """Return POT's linear programs. The first call imports them, which takes a second or two.

    It also tells POT, in the environment, to load no tensor libraries. They take seconds more, and
    TensorFlow and PyTorch together can abort the process.
    """
    os.environ.update(dict.fromkeys(_UNASKED, "1"))
    return import_module("ot.lp")


def cheapest(a: NDArray[np.float64], b: NDArray[np.float64], cost: NDArray[np.float64]) -> float:
    """Return Σ T·cost of the cheapest flows T ≥ 0 with row sums a and column sums b.

    Args: a: float64[n], b: float64[m], both positive with sum 1. cost: float64[n, m] in C order.

    The result is bit-identical to POT's `emd2`, which spends five sixths of its time on tensor
    libraries and gradients for short texts.
    """
    solver = prepare().emd_wrap
    shares = b * a.sum() / b.sum()  # makes both sums equal to the last bit
    _, total, _, _, code = solver.emd_c(a, shares, cost, MOST_PIVOTS, 1)
    if code != OPTIMAL:
        solver.check_result(code)  # warns with a message
    return float(total)
