"""The parameters of a search are read as FastAPI reads them; it is the referee."""

from __future__ import annotations

import json
from typing import Annotated, Any, get_origin
from urllib.parse import urlencode

import pytest
from fastapi import FastAPI, Query
from fastapi.exceptions import RequestValidationError
from fastapi.testclient import TestClient
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams
from starlette.responses import Response

from argsearch.api.http.problems import REPEATABLE
from argsearch.api.http.schemas import SearchQuery
from argsearch.api.http.search import parameters

seen: list[Any] = []
app = FastAPI()


@app.get("/")
def read(query: Annotated[SearchQuery, Query()]) -> None:
    seen.append(query)


@app.exception_handler(RequestValidationError)
async def refuse(_request: Any, error: Exception) -> Any:
    seen.append(error.errors())
    return Response(status_code=422)


client = TestClient(app)

NAMES = st.sampled_from([*SearchQuery.model_fields, "Q", "kk", ""])
VALUES = st.sampled_from(
    ["", " ", "zoos", "1", "0", "1e9", "-3.5", "nan", "true", "no", "PRO", "for", "default", "json"]
) | st.text(max_size=5)


@pytest.mark.thorough
@given(st.lists(st.tuples(NAMES, VALUES), max_size=6))
@example([])
@example([("q", "zoos"), ("q", "cats")])
@example([("q", "zoos"), ("where", "words > 3"), ("where", "year = 2010"), ("facet", "stance")])
@example([("q", "zoos"), ("qq", "a"), ("qq", "b")])
@example([("q", "zoos"), ("stance", "Con"), ("w_quality", "2"), ("explain", "yes")])
def test_parameters_are_read_as_fastapi_reads_them(pairs: list[tuple[str, str]]) -> None:
    asked = urlencode([("q", "zoos"), *pairs] if len(pairs) > 3 else pairs)
    client.get(f"/?{asked}")
    try:
        found: Any = parameters(QueryParams(asked))
    except RequestValidationError as error:
        found = error.errors()
    assert plain(found) == plain(seen.pop())


def plain(found: Any) -> str:
    """As text: a NaN is not equal to itself, and the order of an error's input is no matter."""
    return json.dumps(found, default=repr, sort_keys=True)


def test_lists_are_known() -> None:
    fields = SearchQuery.model_fields.items()
    assert {name for name, field in fields if get_origin(field.annotation) is list} == {*REPEATABLE}
