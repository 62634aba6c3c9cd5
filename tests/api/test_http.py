"""The HTTP API, in this process."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from argsearch.api.http import schemas
from argsearch.api.http import search as searching
from argsearch.api.http.app import create_app
from argsearch.api.http.argsme import places
from argsearch.api.http.pages import PAGE_FILES
from argsearch.api.http.schemas import AnswerModel
from argsearch.api.http.search import FEW, SHORT_QUERY
from argsearch.engine.config import load_config, names
from argsearch.indexer.format.manifest import IndexMissing
from tests.api.awkward import ARGUMENTS
from tests.copies import ROOT


@pytest.mark.parametrize(
    ("params", "threads"),
    [
        ({"k": FEW}, 0),
        ({"k": 3, "page": 2}, 0),
        ({"k": FEW + 1}, 1),
        ({"k": FEW, "page": 2}, 1),
        ({"q": "zoos " * SHORT_QUERY}, 1),
        ({"explain": True}, 1),
        ({"rerank": "none"}, 0),
        ({"rerank": "mmr"}, 0),  # the index has the part vectors
        ({"format": "bibtex"}, 0),
        ({"sort": "words"}, 1),
        ({"facet": "stance"}, 1),
    ],
)
def test_only_brief_answers_take_no_thread(client, monkeypatch, params, threads):
    turns = []

    async def run(_engine, _hits, function, *arguments):
        turns.append(function)
        return function(*arguments)

    monkeypatch.setattr(searching, "in_a_thread", run)
    assert client.get("/api/search", params={"q": "zoos", **params}).status_code == 200
    assert len(turns) == threads
    monkeypatch.setattr(searching, "MUCH", 10)  # premises longer than that go to a thread too
    client.get("/api/search", params={"q": "zoos", **params})
    assert len(turns) == threads + 1


def test_the_first_hundred_hits_are_explained(client, monkeypatch):
    answer = client.get("/api/search", params={"q": "zoos", "k": 1000, "explain": True})
    assert answer.status_code == 200
    monkeypatch.setattr(schemas, "MOST_EXPLAINED", 2)
    for form, mark in (("json", '"explanation"'), ("markdown", "relevance × ")):
        params = {"q": "zoos", "k": 1000, "explain": True, "format": form}
        text = client.get("/api/search", params=params).text
        assert text.count(mark) == 2, text
    AnswerModel.model_validate(
        client.get("/api/search", params={**params, "format": "json"}).json()
    )


def nodes(tree):
    """Every node of an explanation, this one first."""
    return [tree, *(node for detail in tree["details"] for node in nodes(detail))]


@pytest.mark.thorough
@pytest.mark.parametrize("config", [name for name in names() if name != "meaning"])
def test_the_factors_of_every_configuration_multiply_to_the_score(client, config):
    """Before any re-ranking; `meaning` fuses ranks: tests/engine/test_meaning.py."""
    params = {"q": "should zoos keep animals", "config": config, "explain": True}
    hits = client.get("/api/search", params=params).json()["hits"]
    assert hits
    for hit in hits:
        factors = hit["factors"]
        product = factors["relevance"] * factors["cluster"] * factors["quality"]
        scores = [node["value"] for node in nodes(hit["explanation"]) if node["symbol"] == "S"]
        assert product == pytest.approx(scores[-1])  # Eq. 1, before any stage
        if "premises" in factors:
            assert product * factors["premises"] == pytest.approx(hit["score"])
        assert ("premises" in factors) == bool(load_config(config).boost.premises)
        assert scores[0] == pytest.approx(hit["score"], rel=1e-12)


def test_marks_are_the_query_words(client):
    hits = client.get("/api/search", params={"q": "zoos species"}).json()["hits"]
    for hit in hits:
        text, marks = hit["sentence"]["text"], hit["sentence"]["marks"]
        marked = {text[begin:end].lower() for begin, end in marks}
        assert marked == {word for word in ("zoos", "species") if word in text.lower()}
        assert not {"explanation", "factors"} & hit.keys(), "only with explain"
    assert any("😀" in hit["sentence"]["text"] and hit["sentence"]["marks"] for hit in hits)


@pytest.mark.parametrize("stance", ["pro", "con", "PRO", "Con"])
def test_a_stance_filters_and_counts(client, stance):
    answer = client.get("/api/search", params={"q": "uniforms", "stance": stance, "k": 100}).json()
    assert {hit["stance"] for hit in answer["hits"]} == {stance.upper()}
    assert answer["total"] == len(answer["hits"]) == 30


def test_weights_are_used_and_told(client):
    get = lambda **more: client.get("/api/search", params={"q": "zoos", **more}).json()  # noqa: E731
    plain, boosted = get(w_cluster=0, w_quality=0, w_premises=0), get(w_cluster=5)
    assert (plain["w_cluster"], plain["w_quality"]) == (0, 0)
    assert boosted["w_cluster"] == 5
    assert boosted["hits"][0]["score"] > plain["hits"][0]["score"]
    assert get(config="dirichlet")["hits"] == plain["hits"]
    assert get(config="heimdall-2021")["w_quality"] == 5


@pytest.mark.parametrize("path", ["/", "/health", "/ready", "/api/search?q=uniforms", "/nope"])
def test_head_is_get_without_content(client, path):
    got, headed = client.get(path), client.head(path)
    assert headed.status_code == got.status_code
    assert headed.content == b""
    for name in ("content-type", "content-security-policy", "x-index-fingerprint"):
        assert headed.headers.get(name) == got.headers.get(name)


@pytest.mark.parametrize(
    "path",
    [
        *("/api/search?q=zoos", "/api/search?q=zoos&format=csv", "/api/search", "/api/nope"),
        *("/api/arguments/zoo-2", "/api/arguments/nope", "/api/v2/arguments?query=zoos"),
    ],
)
def test_every_answer_under_api_names_the_index(client, path):
    fingerprint = client.get("/ready").json()["fingerprint"]
    assert client.get(path).headers["x-index-fingerprint"] == fingerprint


def test_health_ready_and_metrics(client):
    assert client.get("/health").json()["status"] == "alive"
    ready = client.get("/ready").json()
    assert ready["documents"] == len(ARGUMENTS)
    assert len(ready["fingerprint"]) == 64
    client.get("/api/search", params={"q": "zoos"})
    client.get("/api/arguments/secret-id")
    text = client.get("/metrics").text
    assert 'argsearch_http_requests_total{method="GET",route="/api/search",status="200"}' in text
    assert 'argsearch_http_request_seconds_bucket{le="0.005",route="/api/search"}' in text
    assert "secret-id" not in text


def test_before_the_index_is_open_it_is_not_ready(awkward_index):
    client = TestClient(create_app(awkward_index))  # not entered: the index is not opened
    assert client.get("/health").status_code == 200
    for path in ("/ready", "/api/search?q=a", "/api/arguments/a", "/api/v2/arguments?query=a"):
        answer = client.get(path)
        assert answer.status_code == 503
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["retry-after"] == "1"
        assert answer.json()["title"] == "Not ready"


def test_a_missing_index_is_told_at_the_start(tmp_path):
    with pytest.raises(IndexMissing), TestClient(create_app(tmp_path / "none")):
        pass


def test_an_unexpected_error_shows_nothing_of_itself(awkward_index):
    app = create_app(awkward_index)

    def broken() -> None:
        raise RuntimeError("secret of the house")

    app.add_api_route("/api/broken", broken)
    with TestClient(app, raise_server_exceptions=False) as client:
        answer = client.get("/api/broken")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "content-security-policy" in answer.headers
    assert "x-index-fingerprint" in answer.headers
    assert "secret" not in answer.text


def test_long_answers_are_compressed(client):
    answer = client.get(
        "/api/search", params={"q": "uniforms"}, headers={"Accept-Encoding": "gzip"}
    )
    assert answer.headers["content-encoding"] == "gzip"


@pytest.mark.thorough
def test_the_documentation_needs_nothing_from_outside(client):
    page = client.get("/docs").text
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in page
    assert re.findall(r"<script[^>]*>", page) == ['<script type="module" src="/try.js">']
    assert page.count('<details class="try" hidden>') == page.count("<section>") > 10
    assert "//" not in page.replace("https://www.w3.org", "")
    for path in PAGE_FILES.keys() - {"/favicon.svg"}:  # which names a namespace
        text = client.get(path).text
        assert "http://" not in text
        assert "https://" not in text


def test_a_language_model_reads_what_there_is(client):
    answer = client.get("/llms.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text.startswith("# argsearch\n\n> ")
    routes = re.findall(r"^- `\w+ (/\S+)`: \w", answer.text, re.MULTILINE)
    assert set(routes) == set(client.get("/openapi.json").json()["paths"])
    assert "&#" not in answer.text
    pages = re.findall(r"docs/[\w-]+\.md", answer.text)
    assert len(pages) >= 5
    assert all((ROOT / page).is_file() for page in pages)


# ---------------------------------------------------------------- args.me


def test_argsme_arguments_have_its_shape(client):
    answer = client.get(
        "/api/v2/arguments", params={"query": "zoos", "pageSize": 2, "page": 2}
    ).json()
    assert set(answer) == {
        "query", "arguments", "totalSize", "resultsBefore", "retrievalTimeInMilliseconds"
    }  # fmt: skip
    assert answer["query"]["text"] == "zoos"
    assert (answer["totalSize"], answer["resultsBefore"]) == (6, 2)
    assert len(answer["arguments"]) == 2
    for argument in answer["arguments"]:
        assert set(argument) == {
            "id", "conclusion", "premises", "context", "summary", "explanation", "stance"
        }  # fmt: skip
        assert set(argument["explanation"]) == {"score", "name", "details"}
        assert isinstance(argument["conclusion"], str)


def test_argsme_snippets_are_places_in_a_premise(client):
    answer = client.get("/api/v2/arguments", params={"query": "zoos species"}).json()
    argument = next(found for found in answer["arguments"] if found["id"] == "zoo-2")
    (premise,) = argument["premises"]
    (note,) = premise["annotations"]
    taken = premise["text"][note["start"] : note["end"]]
    assert (taken, argument["summary"]) == (premise["text"], premise["text"].replace("\n", " "))


@pytest.mark.parametrize(
    ("summary", "texts", "taken"),
    [
        ("b c", ["a b\nc", "b c"], [["b\nc"], []]),
        ("a b c", ["a b", "c d"], [["a b"], ["c"]]),
        ("a. … c. d.", ["a. b.", "a. c.\n\nd."], [["a."], ["c.\n\nd."]]),
        ("…a (b…", ["a (b c"], [["a (b"]]),
        ("", ["", "a"], [[], []]),
        ("", [], []),
        ("z", ["a"], [[]]),
    ],
)
def test_argsme_annotates_what_a_summary_takes(summary, texts, taken):
    found = places(summary, texts)
    cut = [[text[a:b] for a, b in spans] for text, spans in zip(texts, found, strict=True)]
    assert cut == taken


def test_argsme_fields_select(client):
    answer = client.get(
        "/api/v2/arguments",
        params={"query": "zoos", "fields": "arguments.id,arguments.premises.text, totalSize"},
    ).json()
    assert set(answer) == {"arguments", "totalSize"}
    assert all(set(argument) == {"id", "premises"} for argument in answer["arguments"])
    assert {key for a in answer["arguments"] for p in a["premises"] for key in p} == {"text"}


def test_argsme_clients_own_parameters_do_no_harm(client):
    more = {"format": "json", "locale": "en", "pageLayout": "pro-con"}
    answer = client.get("/api/v2/arguments", params={"query": "zoos", **more})
    assert answer.status_code == 200


def test_argsme_one_argument(client):
    assert client.get("/api/v2/arguments/zoo-2").json()["premises"][0]["annotations"] == []
    assert client.get("/api/v2/arguments/null").json()["conclusion"] == ""
    assert client.get("/api/v2/arguments/nope").status_code == 404
