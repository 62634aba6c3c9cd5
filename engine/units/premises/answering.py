"""A question's premises: claims by DFR, their premises by one of the 13 methods (D20)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from argsearch.engine.units.premises.hits import Answered, PremiseHits, PremiseResults
from argsearch.engine.units.premises.opened import Claims
from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.premises.claim_premise import Method, RankedClusters, p_claim, rank, weigh
from argsearch.ranking.premises.counts import CON, PRO

if TYPE_CHECKING:
    from argsearch.engine.config import Config, PremiseRanking

STANCES = {"both": None, "pro": PRO, "con": CON}


def answer(
    claims: Claims, question: str, config: Config, *, k: int, stance: str | None = None
) -> PremiseResults:
    """The k best premise clusters; stance: pro or con, else as the configuration says.

    Raises InvalidParameter for a blank question, a k below 1, an unknown stance or dimension.
    """
    begun = time.perf_counter()
    if not question.strip():
        raise InvalidParameter("query", question, "a text with at least one word")
    if k < 1:
        raise InvalidParameter("k", k, "a whole number from 1")
    section = config.premises
    side = section.stance if stance is None else str(stance).lower()
    if side not in STANCES:
        raise InvalidParameter("stance", stance, "pro, con")
    method = method_of(section, claims.dimensions)
    found = claims.find(question, config.retrieval, section.depth)
    shares = p_claim(found.scores)
    weighed = weigh(claims.scoring, found.claims, shares, method)
    ranked, only = rank(weighed), STANCES[side]
    if only is not None:
        ranked = ranked.of(only)
    total = len(ranked.score)
    answered = Answered(question, config, claims, found, shares, weighed, method)
    return PremiseResults(
        question=question,
        hits=PremiseHits(
            RankedClusters(ranked.cluster[:k], ranked.stance[:k], ranked.score[:k]), answered
        ),
        total=total,
        claims=len(found.claims),
        config=config,
        fingerprint=claims.backend.info.fingerprint,
        milliseconds=(time.perf_counter() - begun) * 1000.0,
    )


def method_of(section: PremiseRanking, known: tuple[str, ...]) -> Method:
    """The method that a configuration asks for, its dimensions by their place in the index."""
    for name in section.dimensions:
        if name not in known:
            raise InvalidParameter("premises.dimensions", name, f"{', '.join(known)} (the index)")
    if section.family == "pficf":
        return Method("pficf")
    if not section.dimensions:
        raise InvalidParameter("premises.dimensions", "[]", f"one or more of {', '.join(known)}")
    places = tuple(known.index(name) for name in section.dimensions)
    return Method(section.family, places, section.normalise)
