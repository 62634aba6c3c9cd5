"""`GET /api/search` and the routes of all units: the best results for a question."""

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
"""Last rank up to which the event loop computes an answer. A thread computes deeper pages."""
SHORT_QUERY = 200
"""Maximum length of a query that the event loop answers itself, in characters."""
MUCH = 200_000
"""If the hits' premises are longer than this, in characters, a thread computes their gists."""
PATHS = {
    "arguments": {"/search": "search", "/arguments": "search_arguments"},
    "counters": {"/counters": "search_counters"},
}
"""Path below /api and operation name of each unit whose API name differs from its own."""
ANSWERS: dict[str, type[BaseModel]] = {
    "arguments": schemas.AnswerModel,
    "premises": schemas.PremisesModel,
    "counters": schemas.CounterModel,
}
"""Response models of the units that return additional fields."""
NO_ARGUMENT: schemas.Answers = {404: schemas.problem("No argument has that id")}
routes = APIRouter(prefix="/api", tags=["search"])


def answers(unit: str) -> schemas.Answers:
    """Return the possible answers of a unit's route, for OpenAPI."""
    lacks = "The index lacks a part that is needed"
    return schemas.answers(ANSWERS.get(unit, schemas.UnitAnswerModel), lacks, TEXTS)


def _endpoint(unit: str) -> Callable[..., Coroutine[Any, Any, Response]]:
    """Return the endpoint of a unit. FastAPI only describes its query; SearchRoute reads it."""

    async def endpoint(request: Request, engine: Engine, query: Any) -> Response:
        """Answer brief requests at once and other requests in a thread."""
        refuse_repeated(request)
        if not brief(engine, query):
            answered = again(_found_and_written)
            return await in_a_thread(engine, query.k, answered, engine, unit, query.q, query)
        answer = found(engine, unit, query.q, query)
        # Even a few hits may have long premises, whose sentences take time.
        premises = (one.text for hit in answer.hits for one in hit.argument.premises)
        if sum(map(len, premises)) > MUCH:
            return await in_a_thread(engine, query.k, _written, answer, query.format)
        return _written(answer, query.format)

    annotations: dict[str, Any] = {"request": Request, "engine": Opened}
    endpoint.__annotations__ = annotations | {"query": Annotated[QUERIES[unit], Query()]}
    return endpoint


def brief(engine: Engine, query: PageQuery) -> bool:
    """Return True if an answer takes so few milliseconds that using a thread would slow it down."""
    if not isinstance(query, SearchQuery) or query.explain:
        return False
    few = query.k * query.page <= FEW and len(query.q) <= SHORT_QUERY
    # For sides, a hundred arguments are read. Sorting and counting need all matches.
    few = few and query.side is None and not query.sides
    few = few and query.sort is None and not query.facet
    config = engine.config(query.config, query.overrides())
    return few and engine.light and config.brief("vectors" in engine.parts)


def found(engine: Engine, unit: str, asked: str | Argument, query: PageQuery) -> Answer:
    """Return the results for a question, or the counter-arguments to an argument."""
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
    """Return a text response. HTML cards have their own security policy."""
    headers = {"Content-Security-Policy": policy()} if media.startswith("text/html") else None
    return Response(text, headers=headers, media_type=media)


def parameters(given: QueryParams, model: type[PageQuery] = SearchQuery) -> PageQuery:
    """Return the parameters of a query. Raise RequestValidationError with FastAPI's own errors."""
    # `getlist` would read all parameters for each name.
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
    """Route whose endpoint takes the request, the open engine and a unit's query.

    The route reads all parameters at once. FastAPI would read the fields of a parameter model one
    by one, which takes as long as a search.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the request handler. FastAPI only describes the route."""
        # FastAPI 0.165 takes 0.4 ms for the parameters of a search; this takes 0.04 ms.
        model = get_type_hints(self.endpoint, include_extras=True)["query"].__origin__

        async def answer(request: Request) -> Response:
            """Read the parameters and call the endpoint."""
            engine = await engine_of(request)
            query = parameters(request.query_params, model)
            response: Response = await self.endpoint(request, engine, query)
            return response

        return answer


for _unit in UNITS:
    for _path, _name in PATHS.get(_unit, {f"/{_unit}": _unit}).items():
        routes.add_api_route(
            _path,
            _endpoint(_unit),
            responses=answers(_unit),
            response_model=None,
            name=_name,
            description=question_for(UNITS[_unit]),
            route_class_override=SearchRoute,
        )


@routes.get(
    "/arguments/{id:path}/counter",
    responses=answers("counters") | NO_ARGUMENT,
    response_model=None,
)
def counters(
    request: Request,
    engine: Opened,
    id: schemas.Id,
    query: Annotated[schemas.CounterQuery, Query()],
) -> Response:
    """Return the best counter-arguments to an argument in the index."""
    refuse_repeated(request)
    asked = engine.argument(id)
    if asked is not None:
        return _found_and_written(engine, "counters", asked, query)
    # Ids may contain slashes, so the id may end like this route.
    return _whole(engine.argument(f"{id}/counter"), id)


# Ids may contain slashes, so this route also matches the paths of the route for counters.
@routes.get(
    "/arguments/{id:path}",
    responses=schemas.answers(schemas.ArgumentModel) | NO_ARGUMENT,
    response_model=None,
)
def argument(engine: Opened, id: schemas.Id) -> Response:
    """Return an argument in args.me's format; its id may contain slashes."""
    return _whole(engine.argument(id), id)


def _whole(found: Argument | None, id: str) -> Response:
    if found is None:
        raise missing(id)
    return Response(orjson.dumps(found.to_json()), media_type="application/json")
