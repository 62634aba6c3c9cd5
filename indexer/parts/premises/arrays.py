"""The arrays of an index's claims and premises, in one frozen record of integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.premises.claim_premise import LinkCounts

Ints32 = NDArray[np.int32]
Ints64 = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ClaimArrays:
    """Claims, premises, links between them, and clusters of both (D20).

    A *claim* is a distinct conclusion and a *premise* a distinct text; both are numbered by first
    occurrence. A *link* is a distinct (claim, stance, premise); links are sorted in this order.
    Group 2·claim + stance holds the links that support (0) or attack (1) a claim. Texts are not
    stored: they are the conclusion of `claim_document`, or premise `premise_slot` of its document.
    """

    claim_document: Ints32
    """int32[claims], the first document with this conclusion."""
    claim_cluster: Ints32
    """int32[claims], 0 … |Γ| − 1."""
    claim_levels: NDArray[np.int8]
    """int8[claims, d], the embedding of each claim, as levels from `quantise`."""
    premise_document: Ints32
    """int32[premises], the first document with this text."""
    premise_slot: Ints32
    """int32[premises], the position of each premise in its document."""
    premise_length: Ints32
    """int32[premises], length of each premise in characters."""
    premise_cluster: Ints32
    """int32[premises], 0 … |Π| − 1."""
    starts: Ints64
    """int64[2·claims + 1]; the links of group g are starts[g] … starts[g + 1] − 1."""
    premise: Ints32
    """int32[links], the premise of each link."""
    pf: Ints32
    """int32[links], the frequency pf ≥ 1 of each link."""
    dcf: Ints32
    """int32[dimensions, links], dcf of each link, from 0 to the group's number of premises − 1."""
    served: Ints32
    """int32[2, |Π|], number n of claim clusters that π supports or attacks; icf = ln(|Γ| / n)."""
    representative: Ints32
    """int32[|Π|], the longest premise of each cluster."""
    member_starts: Ints64
    """int64[|Π| + 1]; the premises of cluster π are members[member_starts[π]:…[π + 1]]."""
    members: Ints32
    """int32[premises], premises sorted by cluster, then by number."""
    occurrence_starts: Ints64
    """int64[links + 1]; the documents of link l are occurrences[occurrence_starts[l]:…[l + 1]]."""
    occurrences: Ints32
    """int32[occurrences], documents, ascending within a link."""

    @property
    def claims(self) -> int:
        """Number of claims."""
        return len(self.claim_document)

    @property
    def claim_clusters(self) -> int:
        """Number of claim clusters, |Γ|."""
        return int(self.claim_cluster.max()) + 1 if self.claims else 0

    def scoring(self) -> LinkCounts:
        """Return the arrays that a query needs."""
        counts = self.starts, self.premise, self.premise_cluster, self.pf, self.served
        return LinkCounts(*counts, self.claim_clusters, self.dcf)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, as a part of an index stores them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> ClaimArrays:
        """Rebuild the record from its `to_arrays`; raise KeyError if an array is missing."""
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})
