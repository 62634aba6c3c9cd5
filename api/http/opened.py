"""The open engine, as a dependency of the routes that need it."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import Depends, Request, Response
from starlette.types import Scope

from argsearch.api.http.problems import Problem
from argsearch.engine import Engine
from argsearch.version import __version__


class NotModified(Exception):  # no error, but the way out of a dependency
    """The caller has the answer already: what it holds has this tag."""


def tag_of(scope: Scope, engine: Engine) -> str:
    """The ETag of the answer to a GET: it follows from software, index, path and parameters.

    A weak one, since equal answers may differ in their milliseconds and their compression.
    """
    index, path = engine.info.fingerprint.encode(), scope["path"].encode()
    asked = b"\n".join((__version__.encode(), index, path, scope["query_string"]))
    return f'W/"{hashlib.blake2b(asked, digest_size=12).hexdigest()}"'


def _held(header: str, tag: str) -> bool:
    """Whether If-None-Match names the tag; weakly compared (RFC 9110, 8.8.3.2)."""
    opaque = tag.removeprefix("W/")
    return any(one.strip().removeprefix("W/") == opaque for one in header.split(","))


async def not_modified(_request: Request, error: Exception) -> Response:
    """The answer without content."""
    return Response(status_code=304, headers={"ETag": str(error), "Cache-Control": "no-cache"})


async def engine_of(request: Request) -> Engine:
    """The open engine, which stays this request's to its end; a 503 problem before it is open.

    Raises NotModified where the caller has the answer to this GET already.
    """
    engine = request.app.state.engine
    if not isinstance(engine, Engine):
        raise Problem(503, "the index is not open yet", {"Retry-After": "1"})
    scope = request.scope
    # Kept with the request: another engine may take over before it is answered.
    scope["engine"] = engine
    if scope["method"] == "GET" and scope["path"].startswith("/api/"):
        scope["tag"] = tag = tag_of(scope, engine)
        for name, value in scope["headers"]:
            if name == b"if-none-match":
                # Held where there is an answer, which is not known before it is made.
                if value.strip() == b"*":
                    scope["holds_any"] = True
                elif _held(value.decode("latin-1"), tag):
                    raise NotModified(tag)
    return engine


Opened = Annotated[Engine, Depends(engine_of)]
