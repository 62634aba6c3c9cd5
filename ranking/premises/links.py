"""Which premise supports or attacks which claim, and the clusters of both: what D20 counts over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PRO, CON = 0, 1
"""Stances of a premise towards its claim: it supports it (p → c), or attacks it."""

STANCES = 2

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Links:
    """Distinct (claim, stance, premise) triples in that order, and the cluster of each side.

    All arrays are int64. A premise may belong to several claims, and to both sides of one. A
    claim's premises of one stance are a *group*; its number is 2·claim + stance.
    """

    claim: Ints
    """int64[links], non-decreasing."""
    stance: Ints
    """int64[links], PRO or CON."""
    premise: Ints
    """int64[links]."""
    claim_cluster: Ints
    """int64[claims], 0 … |Γ| − 1."""
    premise_cluster: Ints
    """int64[premises], 0 … |Π| − 1."""

    @property
    def group(self) -> Ints:
        """2·claim + stance of each link, int64[links], non-decreasing."""
        return STANCES * self.claim + self.stance

    @property
    def groups(self) -> int:
        """Number of groups, those without a premise included."""
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

    def check(self) -> None:
        """Raise ValueError for links that repeat, are out of order, or name what is not there."""
        triples = np.stack([self.claim, self.stance, self.premise], axis=1)
        limits = (len(self.claim_cluster), STANCES, len(self.premise_cluster))
        if ((triples < 0) | (triples >= limits)).any():
            raise ValueError(
                f"links reach beyond {limits[0]} claims, {STANCES} stances, {limits[2]} premises"
            )
        order = self.group * max(1, limits[2]) + self.premise
        if (np.diff(order) <= 0).any():
            raise ValueError("links repeat or are unsorted; allowed: distinct, by claim and stance")
