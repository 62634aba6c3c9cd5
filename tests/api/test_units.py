"""Pairs on the command line and over HTTP: one shape, and clear words where there are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from argsearch.api.http.app import create_app
from argsearch.api.http.schemas import UnitAnswerModel
from tests.indexes import Built

LOOSE = ("--set", "pairs.conclusion_factor=0")


@pytest.fixture(scope="module")
def pairs_index(built: Built) -> Path:
    return built(added=["pairs"])


@pytest.fixture(scope="module")
def client(pairs_index: Path) -> Iterator[TestClient]:
    with TestClient(create_app(pairs_index)) as client:
        yield client


def test_http_and_command_line_give_the_same(client, pairs_index, argsearch):
    answer = client.get("/api/pairs", params={"q": "close the zoos", "k": 3, "explain": "true"})
    assert answer.status_code == 200
    model = UnitAnswerModel.model_validate(answer.json(), extra="forbid")
    assert [hit.rank for hit in model.hits] == [1, 2, 3]
    assert all(len(hit.texts) == 2 for hit in model.hits)
    assert model.unit == "pairs"
    assert all(hit.explanation and hit.explanation.value == hit.score for hit in model.hits)
    words = ("pairs", "close the zoos", "--index", pairs_index, "-k", "3", "--explain")
    code, out, _ = argsearch(*words, "--format", "json")
    assert code == 0
    assert json.loads(out)["hits"] == answer.json()["hits"]


def test_the_table_shows_both_sentences(pairs_index, argsearch):
    code, out, err = argsearch("pairs", "zoos", "--index", pairs_index, "-k", "2", *LOOSE)
    assert code == 0
    assert out.count("__CONC__") == 2
    assert "2 of " in err
    assert argsearch("pairs", "zoos", "--index", pairs_index, "--format", "yaml")[0] == 2


def test_wrong_parameters_and_missing_parts(client, sample_index, argsearch):
    assert client.get("/api/pairs", params={"q": " "}).status_code == 422
    assert client.get("/api/pairs", params={"q": "zoos", "depth": 3}).status_code == 422
    with TestClient(create_app(sample_index)) as bare:
        answer = bare.get("/api/pairs", params={"q": "zoos"})
        assert answer.status_code == 409
        assert "argsearch index --with pairs" in answer.json()["detail"]
    code, _, err = argsearch("pairs", "zoos", "--index", sample_index)
    assert code != 0
    assert "argsearch index --with pairs" in err
