"""`GET /api/map`: the clusters of the index as a picture has them, and where a question lies."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from argsearch.api.http import schemas
from argsearch.api.http.opened import Opened
from argsearch.api.http.problems import Problem, refuse_repeated
from argsearch.engine.overview.map import closeness


class MapQuery(BaseModel):
    """The question that is looked up on the map, if any; a misspelt parameter is refused."""

    model_config = ConfigDict(extra="forbid")

    q: str = Field(
        "", max_length=schemas.LONGEST, description="A question, to be told how near clusters are."
    )


class ClusterModel(BaseModel):
    """A cluster as a circle."""

    cluster: int = Field(description="Its number, as the column cluster has it.")
    x: float = Field(description="Its place; alike ones are near each other.")
    y: float
    r: float = Field(description="Its radius: the area is as its number of arguments.")
    arguments: int
    conclusions: list[str] = Field(description="Its most frequent conclusions.")
    similarity: float | None = Field(None, description="C(q, d), the question's closeness to it.")


class MapModel(BaseModel):
    """All clusters that have arguments."""

    query: str
    clusters: list[ClusterModel]


_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": MapModel},
    409: schemas.problem("The index has no clusters, or is on a search server"),
    422: schemas.problem("A parameter cannot be used"),
    503: schemas.problem("The index is not open yet"),
}


def router() -> APIRouter:
    """The route."""
    routes = APIRouter(tags=["search"])
    routes.add_api_route("/api/map", clusters, responses=_ANSWERS, response_model=None)
    return routes


def clusters(
    request: Request, engine: Opened, query: Annotated[MapQuery, Query()]
) -> dict[str, Any]:
    """The clusters, each with its place and most frequent conclusions."""
    refuse_repeated(request)
    if not engine.known.clusters:
        raise Problem(409, "only an index directory with clusters has a map")
    asked = query.q.strip()
    near = closeness(engine.backend.centroids, engine.encoder.encode([asked])[0]) if asked else None
    return {
        "query": query.q,
        "clusters": [
            {
                "cluster": one.number,
                "x": round(one.x, 5),
                "y": round(one.y, 5),
                "r": round(one.r, 5),
                "arguments": one.arguments,
                "conclusions": list(one.conclusions),
                **({} if near is None else {"similarity": round(float(near[one.number]), 4)}),
            }
            for one in engine.known.clusters
        ],
    }
