"""P(p|q,Δ): premises of the claims that a question finds, and clusters of premises (D20).

    P(p⁺|q,Δ) = Σ_{c: p → c} P(c|q) · P(p⁺|c,Δ)          P(π⁺|q,Δ) = Σ_{p ∈ π} P(p⁺|q,Δ)

Attacking premises (p⁻) are reckoned alike among the attacks. P(p|c,Δ) is of one of four families:

    pficf    P_pfIcf(p|c) = pf·icf / Z
    plain    P_dcf(p|c,Δ) = Π_{d ∈ Δ} (1 + dcf(p,c,d)) / Z_d
    product  P_pfIcf · P_dcf
    average  (P_pfIcf + P_dcf) / 2

Every Z sums over the claim's premises of one stance. P_pfIcf is uniform where all pf·icf are 0 (the
paper is silent). The product over several dimensions, and that of the two parts, sum to less than
1; the paper leaves them so, which makes quality weigh little in the average: `normalise` divides
each by its sum first (a deviation, off by default).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.premises.counts import STANCES, icf

FAMILIES = ("pficf", "plain", "product", "average")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Method:
    """One of D20's methods: a family, and the dimensions Δ by their place in `dcf`.

    The 13 of the paper: pficf alone, and each other family with one of three dimensions or all.
    Raises ValueError for an unknown family, or dimensions missing where the family needs them.
    """

    family: str
    dimensions: tuple[int, ...] = ()
    normalise: bool = False

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise ValueError(f"family is {self.family!r}; allowed: {', '.join(FAMILIES)}")
        if bool(self.dimensions) == (self.family == "pficf"):
            raise ValueError(
                f"dimensions are {self.dimensions} with family {self.family}; allowed: "
                "one or more, none for pficf"
            )


@dataclass(frozen=True, slots=True)
class PremiseGroup:
    """One claim's premises of one stance: what P(p|c,Δ) is reckoned from."""

    pf: Floats
    """float64[n] ≥ 1."""
    icf: Floats
    """float64[n] ≥ 0."""
    dcf: Floats
    """float64[dimensions, n], each 0 … n − 1."""


def p_claim(scores: ArrayLike) -> Floats:
    """P(c|q) = score(c) / Σ score, float64[n]; every claim that was not retrieved has 0   (D20).

    scores: of the retrieved claims, by divergence from randomness; not negative. Uniform where all
    are 0; empty where nothing was retrieved.
    """
    values = np.asarray(scores, np.float64)
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError("scores hold a negative or infinite value; allowed: finite, from 0")
    return _shares(values)


def p_pficf(group: PremiseGroup) -> Floats:
    """P_pfIcf(p|c) = pf(p,c)·icf(p) / Z, float64[n], sums to 1   (D20)."""
    return _shares(group.pf * group.icf)


def p_dcf(group: PremiseGroup, dimension: int) -> Floats:
    """P_dcf(p|c,d) = (1 + dcf(p,c,d)) / Σ_{p′} (1 + dcf(p′,c,d)), float64[n], sums to 1   (D20)."""
    return _shares(1.0 + group.dcf[dimension])


def p_premise(group: PremiseGroup, method: Method) -> Floats:
    """P(p|c,Δ) of a claim's premises of one stance, float64[n], by one of the 13 methods   (D20).

    Sums to 1 for pficf, for plain and average over one dimension, and for all with `normalise`.
    """
    if method.family == "pficf":
        return p_pficf(group)
    quality = np.ones_like(group.pf)
    for d in method.dimensions:
        quality = quality * p_dcf(group, d)
    if method.normalise:
        quality = _shares(quality)
    if method.family == "plain":
        return quality
    if method.family == "average":
        return np.asarray((p_pficf(group) + quality) / 2)
    product = p_pficf(group) * quality
    return _shares(product) if method.normalise else np.asarray(product)


def _shares(values: Floats) -> Floats:
    """Values divided by their sum; uniform where it is 0."""
    total = values.sum()
    return np.asarray(values / total if total > 0 else np.ones_like(values) / max(1, len(values)))


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """What an index holds of every link, in the order of `Links`: all that a query needs."""

    starts: Ints
    """int64[2·claims + 1], the links of each group (claim, stance)."""
    premise: NDArray[np.integer]
    """int[links]."""
    premise_cluster: NDArray[np.integer]
    """int[premises]."""
    pf: NDArray[np.integer]
    """int[links]."""
    served: NDArray[np.integer]
    """int[2, |Π|], the claim clusters that a premise cluster supports, or attacks."""
    gamma: int
    """|Γ|."""
    dcf: NDArray[np.integer]
    """int[dimensions, links]."""

    def group(self, claim: int, stance: int) -> tuple[Ints, PremiseGroup]:
        """The links of one claim's premises of one stance, int64[n], and what they hold."""
        number = STANCES * claim + stance
        links = np.arange(self.starts[number], self.starts[number + 1], dtype=np.int64)
        served = self.served[stance, self.premise_cluster[self.premise[links]]]
        counted = self.pf[links].astype(np.float64), self.dcf[:, links].astype(np.float64)
        return links, PremiseGroup(counted[0], icf(self.gamma, served), counted[1])


