"""`POST /api/debate`, and `POST /` for a shared task: a sparring partner's answer to a talk."""

from __future__ import annotations

from typing import Any, Literal

import orjson
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from argsearch.api.debate import to_dict
from argsearch.api.http import schemas
from argsearch.api.http.batch import posted, read_posted
from argsearch.api.http.middleware import FINGERPRINT
from argsearch.api.http.opened import Opened
from argsearch.api.http.turns import in_a_thread
from argsearch.engine import Engine
from argsearch.engine.alias_follower import again
from argsearch.engine.debate.partner import LONGEST

MOST_MESSAGES = 200
"""Messages of one talk."""


class MessageModel(BaseModel):
    """What one of both said; what else is sent with it is not read."""

    model_config = ConfigDict(extra="ignore")
    role: Literal["user", "assistant"]
    content: str


class TalkModel(BaseModel):
    """A talk, whose last message is the user's; what else is sent is not read."""

    model_config = ConfigDict(extra="ignore")
    messages: list[MessageModel] = Field(min_length=1, max_length=MOST_MESSAGES)


class SpokenModel(BaseModel):
    """A sentence of an argument."""

    id: str
    text: str
    begin: int = Field(description="Where in the premises, joined by line breaks, in code points.")
    end: int
    conclusion: str | None
    source: schemas.SourceModel


class ReplyModel(BaseModel):
    """What the partner answers."""

    content: str = Field(description=f"{LONGEST} words at most.")
    arguments: list[SpokenModel] = Field(description="The sentences of the index in it, in order.")
    thesis: str = Field(description="What is argued against; empty before there is a claim.")
    fingerprint: str = Field(description="The index's fingerprint.")


def router(path: str = "/api/debate", name: str = "debate") -> APIRouter:
    """Return the route."""
    wrong = schemas.problem("The body is no talk")
    return posted(path, debate, TalkModel, ReplyModel, {422: wrong}, name)


def described() -> dict[str, Any]:
    """Return the schemas of a request's body."""
    talk = TalkModel.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**talk.pop("$defs"), "TalkModel": talk}


async def debate(request: Request, engine: Opened) -> Response:
    """What speaks against the user's last message, and where it stands; nothing is kept."""
    talk = await read_posted(request, TalkModel, "send the last messages of the talk and its first")
    reply: Response = await in_a_thread(engine, 1, again(_answered), engine, talk)
    return reply


def _answered(engine: Engine, talk: TalkModel) -> Response:
    reply = engine.debate(talk.messages)
    response = Response(orjson.dumps(to_dict(reply)), media_type="application/json")
    response.headers[FINGERPRINT] = reply.fingerprint
    return response
