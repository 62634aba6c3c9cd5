"""`POST /api/challenge`: what speaks against the position of a text, and for it."""

from __future__ import annotations

from typing import Any, Literal

import orjson
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from argsearch.api.challenge import to_dict
from argsearch.api.described import model
from argsearch.api.http import schemas
from argsearch.api.http.batch import posted, read_posted
from argsearch.api.http.middleware import FINGERPRINT
from argsearch.api.http.opened import Opened
from argsearch.api.http.points import OTHER_RECEIPT, refuse_other_receipt
from argsearch.api.http.turns import in_a_thread
from argsearch.engine import Engine
from argsearch.engine import parameters as p
from argsearch.engine.alias_follower import again
from argsearch.engine.challenge.reading import HITS, MOST_CLAIMS, TEXT_READ
from argsearch.engine.stance.sides import DEPTH

MOST_HITS = HITS + DEPTH
"""Hits that are read for one text: it waits its turn as large answers do."""
ChallengeRequest = model(
    "ChallengeRequest",
    "A text, and what is known of it.",
    p.TEXT.but(
        doc=f"The text; its first {TEXT_READ:,} characters and {MOST_CLAIMS} claims are read."
    ),
    p.ABOUT,
    p.AUTHOR_SIDE,
    p.QUOTED,
    p.WHERE.but(several=schemas.MOST_LISTED),
    schemas.USUAL_CONFIG,
    p.FINGERPRINT,
    p.CONFIG_SHA256,
    p.EXPLAIN.but(doc="Whether the side and quotes carry what they follow from."),
)
ChallengeRequest.textual = False
"""What a request's body is."""


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
    """Return the route."""
    other = schemas.problem(OTHER_RECEIPT)
    return posted("/api/challenge", challenge, ChallengeRequest, ChallengeModel, {409: other})


async def challenge(request: Request, engine: Opened) -> Response:
    """What speaks against the position of a text, and for it, in arguments of the index."""
    asked = await read_posted(request, ChallengeRequest, "send a part of the text")
    response: Response = await in_a_thread(engine, MOST_HITS, again(_answered), engine, asked)
    return response


def _answered(engine: Engine, asked: Any) -> Response:
    refuse_other_receipt(engine, asked)
    found = engine.challenge(**asked.model_dump(exclude={"explain"}))
    content = orjson.dumps(to_dict(found, asked.explain))
    response = Response(content, media_type="application/json")
    response.headers[FINGERPRINT] = found.fingerprint
    return response
