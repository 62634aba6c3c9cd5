"""Premises that mean the same: claims by DFR, their premises by one of the 13 methods (D20)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from argsearch.engine.config import PremiseRanking
from argsearch.engine.stages import Candidates
from argsearch.engine.units.base import OpenIndex, SearchRequest, Unit, eligible, local, paged
from argsearch.engine.units.premises.found import FoundPremises
from argsearch.engine.units.premises.opened import Claims
from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.premises.claim_premise import Method, RankedClusters, p_claim, rank, weigh
from argsearch.ranking.premises.counts import CON, PRO

STANCE_CODES = {"pro": PRO, "con": CON}


class Premises(Unit):
    """The unit `premises`."""

    name: ClassVar[str] = "premises"
    singular: ClassVar[str] = "premise"
    doc: ClassVar[str] = "premises of the claims found, each meaning once, by quality (D20)"
    part: ClassVar[str] = "premises"
    stances: ClassVar[bool] = True
    repeats: ClassVar[bool] = True

    def __init__(self, engine: OpenIndex) -> None:
        """Raises PartMissing where the index lacks the part."""
        super().__init__(engine)
        part = engine.backend.part(self.part)
        self.claims = Claims(local(engine), part)

    def retrieve(self, request: SearchRequest) -> Candidates:
        """Return the best premise clusters, section [premises] of the configuration (D20).

        Raises InvalidParameter for a blank question or an unknown dimension.
        """
        question, claims, config = request.question, self.claims, request.config
        if not question.strip():
            raise InvalidParameter("query", question, "a text with at least one word")
        section = config.premises
        method = method_of(section, claims.dimensions)
        found = claims.find(question, config.retrieval, section.depth)
        shares = p_claim(found.scores)
        weighed = weigh(claims.scoring, found.claims, shares, method)
        ranked = rank(weighed)
        stance = section.stance if request.own is None else request.own.lower()
        if stance != "both":
            ranked = ranked.of(STANCE_CODES[stance])
        answered = (question, config, claims, found, shares, weighed, method)
        source = FoundPremises(claims.backend, *answered, ranked)
        passing = eligible(claims.backend, request)
        if passing is not None:
            fit = passing[source.docs(np.arange(len(ranked.score)))]
            ranked = RankedClusters(ranked.cluster[fit], ranked.stance[fit], ranked.score[fit])
            source = FoundPremises(claims.backend, *answered, ranked)
        return paged(self.candidates(question, source, ranked.score), request)


def method_of(section: PremiseRanking, known: tuple[str, ...]) -> Method:
    """Return the method that a configuration asks for, its dimensions by place in the index."""
    for name in section.dimensions:
        if name not in known:
            raise InvalidParameter("premises.dimensions", name, f"{', '.join(known)} (the index)")
    if section.family == "pficf":
        return Method("pficf")
    if not section.dimensions:
        raise InvalidParameter("premises.dimensions", "[]", f"one or more of {', '.join(known)}")
    places = tuple(known.index(name) for name in section.dimensions)
    return Method(section.family, places, section.normalise)
