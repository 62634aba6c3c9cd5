"""Counter-arguments on the command line and over HTTP."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from argsearch.api.http.app import create_app
from argsearch.api.http.schemas import CounterModel
from argsearch.indexer.format.settings import IndexSettings
from tests.api.awkward import build_index, refused
from tests.indexes import document, indexed

SERVED = "index"


@pytest.fixture(scope="module")
def index(built, tmp_path_factory):
    """The awkward corpus with the parts that counter-arguments need."""
    return build_index(built, tmp_path_factory.mktemp("awkward-counter"), "counter")


def test_the_table_shows_features_when_asked(argsearch, done, index):
    data, messages = done("counter", "zoos save species", "--index", index, "--explain")
    assert "counterness, weight × value" in data
    assert "candidates" in messages
    assert argsearch("counter", "zoos", "--index", index, "--quiet")[2] == ""


def test_nothing_to_counter_is_said(argsearch, index):
    code, data, messages = argsearch("counter", "empty", "--index", index)
    assert (code, data) == (0, "")
    assert "note: the premises of argument 'empty' have no words" in messages
    assert "no counter-argument" in messages


def test_wrong_words_are_one_line(argsearch, index):
    refused(
        argsearch,
        ("counter", "nobody-knows-it", "--index", index),
        2,
        "must be the id of an argument of this index",
    )


@pytest.mark.parametrize("id", ["zoo-2", "null", "empty", "xss"])
def test_http_answers_in_the_documented_shape(client, engine, id):
    answer = client.get(f"/api/arguments/{id}/counter", params={"explain": "true"})
    assert answer.status_code == 200
    model = CounterModel.model_validate(answer.json(), extra="forbid")
    assert model.id == id
    results = engine.counter(id)
    assert [hit.id for hit in model.hits] == results.hits.ids
    assert tuple(model.notes) == results.notes
    for hit in model.hits:
        assert hit.explanation.value == pytest.approx(hit.score)
        assert hit.side.explanation.value == pytest.approx(hit.side.probability, abs=1e-4)
    assert answer.headers["x-index-fingerprint"] == model.fingerprint
    missing = client.get("/api/arguments/nobody/counter")
    assert (missing.status_code, missing.json()["parameter"]) == (404, "id")


def test_ids_with_slashes(tmp_path):
    """One that ends like the route is an argument all the same."""
    texts = {"a/counter": "Zoos save species", "a/b?c": "Zoos are no ark for species"}
    documents = [document(id, "Zoos", text, stance="PRO") for id, text in texts.items()]
    settings = IndexSettings(quality_model="none", parts=("counter",))
    with TestClient(create_app(indexed(tmp_path, documents, settings))) as client:
        for address in ("a/counter", "a%2Fcounter"):
            one = client.get(f"/api/arguments/{address}").json()
            assert one["premises"][0]["text"] == texts["a/counter"]
        counters = client.get("/api/arguments/a/counter/counter").json()
        assert [hit["id"] for hit in counters["hits"]] == ["a/b?c"]
        assert client.get("/api/arguments/a%2Fb%3Fc/counter").json()["id"] == "a/b?c"
        assert client.get("/api/arguments/a/b%3Fc").json()["id"] == "a/b?c"
