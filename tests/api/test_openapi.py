"""Whatever the OpenAPI description allows is answered as it says, over a real connection."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx
import hypothesis
import orjson
import pytest
import schemathesis
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance

from argsearch.api.http.access import Access
from argsearch.api.http.app import create_app
from argsearch.api.http.schemas import ArgsMeQuery, ProblemModel, SearchQuery
from tests.fuzz.http import OF_COLUMNS

PATHS = [
    "/api/search",
    "/api/points",
    "/api/arguments",
    "/api/counters",
    "/api/pairs",
    "/api/premises",
    "/api/arguments/{id}",
    "/api/arguments/{id}/counter",
    "/api/examples",
    "/api/suggest",
    "/api/map",
    "/api/v2/arguments",
    "/api/v2/arguments/{id}",
    "/health",
    "/ready",
    "/metrics",
]
POSTED = ["/api/search", "/api/challenge", "/api/export"]
settings = hypothesis.settings(
    max_examples=30, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def described(live: str) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{live}/openapi.json", timeout=60)


@pytest.mark.processes
def test_every_path_is_tried(described):
    assert sorted(described) == sorted({*PATHS, *POSTED})


@pytest.mark.thorough
@pytest.mark.parametrize("access", [Access(), Access(tokens=("a",), rate=1.0)])
def test_the_description_is_valid(access):
    """Every reference in it leads somewhere; names of operations are there once."""
    document = create_app("", access).openapi()
    validator = pytest.importorskip(
        "openapi_spec_validator", reason="pip install openapi-spec-validator"
    )
    validator.validate(document)
    models = document["components"]["schemas"]
    named = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(document)))
    assert {"ProblemModel", "SearchBatch", "ChallengeRequest", "KeptModel"} <= named <= set(models)
    assert "HTTPValidationError" not in models
    operations = [one for methods in document["paths"].values() for one in methods.values()]
    contents = [one["responses"]["200"]["content"] for one in operations]
    assert [content for content in contents if {"schema": {}} in content.values()] == []
    assert {"SideFilter", "StanceName", "Stance", "FormatName", "ConfigName"} <= named


@pytest.mark.processes
@pytest.mark.parametrize(
    ("path", "method"), [*((path, "GET") for path in PATHS), *((path, "POST") for path in POSTED)]
)
def test_the_api_keeps_its_word(described, path, method):
    @settings
    @given(case=described[path][method].as_strategy())
    def check(case: schemathesis.Case) -> None:
        # What is allowed of columns follows from the index; k and questions bound each other.
        free = method == "POST" or {*OF_COLUMNS} & {*case.query}
        excluded = [positive_data_acceptance] if free else []
        case.call_and_validate(excluded_checks=excluded, timeout=60)

    check()


values = st.one_of(
    st.text(max_size=20),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(["", "\0", "a"]),
)
NAMES = sorted({**SearchQuery.known, **ArgsMeQuery.known})
queries = st.lists(st.tuples(st.sampled_from(NAMES), values), max_size=4)


@pytest.mark.processes
@pytest.mark.parametrize("path", ["/api/search", "/api/v2/arguments"])
def test_anything_else_is_a_problem(live, path):
    @settings
    @given(query=queries)
    def check(query: list[tuple[str, str]]) -> None:
        required = ("q" if path == "/api/search" else "query", "zoos")
        answer = client.get(live + path, params=[required, *query])
        if answer.status_code != 200:
            assert answer.status_code == 422
            assert answer.headers["content-type"] == "application/problem+json"
            problem = ProblemModel.model_validate(answer.json())
            assert problem.parameter in {name for name, _ in query}

    with httpx.Client(timeout=60) as client:
        check()


@pytest.mark.processes
@pytest.mark.parametrize("blank", [" ", "\t", "\x1c", "\x1f", "\x85", "\u2028", "\u3000", "\ufeff"])
def test_what_is_no_word_is_refused_by_description_and_server_alike(live, blank):
    """Python, ECMA-262 and pydantic each know other characters as white space."""
    paths = create_app("").openapi()["paths"]
    for path in ("/api/search", "/api/pairs", "/api/premises", "/api/suggest", "/api/v2/arguments"):
        name = "query" if "v2" in path else "q"
        [schema] = [p["schema"] for p in paths[path]["get"]["parameters"] if p["name"] == name]
        assert not re.search(schema["pattern"], blank * 2)
        assert re.search(schema["pattern"], f"{blank}a")
        assert httpx.get(live + path, params={name: blank * 2}, timeout=60).status_code == 422


def test_eight_who_ask_for_it_first_at_once_get_one_description() -> None:
    app, together = create_app(""), Barrier(8)

    def described(_: int) -> bytes:
        together.wait(60)
        return orjson.dumps(app.openapi())

    with ThreadPoolExecutor(8) as pool:
        told = set(pool.map(described, range(8)))
    assert told == {orjson.dumps(create_app("").openapi())}
