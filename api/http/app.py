"""The web application: the search page, the HTTP APIs, health, metrics and documentation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import partial
from operator import attrgetter
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Receive, Scope, Send

from argsearch.api.http import (
    argsme,
    batch,
    challenge_page,
    kept,
    overview,
    pages,
    problems,
    quotes,
    schemas,
    search,
    service,
)
from argsearch.api.http.access import EVERYBODY, EXPOSED, OPEN, TAKEN, Access, Guard, Tokens
from argsearch.api.http.middleware import Surroundings
from argsearch.api.http.opened import NotModified, not_modified
from argsearch.api.http.prefix import inside
from argsearch.api.serialise import WARMING, Answer
from argsearch.api.serve.live import Live
from argsearch.api.serve.logs import QUIET, Log
from argsearch.engine import Engine
from argsearch.engine.points.key_points import of_side
from argsearch.engine.points.model import PointModel
from argsearch.engine.results.quotes import ALL
from argsearch.engine.stance.model import StanceModel
from argsearch.indexer.errors import ArgsearchError
from argsearch.version import __version__

UNCOUNTED = frozenset((*OPEN, *pages.PAGE_FILES, "/metrics", "/openapi.json"))
"""Paths without a rate limit, since answering them costs the server next to nothing."""
_NOT_ALLOWED = schemas.problem("No token, or a wrong one")
_TOO_MANY = schemas.problem("Too many requests from this client", "Seconds to wait.")


def warmed(engine: Engine) -> Engine:
    """Return an engine with all data for queries loaded, or close it if that fails."""
    try:
        engine.backend.check()
        answer = Answer(engine, engine.search(WARMING, k=1))
        answer.to_dict()
        found = [shown.argument for shown in answer.hits]
        StanceModel.load().sides(WARMING, found)
        of_side(WARMING, ALL, found, PointModel.load())
    # Close it even if Ctrl-C interrupts: an open index holds files and threads.
    except BaseException:
        engine.close()
        raise
    return engine


def prepared(engine: Engine) -> Engine:
    """Return the engine after preparing suggestions, so that the first keystroke need not wait."""
    # Damage is reported when suggestions are requested. An error here would go unnoticed.
    with suppress(ArgsearchError):
        _ = engine.known.suggestions
    return engine


class Application(FastAPI):
    """An application whose OpenAPI description lists all models and status codes."""

    _describing = Lock()
    """Lock for creating a description, since all applications share their models."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, under any path prefix."""
        await super().__call__(inside(scope), receive, send)

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI 3.1 description, which is created once."""
        with self._describing:
            return self.openapi_schema or self._describe()

    def _describe(self) -> dict[str, Any]:
        document = super().openapi()
        parts = document.setdefault("components", {})
        models = parts.setdefault("schemas", {})
        models["ProblemModel"] = schemas.ProblemModel.model_json_schema()
        # `read_posted` reads these bodies, so FastAPI does not know their models.
        named = "#/components/schemas/{model}"
        for sent in (batch.SearchBatch, quotes.ChallengeRequest, kept.ExportRequest):
            models[sent.__name__] = schema = sent.model_json_schema(ref_template=named)
            models |= schema.pop("$defs", {})
        if self.state.access.tokens or self.state.changes:
            schemes = {name: {"type": "http", "scheme": name} for name in ("bearer", "basic")}
            parts["securitySchemes"] = schemes
        for path, methods in document["paths"].items():
            for operation in methods.values():
                self._complete(path, operation)
        return document

    def _complete(self, path: str, operation: dict[str, Any]) -> None:
        answers = operation["responses"]
        if path in OPEN:
            return
        if self.state.access.tokens and "401" not in answers:
            answers["401"] = _NOT_ALLOWED
            operation["security"] = operation.get("security") or [{"bearer": []}, {"basic": []}]
        if self.state.access.rate and path not in UNCOUNTED:
            answers["429"] = _TOO_MANY


def create_app(
    index: str | Path | Engine,
    access: Access = EVERYBODY,
    log: Log = QUIET,
    follow: str | None = None,
) -> Application:
    """Return the application for one index.

    An address is opened and warmed when the server starts, and closed when it stops. Starting
    raises the same errors as `Engine.open`. An open engine is used as it is, and left open. A new
    index built at `follow` replaces the one in use.
    """
    app = Application(
        title="argsearch",
        version=__version__,
        description="Arguments for and against, ranked by relevance × topical cluster × quality.",
        lifespan=partial(_opened, index=index, follow=follow),
        # FastAPI's own pages load scripts from another host, which our policy forbids. Its
        # description remembers every prefix.
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        # Generated clients name their functions after the operation.
        generate_unique_id_function=attrgetter("name"),
        # The address of a redirect would be built from the request's Host header.
        redirect_slashes=False,
    )
    app.state.access = access
    app.state.engine, app.state.indexes, app.state.changes = None, [], None
    problems.install(app)
    app.add_exception_handler(NotModified, not_modified)
    app.add_exception_handler(404, pages.nowhere)
    _surround(app, access, log)
    for room in (search, quotes, batch, kept, overview, argsme, service):
        app.include_router(room.routes)
    app.include_router(pages.router(app.openapi))
    app.include_router(challenge_page.routes)
    if access.writers and follow:
        # This imports everything that builds an index. A server without writers never needs it.
        from argsearch.api.http.changing import Changes

        app.state.changes = changes = Changes(follow, access.writers)
        app.include_router(changes.router())
    return app


def _take(app: FastAPI, engine: Engine) -> None:
    """Use this engine for all later requests."""
    app.state.engine = engine
    # Prepare suggestions in parallel, so that the first answers need not wait for them.
    Thread(target=prepared, args=[engine], daemon=True).start()


@asynccontextmanager
async def _opened(
    app: FastAPI, index: str | Path | Engine, follow: str | None
) -> AsyncIterator[None]:
    """Keep the engine open while the server runs."""
    engine = index if isinstance(index, Engine) else warmed(Engine.open(index))
    took = partial(_take, app)
    took(engine)
    live = (
        Live(follow, engine, lambda address: warmed(Engine.open(address)), took) if follow else None
    )
    async with live.watched() if live else nullcontext():
        yield
    if app.state.changes is not None:
        app.state.changes.stop()
    last, app.state.engine = app.state.engine, None
    if last is not index:
        last.close()


def _surround(app: FastAPI, access: Access, log: Log) -> None:
    """Add the middleware. Every request passes through the last-added middleware first."""
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=3)
    if access.tokens or access.rate:
        # Clients that may change an index may also search it.
        tokens = Tokens([*access.tokens, *access.writers]) if access.tokens else None
        app.add_middleware(Guard, tokens=tokens, rate=access.counted, uncounted=UNCOUNTED)
    # The last added runs first, since a browser's preflight request has no token.
    if access.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(access.origins),
            allow_methods=["GET", "HEAD", "POST"],
            allow_headers=TAKEN,
            expose_headers=EXPOSED,
        )
    app.add_middleware(Surroundings, log=log)
