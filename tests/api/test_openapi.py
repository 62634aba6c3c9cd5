"""Whatever the OpenAPI description allows is answered as it says, over a real connection."""

from __future__ import annotations

import httpx
import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance

from api.problems import OF_COLUMNS
from api.schemas import ALLOWED, ProblemModel

PATHS = [
    "/api/search",
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
settings = hypothesis.settings(
    max_examples=30,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def described(live: str) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{live}/openapi.json")


def test_every_path_is_tried(described):
    assert sorted(described) == sorted(PATHS)


@pytest.mark.parametrize("path", PATHS)
def test_the_api_keeps_its_word(described, path):
    @settings
    @given(case=described[path]["GET"].as_strategy())
    def check(case: schemathesis.Case) -> None:
        columns = {*OF_COLUMNS} & {*case.query}  # what is allowed there follows from the index
        case.call_and_validate(excluded_checks=[positive_data_acceptance] if columns else [])

    check()


values = st.one_of(
    st.text(max_size=20),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(["", "\0", "a"]),
)
queries = st.lists(st.tuples(st.sampled_from(sorted(ALLOWED)), values), max_size=4)


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

    with httpx.Client() as client:
        check()
