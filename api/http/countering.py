"""Counter-arguments over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request, Response

from argsearch.api.counters import Counters
from argsearch.api.http import problems, schemas
from argsearch.api.http.opened import Opened
from argsearch.indexer.format.parts import PartMissing

_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": schemas.CounterModel},
    404: schemas.problem("No argument has that id"),
    409: schemas.problem("The index lacks the part that counter-arguments need"),
    422: schemas.problem("A parameter cannot be used"),
    503: schemas.problem("The index is not open yet"),
}


def router() -> APIRouter:
    """The route; it has to come before that of an argument, whose id may hold slashes."""
    routes = APIRouter(prefix="/api", tags=["search"])
    routes.add_api_route(
        "/arguments/{id:path}/counter", counters, responses=_ANSWERS, response_model=None
    )
    return routes


def counters(
    request: Request,
    engine: Opened,
    id: schemas.Id,
    query: Annotated[schemas.CounterQuery, Query()],
) -> Response:
    """The best counter-arguments to an argument of the index."""
    problems.refuse_repeated(request)
    asked = engine.argument(id)
    if asked is None:
        meant = engine.argument(f"{id}/counter")  # an argument whose id ends like this route
        if meant is not None:
            return Response(orjson.dumps(meant.to_json()), media_type="application/json")
        raise problems.Problem(404, f"no argument has the id {id!r}", parameter="id", value=id)
    try:
        results = engine.counter(asked, query.k)
    except PartMissing as error:
        add = f"argsearch index --with {error.name} --out INDEX, and start the server again"
        missing = f"the index has no part {error.name!r}; add it with: {add}"
        raise problems.Problem(409, missing if engine.backend.local else str(error)) from error
    answer = Counters(engine, results, query.explain)
    return Response(orjson.dumps(answer.to_dict()), media_type="application/json")
