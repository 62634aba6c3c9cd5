"""Counter-arguments on the command line and over HTTP."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from argsearch.api.http.app import create_app
from argsearch.api.http.schemas import CounterModel
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.adding import add_parts
from tests.api.awkward import build_index, one_line_error

SERVED = "index"


@pytest.fixture(scope="module")
def index(built, tmp_path_factory):
    """The awkward corpus with the parts that counter-arguments need."""
    return build_index(built, tmp_path_factory.mktemp("awkward-counter"), "counter")


ID = "zoo/1#a?b=c&d%20"


def test_the_command_line_shows_what_the_engine_finds(argsearch, engine, index):
    expected = engine.counter(ID, 3).hits.ids
    code, data, messages = argsearch("counter", ID, "--index", index, "-k", 3, "--format", "json")
    answer = json.loads(data)
    assert (code, messages) == (0, "")
    assert [hit["id"] for hit in answer["hits"]] == expected
    assert (answer["id"], answer["conclusion"]) == (ID, "Zoos should be abolished")
    assert "explanation" not in answer["hits"][0]


def test_the_table_shows_features_when_asked(argsearch, index):
    code, data, messages = argsearch("counter", "zoos save species", "--index", index, "--explain")
    assert code == 0
    assert "counterness, weight × value" in data
    assert "candidates" in messages
    assert argsearch("counter", "zoos", "--index", index, "--quiet")[2] == ""


def test_nothing_to_counter_is_said(argsearch, index):
    code, data, messages = argsearch("counter", "empty", "--index", index)
    assert (code, data) == (0, "")
    assert "note: the premises of argument 'empty' have no words" in messages
    assert "no counter-argument" in messages


def test_wrong_words_are_one_line(argsearch, index, awkward_index):
    code, data, messages = argsearch("counter", "nobody-knows-it", "--index", index)
    assert (code, data) == (2, "")
    assert "must be the id of an argument of this index" in one_line_error(messages)
    code, _, messages = argsearch("counter", "zoos", "--index", awkward_index)
    assert code == 1
    assert "argsearch index --with counter" in one_line_error(messages)


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
        assert hit.explanation is not None
        assert hit.explanation.value == pytest.approx(hit.score)
        assert hit.side.explanation is not None
        assert hit.side.explanation.value == pytest.approx(hit.side.probability, abs=1e-4)
    assert answer.headers["x-index-fingerprint"] == model.fingerprint
    missing = client.get("/api/arguments/nobody/counter")
    assert (missing.status_code, missing.json()["parameter"]) == (404, "id")


def test_ids_with_slashes(tmp_path):
    """One that ends like the route is an argument all the same."""
    corpus = tmp_path / "corpus.json"
    texts = {"a/counter": "Zoos save species", "a/b?c": "Zoos are no ark for species"}
    arguments = [
        {"id": id, "conclusion": "Zoos", "premises": [{"text": text, "stance": "PRO"}]}
        for id, text in texts.items()
    ]
    corpus.write_text(json.dumps({"arguments": arguments}))
    build(BuildRequest([str(corpus)], tmp_path / "index", IndexSettings(quality_model="none")))
    add_parts(tmp_path / "index", ["counter"])
    with TestClient(create_app(tmp_path / "index")) as client:
        for address in ("a/counter", "a%2Fcounter"):
            one = client.get(f"/api/arguments/{address}").json()
            assert one["premises"][0]["text"] == texts["a/counter"]
        counters = client.get("/api/arguments/a/counter/counter").json()
        assert [hit["id"] for hit in counters["hits"]] == ["a/b?c"]
        assert client.get("/api/arguments/a%2Fb%3Fc/counter").json()["id"] == "a/b?c"
        assert client.get("/api/arguments/a/b%3Fc").json()["id"] == "a/b?c"
