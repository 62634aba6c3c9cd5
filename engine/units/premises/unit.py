"""Premises grouped by meaning, ranked by any of the 13 methods over claims found by DFR (D20)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.findings import LocalFindings
from argsearch.engine.cached import cached_property
from argsearch.engine.config import Config, PremiseRanking
from argsearch.engine.stages import Candidates
from argsearch.engine.stages.base import Ints
from argsearch.engine.units.base import OpenIndex, SearchRequest, Unit, eligible, local, paged
from argsearch.engine.units.premises.opened import ClaimQuery, Claims, FoundClaims
from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.errors import InvalidParameter, either
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.premises.claim_premise import (
    Method,
    RankedClusters,
    RetrievedClaims,
    Weighed,
    explain,
    p_claim,
    rank,
    weigh,
)
from argsearch.ranking.premises.counts import CON, PRO


@dataclass(frozen=True, slots=True)
class Stated:
    """A premise as stated in one argument."""

    argument: str
    """Id of the argument."""
    text: str


@dataclass(frozen=True, slots=True)
class ClaimShare:
    """A claim that a hit supports or attacks."""

    text: str
    share: float
    """P(c|q)."""
    adds: float
    """The claim's part of the hit's score. The score is the sum over its claims."""


@dataclass(frozen=True)
class FoundPremises(LocalFindings):
    """The claims of a question, the weights of their premises, and the clusters, best first."""

    asked: ClaimQuery
    config: Config
    method: Method
    claims: Claims = field(repr=False)
    found: FoundClaims = field(repr=False)
    shares: NDArray[np.float64] = field(repr=False)
    """P(c|q) of the claims found, float64[n]."""
    weighed: Weighed = field(repr=False)
    ranked: RankedClusters = field(repr=False)

    @property
    def total(self) -> int:
        """Number of premise clusters for the claims found."""
        return len(self.ranked.score)

    @property
    def about(self) -> int:
        """Number of claims that were found and read."""
        return len(self.found.claims)

    def details(self, row: int) -> PremiseCluster:
        """Return the cluster."""
        return PremiseCluster(self, int(self.ranked.cluster[row]), int(self.ranked.stance[row]))

    def docs(self, rows: Ints) -> NDArray[np.integer]:
        """Return the documents of the representatives without reading their texts."""
        arrays = self.claims.arrays
        if self.config.premises.representative == "cluster":
            premises = arrays.representative[self.ranked.cluster[rows]]
        else:
            numbers = [self.details(row).number for row in rows.tolist()]
            premises = np.array(numbers, np.int64)
        return np.asarray(arrays.premise_document[premises])

    def stance(self, row: int) -> Stance:
        """Return the stance of the cluster's premises towards the claims."""
        return Stance.CON if self.ranked.stance[row] == CON else Stance.PRO

    def stated(self, row: int) -> Argument:
        """Return the claim that adds most to the cluster's score, with the representative."""
        cluster = self.details(row)
        premise = Premise(cluster.representative.text, self.stance(row))
        return Argument(cluster.representative.argument, cluster.claims(1)[0].text, (premise,))

    def explanation(self, row: int) -> Explanation:
        """Return the explanation, broken down to counts."""
        claims, found, ranked = self.claims, self.found, self.ranked
        factor = dict(zip(found.claims.tolist(), found.factors.tolist(), strict=True))

        def why(claim: int) -> tuple[Explanation, ...]:
            """Return the reasons why the claim was found."""
            return claims.explain(self.asked, self.config.retrieval, claim, factor[claim])

        asked = RetrievedClaims(found.claims, found.scores, self.method, claims.dimensions, why)
        tree = explain(claims.scoring, asked, int(ranked.cluster[row]), int(ranked.stance[row]))
        return replace(tree, value=float(ranked.score[row]))