@dataclass(frozen=True, slots=True)
class Weighed:
    """The premises of the retrieved claims with their parts of the answer, one a link."""

    links: Ints
    """int64[m], places in the index."""
    claim: Ints
    """int64[m], the claim's place among the retrieved ones."""
    stance: Ints
    """int64[m]."""
    cluster: Ints
    """int64[m], the premise's cluster."""
    parts: Floats
    """float64[m], P(c|q) · P(p|c,Δ)."""


def weigh(index: LinkCounts, claims: Ints, shares: Floats, method: Method) -> Weighed:
    """Every link of the claims, with P(c|q)·P(p|c,Δ): `p_premise` of all groups at once.

    claims: int64[n], distinct; shares: P(c|q), float64[n]. Raises ValueError for claims the index
    does not have.
    """
    count = (len(index.starts) - 1) // STANCES
    if ((claims < 0) | (claims >= count)).any():
        raise ValueError(
            f"claims reach from {claims.min()} to {claims.max()}; allowed: 0 … {count}"
        )
    groups = (STANCES * claims[:, None] + np.arange(STANCES)).ravel()
    sizes = index.starts[groups + 1] - index.starts[groups]
    group = np.repeat(np.arange(len(groups)), sizes)
    ends = np.cumsum(sizes)
    links = np.arange(len(group)) - np.repeat(ends - sizes - index.starts[groups], sizes)
    stance, claim = group % STANCES, group // STANCES
    cluster = index.premise_cluster[index.premise[links]].astype(np.int64)
    weights = _weights(index, links, group, index.served[stance, cluster], method)
    return Weighed(links, claim, stance, cluster, shares[claim] * weights)


def _weights(
    index: LinkCounts, links: Ints, group: Ints, served: NDArray[np.integer], method: Method
) -> Floats:
    """`p_premise` of many groups, float64[m]; a group's links stand together."""

    def shares(values: Floats) -> Floats:
        """Each value's share of its group's; the same for all where they are 0."""
        totals = np.bincount(group, values, minlength=1)[group]
        uniform = 1.0 / np.bincount(group, minlength=1)[group]
        return np.asarray(np.divide(values, totals, out=uniform, where=totals > 0))

    quality = np.ones(len(links))
    for d in method.dimensions:
        quality = quality * shares(1.0 + index.dcf[d, links])
    if method.normalise:
        quality = shares(quality)
    if method.family == "plain":
        return quality
    frequency = shares(index.pf[links] * icf(index.gamma, served))
    if method.family == "pficf":
        return frequency
    if method.family == "average":
        return np.asarray((frequency + quality) / 2)
    product = frequency * quality
    return shares(product) if method.normalise else np.asarray(product)


@dataclass(frozen=True, slots=True)
class RankedClusters:
    """Premise clusters by P(π|q,Δ), best first; one that both supports and attacks stands twice."""

    cluster: Ints
    """int64[k]."""
    stance: Ints
    """int64[k], PRO or CON."""
    score: Floats
    """float64[k]."""

    def of(self, stance: int) -> RankedClusters:
        """The clusters of one stance, in the same order."""
        keep = self.stance == stance
        return RankedClusters(self.cluster[keep], self.stance[keep], self.score[keep])


def rank(weighed: Weighed) -> RankedClusters:
    """P(π|q,Δ) = Σ_{p ∈ π} Σ_{c: p → c} P(c|q)·P(p|c,Δ) of both stances, one list   (D20).

    Ties go to the earlier cluster, then to the support.
    """
    keys = weighed.cluster * STANCES + weighed.stance
    distinct, places = np.unique(keys, return_inverse=True)
    sums = np.bincount(places, weighed.parts, minlength=len(distinct))
    scores = np.asarray(sums, np.float64)
    order = np.argsort(-scores, kind="stable")
    cluster, stance = np.divmod(distinct[order], STANCES)
    return RankedClusters(cluster, stance, scores[order])


def representatives(lengths: ArrayLike, cluster: ArrayLike, clusters: int) -> Ints:
    """The longest premise of each cluster, int64[clusters]; ties go to the earlier   (D20).

    lengths: of each premise; cluster: int[premises]. Every cluster has a premise.
    """
    size, of = np.asarray(lengths), np.asarray(cluster)
    order = np.lexsort((np.arange(len(of)), -size, of))
    return np.asarray(order[np.searchsorted(of[order], np.arange(clusters))], np.int64)
