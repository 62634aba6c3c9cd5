"""`GET /api/premises`: premises of the claims that a question finds, each meaning once (D20)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from argsearch.api.http import schemas
from argsearch.api.http.opened import Opened
from argsearch.api.http.problems import refuse_repeated
from argsearch.engine.results.results import Hit, Results
from argsearch.engine.units.premises.found import Stated

MEMBERS = 10
"""Premises of one hit, and claims, that are shown at most."""


class StatedModel(BaseModel):
    """A premise as one argument states it."""

    argument: str = Field(description="The argument's id.")
    text: str


class ClaimModel(BaseModel):
    """A claim that a hit serves."""

    text: str
    share: float = Field(description="P(c|q): its score, of the sum of all claims found.")
    adds: float = Field(description="What the hit's score has from it.")


class PremiseHitModel(BaseModel):
    """Premises of one meaning and stance."""

    rank: int
    score: float
    stance: Literal["PRO", "CON"] = Field(description="Towards the claims.")
    representative: StatedModel
    size: int = Field(description="Premises of that meaning in the index.")
    found: int = Field(description="Those of them that the claims found have.")
    members: list[StatedModel] = Field(description=f"At most {MEMBERS} of them.")
    claims: list[ClaimModel] = Field(description=f"At most {MEMBERS}, by what they add.")
    explanation: schemas.ExplanationModel | None = None


class PremisesModel(BaseModel):
    """The answer to a question."""

    query: str
    total: int = Field(description="Premise clusters that the claims found lead to.")
    claims: int = Field(description="Claims found.")
    milliseconds: float
    fingerprint: str = Field(description="The index's fingerprint.")
    config: str
    family: str
    dimensions: list[str]
    notes: list[str]
    hits: list[PremiseHitModel]


_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": PremisesModel},
    409: schemas.problem("The index lacks the part `premises`"),
    422: schemas.problem("A parameter cannot be used"),
    503: schemas.problem("The index is not open yet"),
}


def router() -> APIRouter:
    """The route."""
    routes = APIRouter(tags=["search"])
    routes.add_api_route("/api/premises", premises, responses=_ANSWERS, response_model=None)
    return routes


def premises(
    request: Request, engine: Opened, query: Annotated[schemas.PremisesQuery, Query()]
) -> Response:
    """The best premises for a question, a meaning at a time."""
    refuse_repeated(request)
    results = engine.premises(query.q, k=query.k, config=query.config, stance=query.stance)
    return Response(orjson.dumps(shown(results, query.explain)), media_type="application/json")


def shown(results: Results, explain: bool) -> dict[str, Any]:
    """The answer as JSON has it, over HTTP and on the command line."""
    section = results.config.premises
    return {
        "query": results.query,
        "total": results.total,
        "claims": results.details,
        "milliseconds": round(results.milliseconds, 3),
        "fingerprint": results.fingerprint,
        "config": results.config.name,
        "family": section.family,
        "dimensions": [] if section.family == "pficf" else list(section.dimensions),
        "notes": list(results.notes),
        "hits": [_hit(hit, explain) for hit in results.hits],
    }


def _hit(hit: Hit, explain: bool) -> dict[str, Any]:
    cluster = hit.details
    shown: dict[str, Any] = {
        "rank": hit.rank,
        "score": hit.score,
        "stance": hit.stance,
        "representative": _stated(cluster.representative),
        "size": cluster.size,
        "found": cluster.found,
        "members": [_stated(one) for one in cluster.members(MEMBERS)],
        "claims": [
            {"text": one.text, "share": one.share, "adds": one.adds}
            for one in cluster.claims(MEMBERS)
        ],
    }
    if explain:
        shown["explanation"] = hit.explanation.to_dict()
    return shown


def _stated(one: Stated) -> dict[str, str]:
    return {"argument": one.argument, "text": one.text}
