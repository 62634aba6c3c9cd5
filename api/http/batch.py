"""`POST /api/search`: many questions with the same parameters, answered by one index."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import orjson
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field, ValidationError

from argsearch.api.described import model
from argsearch.api.http import problems, schemas
from argsearch.api.http.opened import Opened
from argsearch.api.http.schemas import PageQuery, SearchQuery
from argsearch.api.http.search import found
from argsearch.api.http.turns import in_a_thread
from argsearch.engine import Engine
from argsearch.engine.alias_follower import again
from argsearch.engine.backends.server.session import IndexReplaced
from argsearch.indexer.errors import Missing

MOST_QUESTIONS = 100
"""Maximum number of questions in one request."""
MOST_BATCH_HITS = 10_000
"""Maximum product of the number of questions and k in one request."""
MOST_BYTES = 1 << 20
"""Maximum size of a request's body, in bytes."""
M = TypeVar("M", bound=BaseModel)
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
SINGLE = ("q", "format", "only")
"""Search parameters that a batch does not accept. The other parameters apply to every question."""


class AnswersModel(BaseModel):
    """The answers to a batch of questions, all from one index."""

    fingerprint: str = Field(description="The index's fingerprint.")
    milliseconds: float
    answers: list[schemas.AnswerModel] = Field(description="One for each question, in order.")


_SHARED = [one for name, one in SearchQuery.known.items() if name not in SINGLE]
SearchBatch = model(
    "SearchBatch",
    "Questions, and the parameters that apply to each of them.",
    schemas.Q.but(
        name="questions",
        doc=f"The questions; their number times k is at most {MOST_BATCH_HITS:,}.",
        several=MOST_QUESTIONS,
    ),
    *_SHARED,
)
SearchBatch.textual = False
"""Model of a request body."""


routes = APIRouter(prefix="/api", tags=["search"])


def posted(
    routes: APIRouter, path: str, body: type[BaseModel], answers: schemas.Answers
) -> Callable[[Endpoint], Endpoint]:
    """Add the decorated route, whose request body is an object of the model `body`.

    answers: possible answers by status; 413 (the body is too long) is added.
    """
    long = schemas.problem(f"The body has more than {MOST_BYTES:,} bytes")
    # FastAPI would read a body of any length before checking it, so it only gets a description.
    reference = {"$ref": f"#/components/schemas/{body.__name__}"}
    content = {"required": True, "content": {"application/json": {"schema": reference}}}
    return routes.post(
        path,
        responses=answers | {413: long},
        response_model=None,
        response_class=Response,  # which has no media type, while the default one has JSON
        openapi_extra={"requestBody": content},
    )


_LACKS = "The index lacks the part `near_duplicates` that `collapse` needs"


@posted(routes, "/search", SearchBatch, schemas.answers(AnswersModel, _LACKS))
async def search_batch(request: Request, engine: Opened) -> Response:
    """Return the best arguments for each of many questions."""
    asked = await read_posted(request, SearchBatch, "ask fewer questions at once")
    queries = _questions(asked.model_dump())
    hits = sum(query.k for query in queries)
    answered = await in_a_thread(engine, hits, again(_answered), engine, queries)
    return Response(answered, media_type="application/json")


def _answered(engine: Engine, queries: list[PageQuery]) -> bytes:
    begun = time.perf_counter()
    answers, fingerprints = [], set()
    for query in queries:
        answer = found(engine, "arguments", query.q, query)
        answers.append(orjson.Fragment(answer.to_json()))
        fingerprints.add(answer.results.fingerprint)
    # `again` repeats all questions, so that all answers come from one index.
    if len(fingerprints) > 1:
        raise IndexReplaced("the index was replaced between two questions")
    took = round((time.perf_counter() - begun) * 1000.0, 3)
    document = {"fingerprint": fingerprints.pop(), "milliseconds": took, "answers": answers}
    return orjson.dumps(document)


async def read_body(request: Request, most: int, remedy: str) -> bytes:
    """Return the body of a request. Raise a 413 problem if the body exceeds `most` bytes."""
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        # Check each piece, since the announced length may be wrong.
        if size > most:
            raise problems.Problem(413, f"the body has more than {most:,} bytes; {remedy}")
        pieces.append(piece)
    return b"".join(pieces)


async def read_posted(request: Request, model: type[M], remedy: str, most: int = MOST_BYTES) -> M:
    """Return the object sent in the body. Raise a 413 or 422 problem if the body is invalid."""
    body = await read_body(request, most, remedy)
    if not body:
        raise problems.invalid("body", Missing(), "a JSON object")
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        problem = f"body must be a JSON object, not text with an error ({error})"
        given = body[:100].decode(errors="replace")
        raise problems.invalid("body", given, "a JSON object", problem) from error
    if not isinstance(given, dict):
        raise problems.invalid("body", given, "a JSON object")
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise problems.validated(error.errors()[0]) from error


def _questions(shared: dict[str, Any]) -> list[PageQuery]:
    """Return the questions with their parameters. Raise a 422 problem for too many hits."""
    questions = shared.pop("questions")
    if len(questions) * shared["k"] > MOST_BATCH_HITS:
        said = f"at most {MOST_BATCH_HITS // len(questions)} for {len(questions)} questions"
        raise problems.invalid("k", shared["k"], said)
    return [SearchQuery(q=question, **shared) for question in questions]
