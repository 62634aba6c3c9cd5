"""Premise clusters as hits: what they say, for which claims, and why they stand there (D20)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.units.premises.opened import Claims, Found
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.premises.claim_premise import Method, RankedClusters, Weighed
from argsearch.ranking.premises.counts import CON
from argsearch.ranking.premises.explaining import RetrievedClaims, explain

if TYPE_CHECKING:
    from argsearch.engine.config import Config

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stated:
    """A premise as one argument states it."""

    argument: str
    """The argument's id."""
    text: str


@dataclass(frozen=True, slots=True)
class ClaimShare:
    """A claim that a hit serves."""

    text: str
    share: float
    """P(c|q)."""
    adds: float
    """What the hit's score has from it; the claims' sum is the score."""


@dataclass(frozen=True)
class Answered:
    """A question's claims and the weights of their premises: what hits are read from."""

    question: str
    config: Config
    claims: Claims = field(repr=False)
    found: Found = field(repr=False)
    shares: NDArray[np.float64] = field(repr=False)
    """P(c|q) of the claims found, float64[n]."""
    weighed: Weighed = field(repr=False)
    method: Method

    def links(self, cluster: int, stance: int) -> Ints:
        """The places in `weighed` of a cluster's premises, int64[n]."""
        own = (self.weighed.cluster == cluster) & (self.weighed.stance == stance)
        return np.flatnonzero(own)

    def why(self, claim: int) -> tuple[Explanation, ...]:
        """The parts of a claim's score."""
        return self.claims.explain(self.question, self.config.retrieval, claim)


@dataclass(frozen=True)
class PremiseHit:
    """Premises of one meaning and stance. `rank` counts from 1."""

    rank: int
    score: float
    """P(π|q,Δ)."""
    stance: str
    """PRO or CON, towards the claims."""
    cluster: int
    """π, its number in the index."""
    answered: Answered = field(repr=False)

    @property
    def id(self) -> str:
        """The id of the representative's argument, without reading it."""
        claims = self.answered.claims
        row = int(claims.arrays.premise_document[self._representative])
        return claims.backend.ids[row]

    @cached_property
    def representative(self) -> Stated:
        """Its longest premise: of the claims found, or of all (`premises.representative`)."""
        return self._stated(self._representative)

    @property
    def size(self) -> int:
        """How many premises are in the cluster, of both stances and all claims."""
        starts = self.answered.claims.arrays.member_starts
        return int(starts[self.cluster + 1] - starts[self.cluster])

    @property
    def found(self) -> int:
        """How many of them the claims found have, with this stance."""
        return len(np.unique(self._premises))

    def members(self, most: int = 10) -> list[Stated]:
        """Its premises: those of the claims found, by what they add, then the others."""
        arrays, weighed = self.answered.claims.arrays, self.answered.weighed
        first, place = np.unique(self._premises, return_inverse=True)
        sums = np.bincount(place, weighed.parts[self._links])
        first = first[np.argsort(-sums, kind="stable")]
        whole = arrays.members[slice(*arrays.member_starts[self.cluster : self.cluster + 2])]
        rest = np.setdiff1d(whole, first)
        return [self._stated(premise) for premise in [*first.tolist(), *rest.tolist()][:most]]

    def claims(self, most: int = 10) -> list[ClaimShare]:
        """The claims found that it serves, those first that add most."""
        answered, weighed = self.answered, self.answered.weighed
        places = weighed.claim[self._links]
        sums = np.bincount(places, weighed.parts[self._links])
        order = np.unique(places)
        order = order[np.argsort(-sums[order], kind="stable")][:most].tolist()
        texts = [answered.claims.text(int(answered.found.claims[place])) for place in order]
        return [
            ClaimShare(text, float(answered.shares[place]), float(sums[place]))
            for place, text in zip(order, texts, strict=True)
        ]

    @cached_property
    def explanation(self) -> Explanation:
        """Why it stands where it stands: the root's value is `score`, the leaves are counts."""
        answered = self.answered
        claims, found = answered.claims, answered.found
        asked = RetrievedClaims(
            found.claims, found.scores, answered.method, claims.dimensions, answered.why
        )
        stance = int(self.stance == "CON")
        return replace(explain(claims.scoring, asked, self.cluster, stance), value=self.score)

    @cached_property
    def _links(self) -> Ints:
        return self.answered.links(self.cluster, int(self.stance == "CON"))

    @property
    def _premises(self) -> Ints:
        links = self.answered.weighed.links[self._links]
        return self.answered.claims.arrays.premise[links].astype(np.int64)

    @cached_property
    def _representative(self) -> int:
        arrays = self.answered.claims.arrays
        if self.answered.config.premises.representative == "cluster":
            return int(arrays.representative[self.cluster])
        own = np.unique(self._premises)
        return int(own[np.argmax(arrays.premise_length[own])])

    def _stated(self, premise: int) -> Stated:
        claims = self.answered.claims
        argument = claims.document(int(claims.arrays.premise_document[premise]))
        text = argument.premises[int(claims.arrays.premise_slot[premise])].text
        return Stated(argument.id, text)


class PremiseHits(Sequence[PremiseHit]):
    """The hits of an answer, made when they are looked at."""

    def __init__(self, ranked: RankedClusters, answered: Answered) -> None:
        self._ranked, self._answered = ranked, answered

    def __len__(self) -> int:
        return len(self._ranked.score)

    def __getitem__(self, i):  # type: ignore[no-untyped-def]
        """One hit, or a list of them."""
        if isinstance(i, slice):
            return [self[place] for place in range(*i.indices(len(self)))]
        place = range(len(self))[i]
        ranked = self._ranked
        stance = "CON" if ranked.stance[place] == CON else "PRO"
        score, cluster = float(ranked.score[place]), int(ranked.cluster[place])
        return PremiseHit(place + 1, score, stance, cluster, self._answered)


@dataclass(frozen=True)
class PremiseResults:
    """The answer to a question: premise clusters, best first."""

    question: str
    hits: Sequence[PremiseHit]
    total: int
    """How many premise clusters the claims found lead to."""
    claims: int
    """How many claims were found and looked at."""
    config: Config
    fingerprint: str
    milliseconds: float
    notes: tuple[str, ...] = ()
