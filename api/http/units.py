"""Routes of the units other than whole arguments: GET /api/pairs, and what comes like it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field

from argsearch.api.http import schemas
from argsearch.api.http.opened import Opened
from argsearch.api.http.problems import refuse_repeated
from argsearch.api.ranked import to_dict
from argsearch.engine.units import UNITS


class UnitHitModel(BaseModel):
    """One ranked thing of a unit, such as a pair; `explanation` is there with explain=true."""

    rank: int
    id: str
    score: float
    stance: Literal["PRO", "CON"] | None
    texts: list[str] = Field(description="What a reader sees: of a pair conclusion and premise.")
    arguments: list[str] = Field(description="The ids of the arguments behind it.")
    explanation: schemas.ExplanationModel | None = None


class UnitAnswerModel(BaseModel):
    """The answer to a query for things of one unit."""

    query: str
    unit: str
    total: int = Field(description="How many there are, beyond these too.")
    milliseconds: float
    fingerprint: str = Field(description="The index's fingerprint.")
    config: str
    notes: list[str]
    hits: list[UnitHitModel]


_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": UnitAnswerModel},
    409: schemas.problem("The index lacks the part that the unit needs"),
    422: schemas.problem("A parameter cannot be used"),
    503: schemas.problem("The index is not open yet"),
}
NAMES = tuple(name for name in UNITS if name not in ("arguments", "premises", "counters"))
"""The units that have a route here; the others have one of their own."""


def router() -> APIRouter:
    """One route a unit, /api/NAME."""
    routes = APIRouter(prefix="/api", tags=["search"])
    for name in NAMES:
        routes.add_api_route(
            f"/{name}",
            _route(name),
            responses=_ANSWERS,
            response_model=None,
            name=name,
            description=f"The best {name} for a question: {UNITS[name].doc}.",
        )
    return routes


def _route(unit: str) -> Any:
    async def ranked(
        request: Request, engine: Opened, query: Annotated[schemas.UnitQuery, Query()]
    ) -> Response:
        """The best of a unit for a question."""
        refuse_repeated(request)

        def answer() -> bytes:
            """Ranked and written, in a thread beside others."""
            results = engine.rank(query.q, unit=unit, k=query.k, config=query.config)
            return orjson.dumps(to_dict(results, query.config, query.explain))

        return Response(await run_in_threadpool(answer), media_type="application/json")

    return ranked
