"""Eq. 1 and the premises' factor over arrays of one question's matches, and how good the order is.

A question is searched once for each relevance model; every weight is then tried on its arrays.
What the engine itself answers is the same order (held to it by a test).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.config import Boost
from argsearch.ranking.combination import cluster_similarity, combine, factor

Floats = NDArray[np.float64]

DEPTH = 1000
"""Hits of a ranking that are looked at."""


@dataclass(frozen=True)
class Matches:
    """What one question finds, n documents in the order of their ids."""

    R: Floats
    """float64[n], relevance."""
    cosines: Floats
    """float64[seeds, n], of question and centroid, one row a seed of k-means; NaN: no cluster."""
    Q: Floats
    """float64[n], quality in [0, 1]."""
    P: Floats
    """float64[n], max(0, cosine of question and premises)."""
    gains: Floats
    """float64[kinds, n], what a hit is worth; NaN: nobody judged it."""
    ideal: Floats
    """float64[kinds, 10], the largest gains that there are."""


def recombined(matches: Matches, seed: int, boost: Boost) -> NDArray[np.int64]:
    """Places of the first `DEPTH` hits, best first, as the engine ranks them."""
    S, base = by_eq1(matches, seed, boost)
    return with_premises(matches, S, base, boost)


def by_eq1(matches: Matches, seed: int, boost: Boost) -> tuple[Floats, NDArray[np.int64]]:
    """S = R · (1 + ω_C·C) · (1 + ω_Q·Q) of every match (H21 Eq. 1), and the first by it."""
    cosines = matches.cosines[seed]
    C = np.where(np.isnan(cosines), 0.0, cluster_similarity(cosines, boost.cosine))
    S = combine(matches.R, C, matches.Q, boost.cluster, boost.quality)
    return S, np.argsort(-S, kind="stable")[:DEPTH]


def with_premises(
    matches: Matches, S: Floats, base: NDArray[np.int64], boost: Boost
) -> NDArray[np.int64]:
    """The first `premises_depth` by S · (1 + ω_P·P), those below as they came."""
    head = base[: boost.premises_depth]
    again = np.argsort(-S[head] * factor(boost.premises, matches.P[head]), kind="stable")
    return np.concatenate([head[again], base[boost.premises_depth :]])


def ndcg(gains: Floats, ideal: Floats, cutoff: int) -> float:
    """DCG / DCG of the ideal order, DCG = Σ gain_i / log2(i + 1) over the first `cutoff` ranks.

    gains: of a ranking, best first; ideal: the largest there are, falling; 0 where these are 0.
    As trec_eval's ndcg_cut, for gains that need not be whole.
    """
    discounts = 1.0 / np.log2(np.arange(2, cutoff + 2))
    most = float(ideal[:cutoff] @ discounts[: len(ideal)])
    found = gains[:cutoff]
    return float(found @ discounts[: len(found)]) / most if most > 0 else 0.0


def judged_values(gains: Floats, ideal: Floats) -> list[float]:
    """nDCG@5 and @10 with a hit that nobody judged worth 0, then with such hits left out."""
    every, judged = np.nan_to_num(gains), gains[~np.isnan(gains)]
    return [ndcg(found, ideal, cutoff) for found in (every, judged) for cutoff in (5, 10)]


def variants(
    matches: Matches, seed: int, boosts: Sequence[Boost]
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """The number and the order of each of many weights; Eq. 1 once for those that share it."""
    known: tuple[object, Floats, NDArray[np.int64]] | None = None
    for number, boost in enumerate(boosts):
        key = (boost.cluster, boost.quality, boost.cosine)
        if known is None or known[0] != key:
            known = (key, *by_eq1(matches, seed, boost))
        yield number, with_premises(matches, known[1], known[2], boost)
