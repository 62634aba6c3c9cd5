"""P(p|q,Δ): premises of the claims that match a question, and clusters of them (D20).

    P(p⁺|q,Δ) = Σ_{c: p → c} P(c|q) · P(p⁺|c,Δ)          P(π⁺|q,Δ) = Σ_{p ∈ π} P(p⁺|q,Δ)

Attacking premises (p⁻) are computed in the same way from the attacks. Families of P(p|c,Δ):

    pficf    P_pfIcf(p|c) = pf·icf / Z
    plain    P_dcf(p|c,Δ) = Π_{d ∈ Δ} (1 + dcf(p,c,d)) / Z_d
    product  P_pfIcf · P_dcf
    average  (P_pfIcf + P_dcf) / 2.

Every Z is a sum over the claim's premises of one stance. P_pfIcf is uniform if all pf·icf are 0,
which the paper does not specify. The products over several dimensions and of the two parts sum to
less than 1. The paper does not rescale them, which gives quality little weight in the average.
`normalise` first divides each by its sum (a deviation from the paper, off by default).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.errors import either
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.premises.counts import CON, STANCES, icf

FAMILIES = ("pficf", "plain", "product", "average")
LINKS_EXPLAINED = 20
"""Maximum number of links that an explanation lists one by one; it sums the remaining links."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Method:
    """A method of D20: a family, and the dimensions Δ as indices into `dcf`.

    The paper has 13 methods: pficf, and the other families with each of three dimensions or with
    all. Raises ValueError for an unknown family, or if dimensions are missing (or given for pficf).
    """

    family: str
    dimensions: tuple[int, ...] = ()
    normalise: bool = False

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise ValueError(f"family must be {either(FAMILIES)}, not {self.family!r}")
        if bool(self.dimensions) == (self.family == "pficf"):
            raise ValueError(
                "dimensions must be empty for the pficf family and non-empty for others, not "
                f"{self.dimensions} for {self.family}"
            )


@dataclass(frozen=True, slots=True)
class PremiseGroup:
    """The premises of one claim with one stance, as input to P(p|c,Δ)."""

    pf: Floats
    """float64[n] ≥ 1, pf of each premise."""
    icf: Floats
    """float64[n] ≥ 0, icf of each premise."""
    dcf: Floats
    """float64[dimensions, n], dcf of each premise, from 0 to n − 1."""


def p_claim(scores: ArrayLike) -> Floats:
    """Return P(c|q) = score(c) / Σ score of the retrieved claims, float64[n]   (D20).

    scores: by divergence from randomness, at least 0. The distribution is uniform if all scores
    are 0, and empty without claims.
    """
    values = np.asarray(scores, np.float64)
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError("scores must be finite and at least 0, but some are not")
    return _shares(values)


def _by_method(
    method: Method, dcf: NDArray[Any], pficf: Floats, shares: Callable[[Floats], Floats]
) -> Floats:
    """Return P(p|c,Δ) by a family, float64[n]. shares: function that divides by group sums.

    A group is the premises of a claim with one stance. The sum over it is 1 for pficf, for plain
    and average over one dimension, and always with `normalise`.
    """
    quality = np.ones(len(pficf))
    for d in method.dimensions:
        quality = quality * shares(1.0 + dcf[d])
    if method.normalise:
        quality = shares(quality)
    if method.family == "plain":
        return quality
    frequency = shares(pficf)
    if method.family == "pficf":
        return frequency
    if method.family == "average":
        return np.asarray((frequency + quality) / 2)
    product = frequency * quality
    return shares(product) if method.normalise else np.asarray(product)


def _shares(values: Floats) -> Floats:
    """Divide values by their sum, or return a uniform distribution if the sum is 0."""
    total = values.sum()
    return np.asarray(values / total if total > 0 else np.ones_like(values) / max(1, len(values)))


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """The counts of every link in an index, in the order of `Links`."""

    starts: Ints
    """int64[2·claims + 1], where the links of each group (claim, stance) begin."""
    premise: NDArray[np.integer]
    """int[links], the premise of each link."""
    premise_cluster: NDArray[np.integer]
    """int[premises], the cluster of each premise."""
    pf: NDArray[np.integer]
    """int[links], pf of each link."""
    served: NDArray[np.integer]
    """int[2, |Π|], the numbers of claim clusters that a premise cluster supports and attacks."""
    gamma: int
    """|Γ|, the number of claim clusters."""
    dcf: NDArray[np.integer]
    """int[dimensions, links], dcf of each link."""

    def group(self, claim: int, stance: int) -> tuple[Ints, PremiseGroup]:
        """Return the links of a claim with one stance, int64[n], and their `PremiseGroup`."""
        number = STANCES * claim + stance
        links = np.arange(self.starts[number], self.starts[number + 1], dtype=np.int64)
        served = self.served[stance, self.premise_cluster[self.premise[links]]]
        counted = self.pf[links].astype(np.float64), self.dcf[:, links].astype(np.float64)
        return links, PremiseGroup(counted[0], icf(self.gamma, served), counted[1])


