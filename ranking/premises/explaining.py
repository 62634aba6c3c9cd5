"""Why a premise cluster scores what it does: P(π|q,Δ) down to counts (D20)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from argsearch.ranking.explanation import Explanation
from argsearch.ranking.premises.claim_premise import (
    Floats,
    Ints,
    LinkCounts,
    Method,
    PremiseGroup,
    p_claim,
    p_dcf,
    p_pficf,
    p_premise,
    weigh,
)
from argsearch.ranking.premises.counts import CON

LINKS_EXPLAINED = 20
"""Links that are explained one by one, those that add most; the others are summed."""


@dataclass(frozen=True, slots=True)
class RetrievedClaims:
    """What was asked for: the retrieved claims with their scores, and the method."""

    claims: Ints
    """int64[n]."""
    scores: Floats
    """float64[n], of the model that found them."""
    method: Method
    names: Sequence[str]
    """Names of the dimensions, by their place in `LinkCounts.dcf`."""
    why: Callable[[int], tuple[Explanation, ...]] = lambda _claim: ()
    """What a claim's score follows from."""


def explain(index: LinkCounts, asked: RetrievedClaims, cluster: int, stance: int) -> Explanation:
    """The score of one premise cluster and stance, from its links to the retrieved claims."""
    weighed = weigh(index, asked.claims, p_claim(asked.scores), asked.method)
    own = np.flatnonzero((weighed.cluster == cluster) & (weighed.stance == stance))
    own = own[np.argsort(-weighed.parts[own], kind="stable")]
    shown, rest = own[:LINKS_EXPLAINED], own[LINKS_EXPLAINED:]
    details = [
        _link(index, asked, int(weighed.links[i]), int(weighed.claim[i]), stance) for i in shown
    ]
    if len(rest):
        summed = float(weighed.parts[rest].sum())
        details.append(Explanation(summed, f"{len(rest)} links that add less"))
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
    at = int(link - links[0])
    share = _share(asked, place)
    weight = _weight(index, asked, group, at)
    return Explanation(
        share.value * weight.value,
        f"premise {int(index.premise[link])}: P(claim | question) × P(premise | claim)",
        (share, weight),
    )


def _share(asked: RetrievedClaims, place: int) -> Explanation:
    own, total = float(asked.scores[place]), float(asked.scores.sum())
    return Explanation(
        float(p_claim(asked.scores)[place]),
        f"P(claim {int(asked.claims[place])} | question): its score / the sum of all",
        (
            Explanation(own, "score of the claim", asked.why(int(asked.claims[place]))),
            Explanation(total, f"sum of the scores of the {len(asked.claims)} claims found"),
        ),
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
        float(p_premise(group, method)[at]),
        f"P(premise | claim), method {method.family}: {how}{scaled}",
        tuple(details),
    )


def _pficf(index: LinkCounts, group: PremiseGroup, at: int) -> Explanation:
    Z = float((group.pf * group.icf).sum())
    how = "pf × icf / Z" if Z > 0 else "uniform over the claim's premises, as all pf × icf are 0"
    served = round(index.gamma / float(np.exp(group.icf[at])))
    return Explanation(
        float(p_pficf(group)[at]),
        f"P_pfIcf: {how}",
        (
            Explanation(float(group.pf[at]), "pf, links of the premise's cluster with the claim's"),
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
    Z = float((1 + group.dcf[d]).sum())
    return Explanation(
        float(p_dcf(group, d)[at]),
        f"P_dcf, {name}: (1 + dcf) / Z",
        (
            Explanation(
                float(group.dcf[d, at]),
                f"dcf, of the claim's {len(group.pf) - 1} other premises of this stance it beats",
            ),
            Explanation(Z, "Z, sum of 1 + dcf over the claim's premises"),
        ),
    )
