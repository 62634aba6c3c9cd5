"""HTTP errors as `application/problem+json` (RFC 9457): parameter, value and allowed values."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from argsearch.api.http.middleware import add_headers
from argsearch.api.http.prefix import asked_path
from argsearch.indexer.errors import ArgsearchError, InvalidParameter, Missing, refusal, short
from argsearch.indexer.format.manifest import IndexDamaged
from argsearch.indexer.format.parts import PartMissing
from argsearch.indexer.server.client import RequestRejected, ServerError, ServerRefused
from argsearch.ranking.errors import LONGEST_VALUE, brief

MEDIA_TYPE = "application/problem+json"
TITLES = {
    401: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "The index lacks a part",
    413: "Too long",
    422: "Invalid parameter",
    429: "Too many requests",
    500: "Internal error",
    503: "Not ready",
}
RETRY_SECONDS = 5
"""Seconds to wait before a retry if a search server did not answer."""
_NAMES = {"overrides": "config", "query": "q", "ID-OR-TEXT": "q", "offset": "page"}
"""Names of HTTP parameters, keyed by the engine's parameter names."""
_FORMS = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "list_type": "a list",
    "model_type": "an object",
    "string_too_long": "a text of at most {max_length:,} characters",
    "string_type": "a text",
    "too_long": "a list of at most {max_length:,} values",
    "too_short": "a list with at least {min_length} value",
}
"""The allowed form by the type of pydantic's error."""
_log = logging.getLogger("argsearch")


class Problem(HTTPException):
    """An error that is answered with a problem document. `members` are added to the document.

    A member `title` replaces the usual title of the status.
    """

    def __init__(
        self, status: int, detail: str, headers: dict[str, str] | None = None, **members: Any
    ) -> None:
        super().__init__(status, detail, headers)
        self.members = members


def invalid(parameter: str, value: object, allowed: str, problem: str = "") -> Problem:
    """Return the problem for a parameter whose value is not allowed, as in InvalidParameter."""
    parameter, missing = short(parameter), isinstance(value, Missing)
    shown = value if isinstance(value, int | float | None) else str(value)[:LONGEST_VALUE]
    state, shown = ("null" if shown is None else repr(shown)), None if missing else shown
    detail = problem or refusal(parameter, None if missing else state, allowed)
    return Problem(422, detail, parameter=parameter, value=shown, allowed=allowed)


def missing(id: str, **members: Any) -> Problem:
    """Return the problem for an id that does not belong to any argument."""
    id = short(id)
    return Problem(404, f"no argument has the id {id!r}", parameter="id", value=id, **members)


def respond(request: Request, status: int, detail: str, **members: Any) -> Response:
    """Return the problem document for a failed request."""
    document = {
        "type": "about:blank",
        "title": TITLES.get(status, "Error"),
        "status": status,
        "detail": brief(detail),
        "instance": short(asked_path(request)),
        "request_id": request.scope.get("request_id"),
        **members,
    }
    return Response(orjson.dumps(document), status, media_type=MEDIA_TYPE)


def again_later(refused: Response, seconds: int) -> Response:
    """Return the answer with the header Retry-After, in seconds."""
    refused.headers["Retry-After"] = str(seconds)
    return refused


async def _left(request: Request, _error: Exception) -> Response:
    """Return the response to record when a client disconnects before sending the whole body."""
    return respond(request, 400, "the connection ended before the body did")


def install(app: FastAPI) -> None:
    """Make the application answer every error with a problem document, without a traceback."""
    app.add_exception_handler(HTTPException, answer)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(ArgsearchError, _known)
    app.add_exception_handler(ClientDisconnect, _left)
    app.add_exception_handler(Exception, _unknown)


def answer(request: Request, error: Exception) -> Response:
    """Return the problem document of an HTTPException."""
    assert isinstance(error, HTTPException)
    members = error.members if isinstance(error, Problem) else {}
    response = respond(request, error.status_code, str(error.detail), **members)
    response.headers.update(error.headers or {})
    # The router lists the methods of one route, but a path may have two routes.
    if error.status_code == 405:
        described = request.app.openapi()["paths"].get(request.scope["path"])
        if described:
            response.headers["Allow"] = ", ".join(method.upper() for method in described)
    return response


def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return answer(request, validated(error.errors()[0]))


def validated(error: Mapping[str, Any]) -> Problem:
    """Return the problem for a parameter that cannot be read."""
    said = error.get("ctx", {}).get("error")
    if isinstance(said, InvalidParameter):
        return invalid(said.parameter, said.value, said.allowed, said.problem)
    place = list(error["loc"])
    name = ".".join(map(str, place[1:] if place[:1] in (["query"], ["body"]) else place))
    if error["type"] == "missing":
        return invalid(name, Missing(), "given")
    if error["type"] == "extra_forbidden":
        problem = f"there is no parameter {short(name)}; see the description of the API"
        return invalid(name, error["input"], "a parameter in the description of the API", problem)
    said = str(error["msg"]).removeprefix("Input should be ").partition(", unable")[0]
    wanted = _FORMS.get(error["type"], "").format(**error.get("ctx", {})) or said
    return invalid(name, error.get("input"), wanted)


REPEATABLE = ("where", "facet", "only")
"""Parameters that may be given more than once."""


def refuse_repeated(request: Request) -> None:
    """Raise a problem if a parameter is given more than once.

    Routes call this function directly, since a FastAPI dependency would take ten times as long.
    """
    given = request.query_params.multi_items()
    seen: set[str] = set()
    for name, value in given:
        if name in seen and name not in REPEATABLE:
            problem = f"the parameter {short(name)} is given more than once; give one value"
            raise invalid(name, value, "one value", problem)
        seen.add(name)


def _known(request: Request, error: Exception) -> Response:
    if isinstance(error, InvalidParameter):
        name = _NAMES.get(error.parameter, error.parameter)
        return answer(request, invalid(name, error.value, error.allowed, error.problem))
    if isinstance(error, PartMissing):
        return respond(request, 409, f"the index {error.lack}", parameter="part", value=error.name)
    _log.error("%s: %s", request.url.path, error)
    if isinstance(error, ServerError) and not isinstance(error, ServerRefused | RequestRejected):
        absent = "the search server does not answer; the server's log says why"
        return again_later(respond(request, 503, absent, title="No search server"), RETRY_SECONDS)
    if isinstance(error, IndexDamaged):
        damaged = "the index is damaged; the server's log says where"
        return respond(request, 503, damaged, title="Damaged index")
    return respond(request, 500, "the index could not answer; the server's log says why")


def _unknown(request: Request, error: Exception) -> Response:
    _log.error("%s: unexpected %s", request.url.path, type(error).__name__, exc_info=error)
    response = respond(request, 500, "an unexpected error occurred; see the server's log")
    # Starlette creates this answer outside of the middleware that usually adds headers.
    add_headers(request.scope, response.raw_headers)
    return response
