"""The counts of D20: which premise supports or attacks which claim, pf·icf, and dcf.

A high pf·icf means that a premise's cluster often supports the claim's cluster and few others. The
dcf of a premise is how many other premises of its claim it beats on a quality dimension.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

PRO, CON = range(2)
"""The stances of a premise towards its claim, which it supports (p → c) or attacks."""

STANCES = 2

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Links:
    """Distinct (claim, stance, premise) triples in this order, and the clusters of both sides.

    All arrays are int64. A premise may belong to several claims, and to both sides of a claim. The
    premises of one claim with one stance are a *group*, with number 2·claim + stance.
    """

    claim: Ints
    """int64[links], non-decreasing."""
    stance: Ints
    """int64[links], PRO or CON."""
    premise: Ints
    """int64[links], the premise of each link."""
    claim_cluster: Ints
    """int64[claims], the cluster of each claim, from 0 to |Γ| − 1."""
    premise_cluster: Ints
    """int64[premises], the cluster of each premise, from 0 to |Π| − 1."""

    @property
    def group(self) -> Ints:
        """2·claim + stance of each link, int64[links], non-decreasing."""
        return STANCES * self.claim + self.stance

    @property
    def groups(self) -> int:
        """Number of groups, including groups without a premise."""
        return STANCES * len(self.claim_cluster)

    @property
    def starts(self) -> Ints:
        """int64[groups + 1]: the links of group g are starts[g] … starts[g + 1] − 1."""
        return np.searchsorted(self.group, np.arange(self.groups + 1))

    @property
    def gamma(self) -> int:
        """|Γ|, the number of claim clusters."""
        return int(self.claim_cluster.max()) + 1 if len(self.claim_cluster) else 0

    @property
    def pi(self) -> int:
        """|Π|, the number of premise clusters."""
        return int(self.premise_cluster.max()) + 1 if len(self.premise_cluster) else 0


def pf(links: Links) -> NDArray[np.int64]:
    """Return pf(p, c) = |{(p′, c′) : p′ ∈ π(p), c′ ∈ γ(c), p′ → c′}|, int64[links] ≥ 1   (D20).

    The arrow is the stance of the link, so attacking premises are counted among attacks.
    """
    keys = _pair_of_clusters(links)
    _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[places], np.int64)


def served(links: Links) -> NDArray[np.int64]:
    """Return |{γ : some premise of π supports a claim of γ}|, int64[stances, |Π|].

    The count is 0 if a cluster has no premise of that stance.
    """
    distinct = np.unique(_pair_of_clusters(links)) // max(1, links.gamma)
    return np.bincount(distinct, minlength=STANCES * links.pi).reshape(STANCES, links.pi)


def icf(clusters: int, served: ArrayLike) -> NDArray[np.float64]:
    """Return icf(p) = ln(|Γ| / |{γ : some p′ ∈ π(p) supports a claim of γ}|), float64   (D20).

    clusters: |Γ|. served: the number of claim clusters in the denominator; if 0, icf is 0.
    """
    counts = np.asarray(served, np.float64)
    shares = np.divide(clusters, counts, out=np.ones_like(counts), where=counts > 0)
    return np.asarray(np.log(shares))


def _pair_of_clusters(links: Links) -> NDArray[np.int64]:
    """Return a number for each (stance, premise cluster, claim cluster), int64[links]."""
    served_by = links.stance * links.pi + links.premise_cluster[links.premise]
    return np.asarray(served_by * links.gamma + links.claim_cluster[links.claim])


def dcf_by_score(scores: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return dcf(p, c, d) = |{p′ : p beats p′ on d}|, int64[n], p′ of p's claim and stance   (D20).

    Here p beats p′ if its score is higher (not if equal). A model linear in the difference of two
    premises' features, sign(w·(x − x′)), is of this kind: w·x is the score, and dcf is the rank
    from the bottom. Takes O(n log n). Scores are float64[n], by group.

    Raises ValueError if a score is not finite.
    """
    if not np.isfinite(scores).all():
        raise ValueError("scores must be finite numbers, but some are not")
    group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((scores, group))
    place = np.arange(len(scores))
    by_group, by_score = group[order], scores[order]
    first = np.ones(len(scores), bool)
    first[1:] = (by_group[1:] != by_group[:-1]) | (by_score[1:] != by_score[:-1])
    below = np.maximum.accumulate(np.where(first, place, 0)) - starts[by_group]
    counts = np.empty(len(scores), np.int64)
    counts[order] = below
    return counts
