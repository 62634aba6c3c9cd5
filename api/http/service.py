"""`GET /health`, `/ready` and `/metrics`: the state of the server."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

from argsearch.api.http.middleware import exposition
from argsearch.api.http.opened import Opened
from argsearch.api.http.schemas import UNAVAILABLE
from argsearch.api.serialise import units_of
from argsearch.engine.config import names
from argsearch.version import __version__


class HealthModel(BaseModel):
    """The process is alive."""

    status: Literal["alive"]
    version: str


class UnitModel(BaseModel):
    """A kind of result, with a route /api/NAME, a command, a tool and a view that rank it."""

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
    parts: list[str] = Field(description="Optional parts of the index.")
    units: list[UnitModel] = Field(description="Kinds of results that can be ranked.")
    columns: list[str] = Field(description="Columns that arguments can be filtered by.")
    varied: list[str] = Field(description="Columns whose known values differ and are not rare.")
    two_sided: bool = Field(description="True if the index has both pro and con stances.")
    suggestions: bool = Field(description="True if /api/suggest is available.")
    map: bool = Field(description="True if /api/map is available.")
    indexes: list[str] = Field(description="Names of the server's indexes; empty if only one.")


routes = APIRouter(tags=["service"])


@routes.get("/health", responses={200: {"model": HealthModel}}, response_model=None)
async def health() -> dict[str, str]:
    """Report that the process is alive."""
    return {"status": "alive", "version": __version__}


@routes.get("/ready", responses={200: {"model": ReadyModel}, 503: UNAVAILABLE}, response_model=None)
async def ready(request: Request, engine: Opened) -> dict[str, Any]:
    """Report whether the index is open, and describe it."""
    info, contents, varied = engine.info, engine.backend.contents, engine.known.varied
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
        "varied": [name for name in engine.columns if varied is None or name in varied],
        "two_sided": engine.known.two_sided,
        "suggestions": contents is not None,
        "map": contents is not None and len(contents.arrays.centroids) > 1,
        "indexes": request.app.state.indexes,
    }


@routes.get("/metrics", response_class=PlainTextResponse, response_model=None)
def metrics() -> Response:
    """Return request counts and latencies in Prometheus' text format."""
    content, media = exposition()
    return Response(content, media_type=media)
