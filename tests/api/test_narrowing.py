"""Facets, sorting and folding over HTTP and on the command line: the engine's own answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from argsearch.api.http.schemas import AnswerModel
from argsearch.api.serialise import MOST_VALUES
from argsearch.engine import Engine
from tests.api.awkward import refused
from tests.engine.narrowing import COLUMNS, built

SERVED = "index"

QUERY = "w0 w1 zoos"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("narrowed"))


def asked(client: TestClient, **params: object) -> dict:
    answer = client.get("/api/search", params={"q": QUERY, **params})
    assert answer.status_code == 200, answer.text
    AnswerModel.model_validate(answer.json(), extra="forbid")
    return answer.json()


@pytest.mark.thorough
def test_facets_over_http_are_the_engines(client: TestClient, engine: Engine) -> None:
    found = asked(client, facet=COLUMNS, where=["words >= 2", "stance=pro"], collapse=True, k=3)
    wanted = engine.search(QUERY, where=["words >= 2", "stance=pro"], facets=COLUMNS, collapse=True)
    assert list(found["facets"]) == list(COLUMNS)
    assert found["facets"] == {n: [v.to_dict() for v in of] for n, of in wanted.facets.items()}
    assert found["values"] == {name: len(of) for name, of in wanted.facets.items()}
    assert found["facets"]["stance"] == [{"value": "PRO", "count": found["total"]}]
    assert (found["total"], found["groups"]) == (wanted.total, wanted.groups)
    assert found["groups"] < found["total"]
    for name, values in found["facets"].items():
        where = ["words >= 2", "stance=pro", f"{name}={values[0]['value']}"]
        assert asked(client, where=where)["total"] == values[0]["count"]


def test_a_sort_over_http_is_the_engines(client: TestClient, engine: Engine) -> None:
    whole = engine.search(QUERY, k=1000, sort="-date")
    pages = [asked(client, sort="-date", k=7, page=page) for page in range(1, 5)]
    assert [hit["id"] for page in pages for hit in page["hits"]] == whole.hits.ids[:28]
    assert {page["sort"] for page in pages} == {"-date"}
    assert not {"facets", "values", "sort", "groups"} & asked(client).keys()


def test_the_most_frequent_values_are_shown(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = asked(client, facet="source")
    assert MOST_VALUES == 100
    monkeypatch.setattr("argsearch.api.serialise.MOST_VALUES", 2)
    cut = asked(client, facet="source")
    assert cut["facets"]["source"] == whole["facets"]["source"][:2]
    assert cut["values"] == whole["values"] == {"source": len(whole["facets"]["source"])}


def test_the_command_line_says_the_same(argsearch, done, index: Path, engine: Engine) -> None:
    options = ("--facet", "stance", "--facet", "words", "--sort", "-words", "-k", 5)
    data, _ = done("search", QUERY, "--index", index, *options, "--format", "json")
    found = json.loads(data)
    asked = {"sort": "-words", "collapse": True, "discriminative": True}
    wanted = engine.search(QUERY, k=5, facets=("stance", "words"), **asked)
    assert [hit["id"] for hit in found["hits"]] == wanted.hits.ids
    assert found["facets"].keys() == {"stance", "words"}
    _, messages = done("search", QUERY, "--index", index, *options)
    pro, con = (one.count for one in sorted(wanted.facets["stance"], key=lambda v: v.value)[::-1])
    assert f"PRO {pro}" in messages
    assert f"CON {con}" in messages
    assert f"of {wanted.total:,} matching arguments ({wanted.groups:,} without near" in messages
    refused(
        argsearch,
        ("search", QUERY, "--index", index, "--sort", "source"),
        2,
        "sort must be one of the numeric columns quality,",
    )
