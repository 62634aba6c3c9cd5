"""Serve several indexes: each has paths `/api/NAME/…`, and one page lets users choose."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from fastapi import Request, Response
from pydantic import BaseModel, Field
from starlette.datastructures import QueryParams
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from argsearch.api.http.app import Application, create_app
from argsearch.api.http.prefix import describe, inside, prefix_of
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.server.address import is_address

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_NAMED = re.compile(rf"(?P<name>{_NAME.pattern})=(?P<address>.+)", re.DOTALL)
DESCRIPTION = "openapi.json"
INDEXES_PATH = "/api/indexes"
READY = "ready"
"""A path outside `/api` for a single index, but under `/api/NAME/` for several."""


class IndexModel(BaseModel):
    """An index on the server."""

    name: str
    address: str = Field(description="Start of its paths.")
    documents: int
    fingerprint: str
    corpus: str


class IndexesModel(BaseModel):
    """The server's indexes; the page at `/` searches the first one."""

    indexes: list[IndexModel]


def read_names(given: list[str]) -> dict[str, str]:
    """Return the addresses given by `--index`, by name. A single index may have the name "".

    Raises InvalidParameter if a name is invalid, repeated, or a path of the API.
    """
    if len(given) == 1 and (is_address(given[0]) or not _NAMED.fullmatch(given[0])):
        return {"": given[0]}
    found: dict[str, str] = {}
    for one in given:
        parts = _NAMED.fullmatch(one)
        if parts is None or parts["name"] in found or parts["name"] in _taken():
            allowed = "NAME=INDEX, with a unique NAME of a-z, 0-9, _ and - that is not an API path"
            raise InvalidParameter("--index", one, allowed)
        found[parts["name"]] = parts["address"]
    return found


def _taken() -> set[str]:
    """Return the first segments of the API's own paths."""
    paths = create_app("").openapi()["paths"]
    return {path.split("/")[2] for path in paths if path.startswith("/api/")} | {"indexes"}


class Several:
    """The application for several indexes. Each index answers as if it were the only one."""

    def __init__(self, apps: Mapping[str, Application]) -> None:
        self.apps = apps
        self.first = next(iter(apps.values()))
        for name, app in apps.items():
            app.state.indexes = list(apps)
            app.add_route(f"/api/{DESCRIPTION}", partial(self._described, name))
        self._lives = Router(lifespan=self._together)
        answers: dict[int | str, dict[str, Any]] = {200: {"model": IndexesModel}}
        self.first.add_api_route(
            INDEXES_PATH, self.listed, responses=answers, response_model=None, tags=["service"]
        )

    async def listed(self, request: Request) -> dict[str, Any]:
        """Return the indexes on this server."""
        return {"indexes": [self._shown(name, prefix_of(request)) for name in self.apps]}

    def _shown(self, name: str, prefix: str) -> dict[str, Any]:
        info = self.apps[name].state.engine.info
        return {
            "name": name,
            "address": f"{prefix}/api/{name}/",
            "documents": info.documents,
            "fingerprint": info.fingerprint,
            "corpus": str(info.manifest.get("corpus", {}).get("name", "")),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request from the index that the path names, or else from the first index."""
        if scope["type"] == "lifespan":
            await self._lives(scope, receive, send)
            return
        app: ASGIApp = self.first
        scope = inside(scope)
        asked = scope.get("path", "")
        if asked.startswith("/api/"):
            name, _, rest = asked.removeprefix("/api/").partition("/")
            if name in self.apps and rest:
                app = self.apps[name]
                path = f"/{rest}" if rest == READY else f"/api/{rest}"
                scope = {**scope, "path": path, "asked_path": asked}
        elif asked.startswith("/arguments/") or asked == "/challenge":
            name = QueryParams(scope.get("query_string", b"")).get("index", "")
            # The first index's page reports an unknown name.
            app = self.apps.get(name, self.first)
        await app(scope, receive, send)

    def _described(self, name: str, request: Request) -> Response:
        """Return the OpenAPI description with the paths of one index."""
        document = self.apps[name].openapi()
        paths = {
            f"/api/{name}/{path.removeprefix('/api/')}": operations
            for path, operations in document["paths"].items()
            if path.startswith("/api/") and path != INDEXES_PATH
        }
        paths[f"/api/{name}/{READY}"] = document["paths"][f"/{READY}"]
        return describe(request, {**document, "paths": paths})

    @asynccontextmanager
    async def _together(self, _: object) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for app in self.apps.values():
                await stack.enter_async_context(app.router.lifespan_context(app))
            yield