@dataclass(frozen=True, slots=True)
class Weighed:
    """Premises of the retrieved claims, one per link, with their contributions to the scores."""

    links: Ints
    """int64[m], the links' positions in the index."""
    claim: Ints
    """int64[m], the claim's position among the retrieved claims."""
    stance: Ints
    """int64[m], PRO or CON."""
    cluster: Ints
    """int64[m], the premise's cluster."""
    parts: Floats
    """float64[m], P(c|q) · P(p|c,Δ)."""


def weigh(index: LinkCounts, claims: Ints, shares: Floats, method: Method) -> Weighed:
    """Return every link of the claims with P(c|q)·P(p|c,Δ).

    claims: int64[n], distinct. shares: P(c|q), float64[n]. Raises ValueError if a claim is not in
    the index.
    """
    count = (len(index.starts) - 1) // STANCES
    if ((claims < 0) | (claims >= count)).any():
        raise ValueError(f"claims must be below {count}, not {claims.min()} to {claims.max()}")
    groups = (STANCES * claims[:, None] + np.arange(STANCES)).ravel()
    sizes = index.starts[groups + 1] - index.starts[groups]
    group = np.repeat(np.arange(len(groups)), sizes)
    ends = np.cumsum(sizes)
    links = np.arange(len(group)) - np.repeat(ends - sizes - index.starts[groups], sizes)
    stance, claim = group % STANCES, group // STANCES
    cluster = index.premise_cluster[index.premise[links]].astype(np.int64)
    pficf = index.pf[links] * icf(index.gamma, index.served[stance, cluster])

    def each(values: Floats) -> Floats:
        """Return each value's share of its group, or equal shares if the group sums to 0."""
        totals = np.bincount(group, values, minlength=1)[group]
        uniform = 1.0 / np.bincount(group, minlength=1)[group]
        return np.asarray(np.divide(values, totals, out=uniform, where=totals > 0))

    weights = _by_method(method, index.dcf[:, links], pficf, each)
    return Weighed(links, claim, stance, cluster, shares[claim] * weights)


@dataclass(frozen=True, slots=True)
class RankedClusters:
    """Premise clusters by P(π|q,Δ), best first. Each stance of a cluster is a separate entry."""

    cluster: Ints
    """int64[k], the clusters."""
    stance: Ints
    """int64[k], PRO or CON."""
    score: Floats
    """float64[k], P(π|q,Δ)."""

    def where(self, keep: NDArray[np.bool_]) -> RankedClusters:
        """Return the selected clusters in the same order."""
        return RankedClusters(self.cluster[keep], self.stance[keep], self.score[keep])


def rank(weighed: Weighed) -> RankedClusters:
    """Rank by P(π|q,Δ) = Σ_{p ∈ π} Σ_{c: p → c} P(c|q)·P(p|c,Δ), both stances in one list   (D20).

    Ties go to the earlier cluster, then to the supporting stance.
    """
    keys = weighed.cluster * STANCES + weighed.stance
    distinct, places = np.unique(keys, return_inverse=True)
    sums = np.bincount(places, weighed.parts, minlength=len(distinct))
    scores = np.asarray(sums, np.float64)
    order = np.argsort(-scores, kind="stable")
    cluster, stance = np.divmod(distinct[order], STANCES)
    return RankedClusters(cluster, stance, scores[order])


def representatives(lengths: ArrayLike, cluster: ArrayLike, clusters: int) -> Ints:
    """Return the longest premise of each cluster, int64[clusters]. Ties go to the first   (D20).

    lengths: the length of each premise. cluster: int[premises]. Every cluster must have a premise.
    """
    size, of = np.asarray(lengths), np.asarray(cluster)
    order = np.lexsort((np.arange(len(of)), -size, of))
    return np.asarray(order[np.searchsorted(of[order], np.arange(clusters))], np.int64)


