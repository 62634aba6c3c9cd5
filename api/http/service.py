"""`GET /health`, `/ready` and `/metrics`: what a server says of itself."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from argsearch.api.http.middleware import exposition
from argsearch.api.http.opened import Opened
from argsearch.api.http.schemas import UNAVAILABLE
from argsearch.api.serialise import units_of
from argsearch.engine.config import names
from argsearch.version import __version__


class HealthModel(BaseModel):
    """The process answers."""

    status: Literal["alive"]
    version: str


class UnitModel(BaseModel):
    """A kind of thing that is ranked: at /api/NAME, by the command NAME, as a tool and a view."""

    name: str
    singular: str
    doc: str


class ReadyModel(BaseModel):
    """An open index."""

    ready: Literal[True]
    documents: int
    fingerprint: str
    corpus: str
    configs: list[str]
    parts: list[str] = Field(description="Optional parts that can be asked here.")
    units: list[UnitModel] = Field(description="What can be ranked here.")
    columns: list[str] = Field(description="What arguments can be filtered by.")
    two_sided: bool = Field(description="Whether some argue for and some against conclusions.")
    suggestions: bool = Field(description="Whether /api/suggest answers.")
    map: bool = Field(description="Whether /api/map answers.")
    indexes: list[str] = Field(description="The server's indexes by name; none where it has one.")


def router() -> APIRouter:
    """The routes."""
    routes = APIRouter(tags=["service"])
    add = partial(routes.add_api_route, response_model=None)
    add("/health", health, responses={200: {"model": HealthModel}})
    add("/ready", ready, responses={200: {"model": ReadyModel}, 503: UNAVAILABLE})
    add("/metrics", metrics, responses={200: {"content": {"text/plain": {}}}})
    return routes


async def health() -> dict[str, str]:
    """Whether the process is alive."""
    return {"status": "alive", "version": __version__}


async def ready(request: Request, engine: Opened) -> dict[str, Any]:
    """Whether the index is open, and which one it is."""
    info, contents = engine.info, engine.backend.contents
    return {
        "ready": True,
        "documents": info.documents,
        "fingerprint": info.fingerprint,
        "corpus": str(info.manifest.get("corpus", {}).get("name", "")),
        "configs": names(),
        "parts": sorted(engine.parts),
        "units": [
            {"name": one.name, "singular": one.singular, "doc": one.doc} for one in units_of(engine)
        ],
        "columns": list(engine.columns),
        "two_sided": engine.known.two_sided,
        "suggestions": contents is not None,
        "map": contents is not None and len(contents.arrays.centroids) > 1,
        "indexes": request.app.state.indexes,
    }


def metrics() -> Response:
    """Request counts and latencies in Prometheus' text form."""
    content, media = exposition()
    return Response(content, media_type=media)
