"""`GET /api/points` and `POST /api/challenge`: answers with quotes from an index."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from argsearch.api.described import model
from argsearch.api.http import schemas
from argsearch.api.http.batch import posted, read_posted
from argsearch.api.http.middleware import FINGERPRINT_HEADER
from argsearch.api.http.opened import Opened
from argsearch.api.http.problems import Problem, refuse_repeated
from argsearch.api.http.search import text_response
from argsearch.api.http.turns import in_a_thread
from argsearch.api.quotes import TEXTS_OF_POINTS, challenge_to_dict, points_to_dict
from argsearch.engine import Engine
from argsearch.engine import parameters as p
from argsearch.engine.alias_follower import again
from argsearch.engine.challenge.reading import HITS, MOST_CLAIMS, TEXT_READ
from argsearch.engine.points.key_points import READ_DEPTH
from argsearch.engine.stance.sides import DEPTH

OTHER_RECEIPT = "The receipt is for another index or configuration"
TEXT_HITS = HITS + DEPTH
"""Number of hits read to challenge a text. Answers of this size are computed one at a time."""
ChallengeRequest = model(
    "ChallengeRequest",
    "A text, and optionally its subject and side.",
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
    p.EXPLAIN.but(doc="Add explanations of the side and the quotes."),
)
ChallengeRequest.textual = False
"""Model of a request body."""


class PointsOfModel(BaseModel):
    """The points of a side, most frequent first."""

    side: Literal["for", "against", "all"] = Field(description="`all` if there are no sides.")
    total: int = Field(description="Arguments of the side: grouped and ungrouped.")
    grouped: int
    coverage: float
    points: list[schemas.SectionModel] = Field(description="Headed by the first quote's sentence.")
    ungrouped: list[schemas.NamedModel] = Field(
        description="Arguments that make none of these points, best first."
    )


class ReceiptModel(BaseModel):
    """The request, index and model, and the ids of the quoted arguments."""

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
    """The answer to a question, as points."""

    query: str
    claim: str | None = Field(description="The claim that `for` supports.")
    total: int = Field(description="Number of matching arguments.")
    read: int = Field(description=f"Number of top arguments read, {READ_DEPTH} at most.")
    unclear: int = Field(description="Number of arguments read that take no clear side.")
    sides: list[PointsOfModel]
    milliseconds: float
    fingerprint: str
    config: str
    notes: list[str]
    receipt: ReceiptModel


class AuthorSideModel(BaseModel):
    """The author's side on the text's subject."""

    value: p.SideName
    probability: float = Field(description="Probability of the likelier side; 1 if it was given.")
    explanation: schemas.ExplanationModel | None = None


class ChallengeReceiptModel(BaseModel):
    """The request and index, and the ids of the quoted arguments."""

    text_sha256: str
    about: str | None
    read_about: str = Field(description="The subject that was read from the text; may be empty.")
    side: str | None
    k: int
    config: str
    config_sha256: str = Field(description="The SHA-256 of the configuration's values.")
    overrides: list[str]
    where: list[str]
    collapse: bool
    fingerprint: str
    quoted: dict[str, list[str]] = Field(description="Ids of the quoted arguments, by side.")


class ChallengeModel(BaseModel):
    """Arguments against and for a text."""

    about: str | None = Field(description="The claim that sides refer to; null if none was found.")
    side: AuthorSideModel | None
    opposite: Literal["for", "against"] | None = Field(
        description="The side opposed to the author; null if the author's side is unknown."
    )
    sections: list[schemas.SectionModel] = Field(
        description="One per side, arguments against the text first; empty if none were found."
    )
    notes: list[str]
    milliseconds: float
    fingerprint: str
    receipt: ChallengeReceiptModel


routes = APIRouter(prefix="/api", tags=["search"])


@routes.get(
    "/points",
    responses=schemas.answers(KeyPointsModel, OTHER_RECEIPT, TEXTS_OF_POINTS),
    response_model=None,
)
async def points(
    request: Request, engine: Opened, query: Annotated[schemas.PointsQuery, Query()]
) -> Response:
    """Return the key points on each side of a question, with their frequencies and quotes."""
    refuse_repeated(request)
    return await in_a_thread(engine, 1, again(_points), engine, query)


def _points(engine: Engine, query: Any) -> Response:
    _refuse_other_receipt(engine, query)
    found = engine.key_points(query.q, **query.model_dump(exclude={"q", "explain", "format"}))
    if query.format in TEXTS_OF_POINTS:
        media, write = TEXTS_OF_POINTS[query.format]
        response = text_response(write(found), media)
    else:
        content = orjson.dumps(points_to_dict(found, query.explain))
        response = Response(content, media_type="application/json")
    response.headers[FINGERPRINT_HEADER] = found.results.fingerprint
    return response


@posted(routes, "/challenge", ChallengeRequest, schemas.answers(ChallengeModel, OTHER_RECEIPT))
async def challenge(request: Request, engine: Opened) -> Response:
    """Return arguments from the index against and for the position of a text."""
    asked = await read_posted(request, ChallengeRequest, "send only part of the text")
    return await in_a_thread(engine, TEXT_HITS, again(_challenged), engine, asked)


def _challenged(engine: Engine, asked: Any) -> Response:
    _refuse_other_receipt(engine, asked)
    found = engine.challenge(**asked.model_dump(exclude={"explain"}))
    content = orjson.dumps(challenge_to_dict(found, asked.explain))
    response = Response(content, media_type="application/json")
    response.headers[FINGERPRINT_HEADER] = found.fingerprint
    return response


def _refuse_other_receipt(engine: Engine, query: Any) -> None:
    """Raise a 409 problem if a receipt is for another index or configuration."""
    told = {"index": (query.fingerprint, engine.info.fingerprint)}
    if query.config_sha256 is not None:
        told["configuration"] = query.config_sha256, engine.config(query.config).sha256
    for what, (digest, own) in told.items():
        if digest not in (None, own):
            said = f"the receipt is for another {what}, {digest!r}; this one is {own!r}"
            raise Problem(409, f"{said}; omit the digest to get an answer from this one")
