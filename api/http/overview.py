"""An overview of an index: example claims, suggestions, the map of clusters."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from argsearch.api.http import schemas
from argsearch.api.http.opened import Opened
from argsearch.api.http.problems import Problem, refuse_repeated
from argsearch.engine.overview.map import closeness


class SuggestionModel(BaseModel):
    """A conclusion in the index."""

    text: str
    arguments: int = Field(description="Number of arguments with this conclusion.")


class SuggestionsModel(BaseModel):
    """Suggestions, first those that begin with the input; each part is sorted by frequency."""

    query: str
    milliseconds: float
    suggestions: list[SuggestionModel]


class ClusterModel(BaseModel):
    """A cluster as a circle."""

    cluster: int = Field(description="Number of the cluster, as in the column `cluster`.")
    x: float = Field(description="Position; similar clusters are near each other.")
    y: float
    r: float = Field(description="Radius; the area is proportional to the number of arguments.")
    arguments: int
    conclusions: list[str] = Field(description="The most frequent conclusions.")
    words: list[str] = Field(description="Words that distinguish its conclusions from others.")
    similarity: float | None = Field(None, description="C(q, d), similarity to the question.")


class MapModel(BaseModel):
    """All clusters that have arguments."""

    query: str
    clusters: list[ClusterModel]


class ExamplesModel(BaseModel):
    """Example claims."""

    examples: list[str] = Field(description="At most five conclusions of the index.")


routes = APIRouter(prefix="/api", tags=["search"])
# This route has no parameters, so it never answers 422.
_EXAMPLES = {status: of for status, of in schemas.answers(ExamplesModel).items() if status != 422}
_SUGGESTIONS = schemas.answers(
    SuggestionsModel, "The index is on a search server, which has no suggestions"
)
_MAP = schemas.answers(MapModel, "The index has no clusters, or is on a search server")


@routes.get("/examples", responses=_EXAMPLES, response_model=None)
def example_questions(engine: Opened) -> dict[str, list[str]]:
    """Return example claims: the index's most frequent debatable conclusions."""
    return {"examples": engine.known.examples}


@routes.get("/suggest", responses=_SUGGESTIONS, response_model=None)
def suggest(
    request: Request, engine: Opened, query: Annotated[schemas.SuggestQuery, Query()]
) -> dict[str, Any]:
    """Return the conclusions that match the input so far."""
    refuse_repeated(request)
    if engine.known.suggestions is None:
        raise Problem(409, "suggestions need an index directory, not a search server")
    begun = time.perf_counter()
    found = engine.known.suggestions.matching(query.q, query.k)
    return {
        "query": query.q,
        "milliseconds": round((time.perf_counter() - begun) * 1000.0, 3),
        "suggestions": [one._asdict() for one in found],
    }


@routes.get("/map", responses=_MAP, response_model=None)
def clusters(
    request: Request, engine: Opened, query: Annotated[schemas.MapQuery, Query()]
) -> dict[str, Any]:
    """Return the clusters with their positions and most frequent conclusions."""
    refuse_repeated(request)
    if not engine.known.clusters:
        raise Problem(409, "a map needs an index directory with clusters")
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
                "words": list(one.words),
                **({} if near is None else {"similarity": round(float(near[one.number]), 4)}),
            }
            for one in engine.known.clusters
        ],
    }
