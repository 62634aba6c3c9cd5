"""`GET /api/points`: what is said on each side of a question, by how many."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from argsearch.api.described import model
from argsearch.api.http import schemas
from argsearch.api.http.middleware import FINGERPRINT
from argsearch.api.http.opened import Opened
from argsearch.api.http.problems import Problem, refuse_repeated
from argsearch.api.http.search import SearchRoute, text_response
from argsearch.api.http.turns import in_a_thread
from argsearch.api.points import POINTS_FORMS, TEXTS_OF_POINTS, to_dict
from argsearch.engine import Engine
from argsearch.engine import parameters as p
from argsearch.engine.alias_follower import again
from argsearch.engine.points.key_points import READ_DEPTH

PointsQuery = model(
    "PointsQuery",
    "The parameters of key points.",
    schemas.Q,
    p.STANCE,
    p.WHERE.but(several=schemas.MOST_LISTED),
    schemas.USUAL_CONFIG,
    p.COLLAPSE.but(default=None, doc="As in a search; on where the index has that part."),
    p.FINGERPRINT,
    p.CONFIG_SHA256,
    p.EXPLAIN.but(doc="Whether quotes carry why they belong together."),
    p.FORMAT.but(choices=POINTS_FORMS),
    base=schemas.PageQuery,
)
OTHER_RECEIPT = "Another index or configuration than the receipt's"


class PointsOfModel(BaseModel):
    """The points of a side, the most frequent first."""

    side: Literal["for", "against", "all"] = Field(description="all: there are no sides.")
    total: int = Field(description="Arguments of the side: grouped and ungrouped.")
    grouped: int
    coverage: float
    points: list[schemas.SectionModel] = Field(description="Headed by the first quote's sentence.")
    ungrouped: list[schemas.NamedModel] = Field(
        description="What makes none of these points, best first."
    )


class ReceiptModel(BaseModel):
    """What was asked of which index, and the ids of what was answered."""

    question: str
    config: str
    config_sha256: str = Field(description="The SHA-256 of the configuration's values.")
    overrides: list[str]
    stance: str | None
    where: list[str]
    collapse: bool
    fingerprint: str
    model: str = Field(description="The SHA-256 of the model of points.")
    points: dict[str, list[list[str]]]
    ungrouped: dict[str, list[str]]


class KeyPointsModel(BaseModel):
    """The answer to a question in points."""

    query: str
    claim: str | None = Field(description="What being for means here.")
    total: int = Field(description="Arguments that match.")
    read: int = Field(description=f"How many of the best were read, {READ_DEPTH} at most.")
    unclear: int = Field(description="Those of them on no clear side.")
    sides: list[PointsOfModel]
    milliseconds: float
    fingerprint: str
    config: str
    notes: list[str]
    receipt: ReceiptModel


def router() -> APIRouter:
    """Return the route."""
    routes = APIRouter(prefix="/api", tags=["search"], route_class=SearchRoute)
    answers = schemas.answers(KeyPointsModel, OTHER_RECEIPT)
    media = sorted(media.partition(";")[0] for media, _ in TEXTS_OF_POINTS.values())
    content = {one: {"schema": {"type": "string"}} for one in media}
    answers[200] |= {"description": "The answer, in the form asked for", "content": content}
    add = partial(routes.add_api_route, response_model=None)
    add("/points", points, responses=answers)
    return routes


async def points(request: Request, engine: Engine, query: Any) -> Response:
    """The points made on each side of a question, by how many arguments, in their words."""
    refuse_repeated(request)
    response: Response = await in_a_thread(engine, 1, again(_answered), engine, query)
    return response


points.__annotations__ |= {
    "request": Request,
    "engine": Opened,
    "query": Annotated[PointsQuery, Query()],
}
"""As FastAPI describes it; `SearchRoute` reads it."""


def refuse_other_receipt(engine: Engine, query: Any) -> None:
    """Raise the 409 problem of a receipt of another index, or of another configuration."""
    told = {"index": (query.fingerprint, engine.info.fingerprint)}
    if query.config_sha256 is not None:
        told["configuration"] = query.config_sha256, engine.config(query.config).sha256
    for what, (digest, own) in told.items():
        if digest not in (None, own):
            said = f"the receipt is of another {what}: {digest!r}, here {own!r}"
            raise Problem(409, f"{said}; ask without it for the answer of this one")


def _answered(engine: Engine, query: Any) -> Response:
    refuse_other_receipt(engine, query)
    found = engine.key_points(
        query.q,
        config=query.config,
        where=query.where,
        stance=query.stance,
        collapse=query.collapse,
        fingerprint=query.fingerprint,
        config_sha256=query.config_sha256,
    )
    if query.format in TEXTS_OF_POINTS:
        media, write = TEXTS_OF_POINTS[query.format]
        response = text_response(write(found), media)
    else:
        content = orjson.dumps(to_dict(found, query.explain))
        response = Response(content, media_type="application/json")
    response.headers[FINGERPRINT] = found.results.fingerprint
    return response
