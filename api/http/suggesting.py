"""`GET /api/suggest`: conclusions of the index that go with what has been typed."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from argsearch.api.http import schemas
from argsearch.api.http.opened import Opened
from argsearch.api.http.problems import Problem, refuse_repeated

MOST = 20
"""Suggestions of one request."""


class SuggestQuery(BaseModel):
    """What has been typed; a misspelt parameter is refused."""

    model_config = ConfigDict(extra="forbid")

    q: str = schemas.described(
        "q", "What has been typed so far.", max_length=schemas.LONGEST, pattern=schemas.WORDY
    )
    k: int = Field(8, ge=1, le=MOST, description=f"Suggestions, at most. Allowed: 1 to {MOST}.")


class SuggestionModel(BaseModel):
    """A conclusion of the index."""

    text: str
    arguments: int = Field(description="How many arguments have it.")


class SuggestionsModel(BaseModel):
    """What may be meant, those that begin so first, each half by how frequent they are."""

    query: str
    milliseconds: float
    suggestions: list[SuggestionModel]


_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": SuggestionsModel},
    409: schemas.problem("The index is on a search server, which cannot suggest"),
    422: schemas.problem("A parameter cannot be used"),
    503: schemas.problem("The index is not open yet"),
}


def router() -> APIRouter:
    """The route."""
    routes = APIRouter(tags=["search"])
    routes.add_api_route("/api/suggest", suggest, responses=_ANSWERS, response_model=None)
    return routes


def suggest(
    request: Request, engine: Opened, query: Annotated[SuggestQuery, Query()]
) -> dict[str, Any]:
    """The conclusions that go with what has been typed."""
    refuse_repeated(request)
    if engine.known.suggestions is None:
        raise Problem(409, "only an index directory gives suggestions, a search server does not")
    begun = time.perf_counter()
    found = engine.known.suggestions.matching(query.q, query.k)
    return {
        "query": query.q,
        "milliseconds": round((time.perf_counter() - begun) * 1000.0, 3),
        "suggestions": [one._asdict() for one in found],
    }
