"""pf·icf: how often a premise's meaning serves a claim's meaning, and how rarely others (D20)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.premises.links import STANCES, Links

Triple = tuple[int, int, int]
"""(claim, stance, premise)."""


def pf_plain(link: Triple, links: set[Triple], gamma: Sequence[int], pi: Sequence[int]) -> int:
    """pf(p, c) = |{(p′, c′) : p′ ∈ π(p), c′ ∈ γ(c), p′ → c′}|   (D20).

    gamma: each claim's cluster; pi: each premise's. The arrow is the stance of the link: attacking
    premises are counted among attacks.
    """
    c, stance, p = link
    return sum(
        gamma[c_] == gamma[c] and pi[p_] == pi[p] for c_, stance_, p_ in links if stance_ == stance
    )


def icf_plain(link: Triple, links: set[Triple], gamma: Sequence[int], pi: Sequence[int]) -> float:
    """icf(p) = ln(|Γ| / |{γ : some p′ ∈ π(p) supports a claim of γ}|)   (D20)."""
    _, stance, p = link
    served = {gamma[c_] for c_, stance_, p_ in links if stance_ == stance and pi[p_] == pi[p]}
    return math.log(len(set(gamma)) / len(served))


def pf(links: Links) -> NDArray[np.int64]:
    """pf of every link, int64[links] ≥ 1, O(n log n)."""
    keys = _pair_of_clusters(links)
    _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[places], np.int64)


def served(links: Links) -> NDArray[np.int64]:
    """|{γ : some premise of π supports a claim of γ}|, int64[stances, |Π|].

    0 where a cluster holds no premise of that stance.
    """
    distinct = np.unique(_pair_of_clusters(links)) // max(1, links.gamma)
    counts = np.bincount(distinct, minlength=STANCES * links.pi)
    return counts.reshape(STANCES, links.pi)


def icf(clusters: int, served: ArrayLike) -> NDArray[np.float64]:
    """ln(|Γ| / served), float64; 0 where nothing is served. `clusters` is |Γ|."""
    counts = np.asarray(served, np.float64)
    shares = np.divide(clusters, counts, out=np.ones_like(counts), where=counts > 0)
    return np.asarray(np.log(shares))


def _pair_of_clusters(links: Links) -> NDArray[np.int64]:
    """One number a (stance, premise cluster, claim cluster), int64[links]."""
    served_by = links.stance * links.pi + links.premise_cluster[links.premise]
    return np.asarray(served_by * links.gamma + links.claim_cluster[links.claim])
