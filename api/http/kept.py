"""`POST /api/export`: arguments that a reader kept, as text."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from argsearch.api.formats import KEPT_TEXTS, KeptArgument
from argsearch.api.http import schemas, turns
from argsearch.api.http.batch import posted, read_posted
from argsearch.api.http.opened import Opened
from argsearch.api.http.problems import Problem, missing
from argsearch.api.http.search import NO_ARGUMENT, text_response
from argsearch.engine import Engine
from argsearch.engine.alias_follower import again

MOST_KEPT_QUESTIONS = 50
"""Maximum number of distinct questions in one request: each may have to be embedded."""


class KeptModel(BaseModel):
    """A kept argument."""

    model_config = ConfigDict(extra="forbid")
    id: str
    question: str = Field("", max_length=schemas.LONGEST_QUERY, description="It chooses the gist.")
    side: Literal["", "for", "against", "unclear"] = ""


class ExportRequest(BaseModel):
    """Arguments in the order of the text; keep those for the same question together."""

    model_config = ConfigDict(extra="forbid")
    format: Literal["markdown", "bibtex", "csv"]
    arguments: list[KeptModel] = Field(min_length=1, max_length=schemas.MOST_HITS)


routes = APIRouter(prefix="/api", tags=["search"])


@posted(routes, "/export", ExportRequest, schemas.answers(None, texts=KEPT_TEXTS) | NO_ARGUMENT)
async def export(request: Request, engine: Opened) -> Response:
    """Return arguments by id, with their gists, questions and sides, as text."""
    asked = await read_posted(request, ExportRequest, "export fewer arguments at once")
    if len({one.question for one in asked.arguments}) > MOST_KEPT_QUESTIONS:
        most = f"at most {MOST_KEPT_QUESTIONS} distinct questions"
        raise Problem(422, f"the arguments must have {most}; export fewer arguments at once")
    return await turns.large_answers.take(again(_exported), engine, asked)


def _exported(engine: Engine, asked: ExportRequest) -> Response:
    found = {one.id: engine.argument(one.id) for one in asked.arguments}
    if gone := [id for id, argument in found.items() if argument is None]:
        # All of them are named, so that the client can request the others.
        raise missing(gone[0], missing=gone)
    kept = list[KeptArgument]()
    for question, of in groupby(asked.arguments, attrgetter("question")):
        wanted = list(of)
        arguments = [argument for one in wanted if (argument := found[one.id])]
        gists = engine.gists(question, arguments)
        kept += [
            KeptArgument(argument, question, one.side, gist.telling())
            for argument, one, gist in zip(arguments, wanted, gists, strict=True)
        ]
    media, write = KEPT_TEXTS[asked.format]
    return text_response(write(kept), media)
