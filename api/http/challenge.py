"""`POST /api/challenge`: what speaks against the claims of a text, and for them."""

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
from argsearch.api.http.points import OTHER_RECEIPT, QuoteModel, refuse_other_receipt
from argsearch.api.http.turns import in_a_thread
from argsearch.engine import Engine
from argsearch.engine.alias_follower import again
from argsearch.engine.challenge.challenge import HEARD
from argsearch.engine.challenge.reading import MOST_CLAIMS, TEXT_READ
from argsearch.indexer import parameters as p

MOST_HITS = MOST_CLAIMS * HEARD
"""Hits that are read for one text: it waits its turn as large answers do."""
ChallengeRequest = model(
    "ChallengeRequest",
    "A text, and what is known of it.",
    p.TEXT.but(
        doc=f"The text; its first {TEXT_READ:,} characters and {MOST_CLAIMS} claims are read."
    ),
    p.ABOUT,
    p.AUTHOR_SIDE,
    p.WHERE.but(several=schemas.MOST_LISTED),
    schemas.USUAL_CONFIG,
    p.FINGERPRINT,
    p.CONFIG_SHA256,
    p.EXPLAIN.but(doc="Whether the side and sentences carry what they follow from."),
)
ChallengeRequest.textual = False
"""What a request's body is."""


class PassageModel(QuoteModel):
    """A sentence of an argument, word for word."""

    side: Literal["for", "against"] = Field(description="Of its argument, towards `about`.")
    probability: float = Field(
        description="That it meets the claim; of the whole, that it is a reason for its side."
    )


class FindingModel(BaseModel):
    """A claim of the text, and what meets it."""

    begin: int = Field(description="Where in the text, in code points.")
    end: int
    text: str
    passages: dict[str, PassageModel] = Field(
        description="By side; a side is missing where nothing surely meets the claim."
    )


class AuthorSideModel(BaseModel):
    """Where the author stands towards what the text is about."""

    value: Literal["for", "against", "unclear"]
    probability: float = Field(description="Of the likelier side; 1 where it was said.")
    explanation: schemas.ExplanationModel | None = None


class ChallengeReceiptModel(BaseModel):
    """What was asked of which index; ids of what was answered, and where sentences begin."""

    text_sha256: str
    about: str | None
    read_about: str = Field(description="What the text was taken to be about; may be empty.")
    side: str | None
    config: str
    config_sha256: str = Field(description="The SHA-256 of the configuration's values.")
    overrides: list[str]
    where: list[str]
    collapse: bool
    fingerprint: str
    claims: list[dict[str, Any]]
    whole: dict[str, list[tuple[str, int]]]


class ChallengeModel(BaseModel):
    """What is found on a text."""

    about: str | None = Field(description="The claim that sides refer to; null: none was found.")
    side: AuthorSideModel | None
    opposite: Literal["for", "against"] | None = Field(
        description="The side whose passages counter the author; null where his is not known."
    )
    findings: list[FindingModel] = Field(description="The most contestable claim first.")
    whole: dict[str, list[PassageModel]] = Field(description="For and against it as a whole.")
    notes: list[str]
    milliseconds: float
    fingerprint: str
    receipt: ChallengeReceiptModel


def router() -> APIRouter:
    """Return the route."""
    other = schemas.problem(OTHER_RECEIPT)
    return posted("/api/challenge", challenge, ChallengeRequest, ChallengeModel, {409: other})


async def challenge(request: Request, engine: Opened) -> Response:
    """What speaks against each claim of a text, and for it, in sentences of the index alone."""
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