@dataclass(frozen=True)
class PremiseCluster:
    """Premises with the same meaning and the same stance."""

    answered: FoundPremises = field(repr=False)
    cluster: int
    """π, the cluster's number in the index."""
    code: int
    """The stance: PRO or CON, as in `argsearch.ranking.premises.counts`."""

    @cached_property
    def representative(self) -> Stated:
        """The longest premise of the claims found, or of all (`premises.representative`)."""
        return self._stated([self.number])[0]

    @property
    def size(self) -> int:
        """Number of premises in the cluster, of both stances and all claims."""
        starts = self.answered.claims.arrays.member_starts
        return int(starts[self.cluster + 1] - starts[self.cluster])

    @property
    def found(self) -> int:
        """Number of premises with this stance in the claims that were found."""
        return len(np.unique(self._premises))

    def members(self, most: int = 10) -> list[Stated]:
        """Return the premises: first those of the claims found, by contribution, then the rest."""
        arrays, weighed = self.answered.claims.arrays, self.answered.weighed
        first, place = np.unique(self._premises, return_inverse=True)
        sums = np.bincount(place, weighed.parts[self.links])
        first = first[np.argsort(-sums, kind="stable")]
        whole = arrays.members[slice(*arrays.member_starts[self.cluster : self.cluster + 2])]
        rest = np.setdiff1d(whole, first)
        return self._stated([*first.tolist(), *rest.tolist()][:most])

    def claims(self, most: int = 10) -> list[ClaimShare]:
        """Return the claims found, beginning with those that add most to the score."""
        answered, weighed = self.answered, self.answered.weighed
        places = weighed.claim[self.links]
        sums = np.bincount(places, weighed.parts[self.links])
        order = np.unique(places)
        order = order[np.argsort(-sums[order], kind="stable")][:most].tolist()
        texts = [answered.claims.text(int(answered.found.claims[place])) for place in order]
        return [
            ClaimShare(text, float(answered.shares[place]), float(sums[place]))
            for place, text in zip(order, texts, strict=True)
        ]

    @cached_property
    def number(self) -> int:
        """The number of the representative in the index."""
        arrays = self.answered.claims.arrays
        if self.answered.config.premises.representative == "cluster":
            return int(arrays.representative[self.cluster])
        own = np.unique(self._premises)
        return int(own[np.argmax(arrays.premise_length[own])])

    @cached_property
    def links(self) -> Ints:
        """Positions of the cluster's premises in `weighed`, int64[n]."""
        weighed = self.answered.weighed
        return np.flatnonzero((weighed.cluster == self.cluster) & (weighed.stance == self.code))

    @property
    def _premises(self) -> Ints:
        links = self.answered.weighed.links[self.links]
        return self.answered.claims.arrays.premise[links].astype(np.int64)

    def _stated(self, premises: Sequence[int]) -> list[Stated]:
        """Return the texts of premises. A document too large for the cache is read only once."""
        arrays = self.answered.claims.arrays
        places = arrays.premise_document[premises].tolist()
        documents = {place: self.answered.claims.document(place) for place in dict.fromkeys(places)}
        slots = arrays.premise_slot[premises].tolist()
        return [
            Stated(documents[place].id, documents[place].premises[slot].text)
            for place, slot in zip(places, slots, strict=True)
        ]


class Premises(Unit):
    """The unit `premises`."""

    name: ClassVar[str] = "premises"
    singular: ClassVar[str] = "premise"
    doc: ClassVar[str] = "distinct premises of the claims found, ordered by quality (D20)"
    part: ClassVar[str] = "premises"
    takes: ClassVar[tuple[str, ...]] = (*Unit.takes, "discriminative")
    stances: ClassVar[bool] = True
    repeats: ClassVar[bool] = True

    def __init__(self, engine: OpenIndex) -> None:
        """Open the unit, or raise PartMissing if the index lacks the part."""
        super().__init__(engine)
        self.claims = Claims(local(engine), engine.backend.part(self.part))

    def retrieve(self, request: SearchRequest) -> Candidates:
        """Return the best premise clusters, ranked as configured in section [premises] (D20).

        Raises InvalidParameter for an unknown dimension.
        """
        question, claims, config = request.question, self.claims, request.config
        section = config.premises
        method = method_of(section, claims.dimensions)
        asked = claims.ask(question, section, self.engine.encoder)
        found = claims.find(asked, config.retrieval, section.depth)
        shares = p_claim(found.scores)
        weighed = weigh(claims.scoring, found.claims, shares, method)
        ranked = rank(weighed)
        stance = section.stance if request.own is None else request.own.lower()
        if stance != "both":
            ranked = ranked.where(ranked.stance == (PRO if stance == "pro" else CON))
        answered = asked, config, method, claims, found, shares, weighed, ranked
        source = FoundPremises(claims.backend, *answered)
        passing = eligible(claims.backend, request)
        if passing is not None:
            ranked = ranked.where(passing[source.docs(np.arange(len(ranked.score)))])
            source = replace(source, ranked=ranked)
        return paged(self.candidates(question, source, ranked.score), request)


def method_of(section: PremiseRanking, known: tuple[str, ...]) -> Method:
    """Return the configured method. Its dimensions are positions in the index."""
    for name in section.dimensions:
        if name not in known:
            raise InvalidParameter("premises.dimensions", name, f"{either(known)} in this index")
    if section.family == "pficf":
        return Method("pficf")
    if not section.dimensions:
        raise InvalidParameter("premises.dimensions", "[]", f"one or more of {', '.join(known)}")
    places = tuple(known.index(name) for name in section.dimensions)
    return Method(section.family, places, section.normalise)
