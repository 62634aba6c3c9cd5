"""`GET /api/search`, and like it every unit: parameters in, the best things for a question out."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, get_type_hints

import orjson
from fastapi import APIRouter, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.datastructures import QueryParams

from argsearch.api.cards import policy
from argsearch.api.formats import TEXTS
from argsearch.api.http import schemas
from argsearch.api.http.middleware import FINGERPRINT_HEADER
from argsearch.api.http.opened import Opened, engine_of
from argsearch.api.http.problems import REPEATABLE, missing, refuse_repeated
from argsearch.api.http.schemas import QUERIES, PageQuery, SearchQuery
from argsearch.api.http.turns import in_a_thread
from argsearch.api.serialise import Answer, question_for
from argsearch.engine import Engine
from argsearch.engine.alias_follower import again
from argsearch.engine.units import UNITS
from argsearch.indexer.corpus.argument import Argument

FEW = 20
"""Hits down to the last of a page that is answered at once. Answers that take longer, or wait for
a search server, are made in a thread, beside others."""
SHORT_QUERY = 200
"""Characters of a query that is answered at once."""
MUCH = 200_000
"""Characters of the hits' premises from which on their sentences are found in a thread."""
PATHS = {
    "arguments": {"/search": "search", "/arguments": "search_arguments"},
    "counters": {"/counters": "search_counters"},
}
"""A unit's addresses below /api and their operations, where these are not just its name."""
ANSWERS: dict[str, type[BaseModel]] = {
    "arguments": schemas.AnswerModel,
    "premises": schemas.PremisesModel,
    "counters": schemas.CounterModel,
}
"""What answers, where they hold more than every unit's."""
NO_ARGUMENT: schemas.Answers = {404: schemas.problem("No argument has that id")}


def router() -> APIRouter:
    """Return the routes; that of counters has to come before that of arguments by their ids."""
    routes = APIRouter(prefix="/api", tags=["search"], route_class=SearchRoute)
    for unit in UNITS:
        for path, name in PATHS.get(unit, {f"/{unit}": unit}).items():
            routes.add_api_route(
                path,
                _endpoint(unit),
                responses=answers(unit),
                response_model=None,
                name=name,
                description=question_for(UNITS[unit]),
            )
    routes.add_api_route(
        "/arguments/{id:path}/counter",
        counters,
        responses=answers("counters") | NO_ARGUMENT,
        response_model=None,
        route_class_override=APIRoute,
    )
    routes.add_api_route(
        "/arguments/{id:path}",
        argument,
        responses=schemas.answers(schemas.ArgumentModel) | NO_ARGUMENT,
        response_model=None,
        route_class_override=APIRoute,
    )
    return routes


def answers(unit: str) -> schemas.Answers:
    """Return the answers of a unit's route, as OpenAPI describes them."""
    lacks, media = "The index lacks a part that is needed", (media for media, _ in TEXTS.values())
    return schemas.answers(ANSWERS.get(unit, schemas.UnitAnswerModel), lacks, media)


def _endpoint(unit: str) -> Callable[..., Coroutine[Any, Any, Response]]:
    """The endpoint of a unit; its query is described to FastAPI, and read by SearchRoute."""

    async def endpoint(request: Request, engine: Engine, query: Any) -> Response:
        """Answer at once what is brief, else in a thread."""
        refuse_repeated(request)
        if not brief(engine, query):
            answered = again(_found_and_written)
            return await in_a_thread(engine, query.k, answered, engine, unit, query.q, query)
        answer = found(engine, unit, query.q, query)
        # A few hits may still have long premises, whose sentences take their time.
        premises = (one.text for hit in answer.hits for one in hit.argument.premises)
        if sum(map(len, premises)) > MUCH:
            return await in_a_thread(engine, query.k, _written, answer, query.format)
        return _written(answer, query.format)

    annotations: dict[str, Any] = {"request": Request, "engine": Opened}
    endpoint.__annotations__ = annotations | {"query": Annotated[QUERIES[unit], Query()]}
    return endpoint


