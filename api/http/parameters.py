"""The parameters of a search, read at once.

FastAPI reads the fields of a model of parameters one by one, which takes as long as a search.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.datastructures import QueryParams

from argsearch.api.http.opened import engine_of
from argsearch.api.http.schemas import SearchQuery

REPEATABLE = frozenset(
    name for name, field in SearchQuery.model_fields.items() if field.annotation == list[str]
)
"""Parameters with a list of values."""


def parameters(given: QueryParams) -> SearchQuery:
    """The parameters of a search; raises RequestValidationError with FastAPI's own errors."""
    values: dict[str, Any] = {}
    for name in given:
        several = given.getlist(name)
        unknown = name not in SearchQuery.model_fields
        listed = name in REPEATABLE or (unknown and len(several) > 1)
        values[name] = several if listed else several[-1]
    try:
        return SearchQuery.model_validate(values)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise RequestValidationError(
            [{**one, "loc": ("query", *one["loc"])} for one in found]
        ) from error


class SearchRoute(APIRoute):
    """A route of an endpoint that takes the request, the open engine and a `SearchQuery`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request; the description of the route is FastAPI's."""

        async def answer(request: Request) -> Response:
            """Read the parameters and call the endpoint."""
            engine = await engine_of(request)
            query = parameters(request.query_params)
            response: Response = await self.endpoint(request, engine, query)
            return response

        return answer
