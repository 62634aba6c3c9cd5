"""`GET /api/points` and `POST /api/challenge`: answers that quote the arguments of an index."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from argsearch.api.described import model
from argsearch.api.http import schemas
from argsearch.api.http.batch import add_posted, read_posted
from argsearch.api.http.middleware import FINGERPRINT_HEADER
from argsearch.api.http.opened import Opened
from argsearch.api.http.problems import Problem, refuse_repeated
from argsearch.api.http.search import SearchRoute, text_response
from argsearch.api.http.turns import in_a_thread
from argsearch.api.quotes import TEXTS_OF_POINTS, challenge_to_dict, points_to_dict
from argsearch.engine import Engine
from argsearch.engine import parameters as p
from argsearch.engine.alias_follower import again
from argsearch.engine.challenge.reading import HITS, MOST_CLAIMS, TEXT_READ
from argsearch.engine.points.key_points import READ_DEPTH
from argsearch.engine.stance.sides import DEPTH

OTHER_RECEIPT = "Another index or configuration than the receipt's"
TEXT_HITS = HITS + DEPTH
"""Hits that are read for one text: it waits its turn as large answers do."""
ChallengeRequest = model(
    "ChallengeRequest",
    "A text, and what is known of it.",
    p.TEXT.but(
        doc=f"The text; its first {TEXT_READ:,} characters and {MOST_CLAIMS} claims are read."
    ),
    p.ABOUT,
    p.AUTHOR_SIDE,
    p.QUOTES_PER_SIDE,
    p.WHERE.but(several=schemas.MOST_LISTED),
    schemas.USUAL_CONFIG_NAME,
    p.FINGERPRINT,
    p.CONFIG_SHA256,
    p.EXPLAIN.but(doc="Whether the side and quotes carry what they follow from."),
)
ChallengeRequest.textual = False
"""What a request's body is."""


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


class AuthorSideModel(BaseModel):
    """Where the author stands towards what the text is about."""

    value: Literal["for", "against", "unclear"]
    probability: float = Field(description="Of the likelier side; 1 where it was said.")
    explanation: schemas.ExplanationModel | None = None


class ChallengeReceiptModel(BaseModel):
    """What was asked of which index, and the ids of what was answered."""

    text_sha256: str
    about: str | None
    read_about: str = Field(description="What the text was taken to be about; may be empty.")
    side: str | None
    k: int
    config: str
    config_sha256: str = Field(description="The SHA-256 of the configuration's values.")
    overrides: list[str]
    where: list[str]
    collapse: bool
    fingerprint: str
    quoted: dict[str, list[str]] = Field(description="The ids of what is quoted, by side.")


class ChallengeModel(BaseModel):
    """What is found on a text."""

    about: str | None = Field(description="The claim that sides refer to; null: none was found.")
    side: AuthorSideModel | None
    opposite: Literal["for", "against"] | None = Field(
        description="The side that speaks against the author; null where it is not known."
    )
    sections: list[schemas.SectionModel] = Field(
        description="One a side, what speaks against the text first; none without arguments."
    )
    notes: list[str]
    milliseconds: float
    fingerprint: str
    receipt: ChallengeReceiptModel


def router() -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/api", tags=["search"], route_class=SearchRoute)
    media = (media for media, _ in TEXTS_OF_POINTS.values())
    answers = schemas.answers(KeyPointsModel, OTHER_RECEIPT, media)
    routes.add_api_route("/points", points, responses=answers, response_model=None)
    other: schemas.Answers = {409: schemas.problem(OTHER_RECEIPT)}
    add_posted(routes, "/challenge", challenge, ChallengeRequest, ChallengeModel, other)
    return routes


async def points(
    request: Request, engine: Opened, query: Annotated[schemas.PointsQuery, Query()]
) -> Response:
    """The points made on each side of a question, by how many arguments, in their words."""
    refuse_repeated(request)
    response: Response = await in_a_thread(engine, 1, again(_points), engine, query)
    return response


def _points(engine: Engine, query: Any) -> Response:
    _refuse_other_receipt(engine, query)
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
        content = orjson.dumps(points_to_dict(found, query.explain))
        response = Response(content, media_type="application/json")
    response.headers[FINGERPRINT_HEADER] = found.results.fingerprint
    return response


async def challenge(request: Request, engine: Opened) -> Response:
    """What speaks against the position of a text, and for it, in arguments of the index."""
    asked = await read_posted(request, ChallengeRequest, "send a part of the text")
    response: Response = await in_a_thread(engine, TEXT_HITS, again(_challenged), engine, asked)
    return response


def _challenged(engine: Engine, asked: Any) -> Response:
    _refuse_other_receipt(engine, asked)
    found = engine.challenge(**asked.model_dump(exclude={"explain"}))
    content = orjson.dumps(challenge_to_dict(found, asked.explain))
    response = Response(content, media_type="application/json")
    response.headers[FINGERPRINT_HEADER] = found.fingerprint
    return response


def _refuse_other_receipt(engine: Engine, query: Any) -> None:
    """Raise the 409 problem of a receipt of another index, or of another configuration."""
    told = {"index": (query.fingerprint, engine.info.fingerprint)}
    if query.config_sha256 is not None:
        told["configuration"] = query.config_sha256, engine.config(query.config).sha256
    for what, (digest, own) in told.items():
        if digest not in (None, own):
            said = f"the receipt is of another {what}: {digest!r}, here {own!r}"
            raise Problem(409, f"{said}; ask without it for the answer of this one")