def brief(engine: Engine, query: PageQuery) -> bool:
    """Return whether it takes a few milliseconds, which a thread's turn would only add to."""
    if not isinstance(query, SearchQuery) or query.explain:
        return False
    few = query.k * query.page <= FEW and len(query.q) <= SHORT_QUERY
    # A hundred arguments are read for their sides, and all matches are looked at to sort or count.
    few = few and query.side is None and not query.sides
    few = few and query.sort is None and not query.facet
    config = engine.config(query.config, query.overrides())
    return few and engine.light and config.brief("vectors" in engine.parts)


def found(engine: Engine, unit: str, asked: str | Argument, query: PageQuery) -> Answer:
    """Return what is found for a question, or for an argument that is to be countered."""
    results = engine.search(asked, unit=unit, **query.asked())
    only = tuple(query.only) or None
    return Answer(engine, results, query.explain, schemas.MOST_EXPLAINED, only)


def _found_and_written(
    engine: Engine, unit: str, asked: str | Argument, query: PageQuery
) -> Response:
    answer = found(engine, unit, asked, query)
    response = _written(answer, query.format)
    # The index may have been replaced since the request began.
    response.headers[FINGERPRINT_HEADER] = answer.results.fingerprint
    return response


def _written(answer: Answer, form: str) -> Response:
    if form == "json":
        return Response(answer.to_json(), media_type="application/json")
    media, write = TEXTS[form]
    return text_response(write(answer), media)


def text_response(text: str, media: str) -> Response:
    """Return what answers with a text; cards have a security policy of their own."""
    headers = {"Content-Security-Policy": policy()} if media.startswith("text/html") else None
    return Response(text, headers=headers, media_type=media)


def counters(
    request: Request,
    engine: Opened,
    id: schemas.Id,
    query: Annotated[schemas.CounterQuery, Query()],
) -> Response:
    """The best counter-arguments to an argument of the index."""
    refuse_repeated(request)
    asked = engine.argument(id)
    if asked is not None:
        return _found_and_written(engine, "counters", asked, query)
    # an id may hold slashes: perhaps an argument is meant whose id ends like this route
    return _whole(engine.argument(f"{id}/counter"), id)


def argument(engine: Opened, id: schemas.Id) -> Response:
    """One argument in args.me's form; its id may hold slashes."""
    return _whole(engine.argument(id), id)


def _whole(found: Argument | None, id: str) -> Response:
    if found is None:
        raise missing(id)
    return Response(orjson.dumps(found.to_json()), media_type="application/json")


def parameters(given: QueryParams, model: type[PageQuery] = SearchQuery) -> PageQuery:
    """Return the parameters; raises RequestValidationError with FastAPI's own errors."""
    # `getlist` reads all of them for each name.
    several: dict[str, list[str]] = {}
    for name, value in given.multi_items():
        several.setdefault(name, []).append(value)
    values: dict[str, Any] = {}
    for name, of in several.items():
        unknown = name not in model.model_fields
        listed = name in REPEATABLE or (unknown and len(of) > 1)
        values[name] = of if listed else of[-1]
    try:
        return model.model_validate(values)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise RequestValidationError(
            [{**one, "loc": ("query", *one["loc"])} for one in found]
        ) from error


class SearchRoute(APIRoute):
    """A route of an endpoint that takes the request, the open engine and a unit's query.

    The parameters are read at once: FastAPI reads the fields of a model of parameters one by one,
    which takes as long as a search.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request; the description of the route is FastAPI's."""
        # Measured with FastAPI 0.165: 0.4 ms for the parameters of a search, 0.04 ms at once.
        model = get_type_hints(self.endpoint, include_extras=True)["query"].__origin__

        async def answer(request: Request) -> Response:
            """Read the parameters and call the endpoint."""
            engine = await engine_of(request)
            query = parameters(request.query_params, model)
            response: Response = await self.endpoint(request, engine, query)
            return response

        return answer