@dataclass(frozen=True, slots=True)
class RetrievedClaims:
    """The input of `explain`: the retrieved claims with their scores, and the method."""

    claims: Ints
    """int64[n], the claims."""
    scores: Floats
    """float64[n], scores by the model that retrieved the claims."""
    method: Method
    names: Sequence[str]
    """Names of the dimensions in the order of `LinkCounts.dcf`."""
    why: Callable[[int], tuple[Explanation, ...]] = lambda _claim: ()
    """Function that explains a claim's score."""


def explain(index: LinkCounts, asked: RetrievedClaims, cluster: int, stance: int) -> Explanation:
    """Explain the score of a premise cluster and stance by its links to the retrieved claims."""
    weighed = weigh(index, asked.claims, p_claim(asked.scores), asked.method)
    own = np.flatnonzero((weighed.cluster == cluster) & (weighed.stance == stance))
    own = own[np.argsort(-weighed.parts[own], kind="stable")]
    shown, rest = own[:LINKS_EXPLAINED], own[LINKS_EXPLAINED:]
    details = [
        _link(index, asked, int(weighed.links[i]), int(weighed.claim[i]), stance) for i in shown
    ]
    if len(rest):
        summed = float(weighed.parts[rest].sum())
        details.append(Explanation(summed, f"{len(rest)} links that contribute less"))
    side = "attacking" if stance == CON else "supporting"
    return Explanation(
        float(sum(part.value for part in details)),
        f"P(cluster {cluster} | question), {side}: sum over its premises and their claims",
        tuple(details),
    )


def _link(
    index: LinkCounts, asked: RetrievedClaims, link: int, place: int, stance: int
) -> Explanation:
    claim = int(asked.claims[place])
    links, group = index.group(claim, stance)
    share = Explanation(
        float(p_claim(asked.scores)[place]),
        f"P(claim {claim} | question): its score / the sum of all",
        (
            Explanation(float(asked.scores[place]), "score of the claim", asked.why(claim)),
            Explanation(
                float(asked.scores.sum()),
                f"sum of the scores of the {len(asked.claims)} claims found",
            ),
        ),
    )
    weight = _weight(index, asked, group, int(link - links[0]))
    return Explanation(
        share.value * weight.value,
        f"premise {int(index.premise[link])}: P(claim | question) × P(premise | claim)",
        (share, weight),
    )


def _weight(index: LinkCounts, asked: RetrievedClaims, group: PremiseGroup, at: int) -> Explanation:
    method, details = asked.method, []
    if method.family != "plain":
        details.append(_pficf(index, group, at))
    details += [_dcf(group, d, asked.names[d], at) for d in method.dimensions]
    how = {
        "pficf": "P_pfIcf",
        "plain": "product of P_dcf",
        "product": "P_pfIcf × product of P_dcf",
        "average": "(P_pfIcf + product of P_dcf) / 2",
    }[method.family]
    scaled = ", normalised to sum to 1" if method.normalise else ""
    return Explanation(
        float(_by_method(method, group.dcf, group.pf * group.icf, _shares)[at]),
        f"P(premise | claim), method {method.family}: {how}{scaled}",
        tuple(details),
    )


def _pficf(index: LinkCounts, group: PremiseGroup, at: int) -> Explanation:
    pficf = group.pf * group.icf
    Z = float(pficf.sum())
    how = "pf × icf / Z" if Z > 0 else "uniform over the claim's premises, as all pf × icf are 0"
    served = round(index.gamma / float(np.exp(group.icf[at])))
    return Explanation(
        float(_shares(pficf)[at]),
        f"P_pfIcf: {how}",
        (
            Explanation(float(group.pf[at]), "pf, links between the clusters of premise and claim"),
            Explanation(
                float(group.icf[at]),
                "icf: ln(claim clusters / claim clusters that the premise's cluster serves)",
                (
                    Explanation(float(index.gamma), "claim clusters"),
                    Explanation(float(served), "of which the premise's cluster serves"),
                ),
            ),
            Explanation(Z, f"Z, sum of pf × icf over the claim's {len(group.pf)} premises"),
        ),
    )


def _dcf(group: PremiseGroup, d: int, name: str, at: int) -> Explanation:
    wins = 1 + group.dcf[d]
    Z = float(wins.sum())
    return Explanation(
        float(_shares(wins)[at]),
        f"P_dcf, {name}: (1 + dcf) / Z",
        (
            Explanation(
                float(group.dcf[d, at]),
                f"dcf, wins against the claim's {len(group.pf) - 1} other premises of this stance",
            ),
            Explanation(Z, "Z, sum of 1 + dcf over the claim's premises"),
        ),
    )
