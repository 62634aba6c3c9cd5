"""The open engine as a dependency of routes."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import Depends, Request, Response
from starlette.types import Scope

from argsearch.api.http.problems import Problem
from argsearch.engine import Engine
from argsearch.version import __version__


class NotModified(Exception):  # no error, but a way out of a dependency
    """Raised with an answer's ETag if the client already has the answer."""


def tag_of(scope: Scope, engine: Engine) -> str:
    """Return the ETag of the answer to a GET, a hash of version, index, path and parameters.

    The ETag is weak, since the same answer may vary in its milliseconds and compression.
    """
    index, path = engine.info.fingerprint.encode(), scope["path"].encode()
    asked = b"\n".join((__version__.encode(), index, path, scope["query_string"]))
    return f'W/"{hashlib.blake2b(asked, digest_size=12).hexdigest()}"'


async def not_modified(_request: Request, error: Exception) -> Response:
    """Return a 304 response without content."""
    return Response(status_code=304, headers={"ETag": str(error), "Cache-Control": "no-cache"})


async def engine_of(request: Request) -> Engine:
    """Return the engine for the whole request. Raise a 503 problem if the index is not open yet.

    Raises NotModified if the client already has the answer to this GET.
    """
    engine = request.app.state.engine
    if not isinstance(engine, Engine):
        raise Problem(503, "the index is not open yet", {"Retry-After": "1"})
    scope = request.scope
    # Store the engine, since another one may replace it before the request is answered.
    scope["engine"] = engine
    if scope["method"] == "GET" and scope["path"].startswith("/api/"):
        scope["tag"] = tag = tag_of(scope, engine)
        for value in request.headers.getlist("if-none-match"):
            # `*` matches any answer, so the answer must be computed first.
            if value.strip() == "*":
                scope["holds_any"] = True
            # The comparison is weak (RFC 9110, 8.8.3.2).
            elif tag[2:] in (one.strip().removeprefix("W/") for one in value.split(",")):
                raise NotModified(tag)
    return engine


Opened = Annotated[Engine, Depends(engine_of)]
