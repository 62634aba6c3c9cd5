"""What cannot be asked is a problem that names it and what is allowed, and repeats nothing long."""

from __future__ import annotations

import json

import pytest

from argsearch.api.http import schemas
from argsearch.api.http.batch import MOST_BATCH_HITS, MOST_QUESTIONS

ZOOS = {"q": "zoos"}
COUNTER = "/api/arguments/zoo-2/counter"
ASKED = [
    ("/api/search", {}, "q", None),
    ("/api/search", {"q": ""}, "q", ""),
    ("/api/search", {"q": " \n"}, "q", " \n"),
    ("/api/search", {"q": "a" * 2001}, "q", "a" * 200),
    ("/api/search", {"q": ["a", "b"]}, "q", "b"),
    ("/api/search", {**ZOOS, "stance": ["pro", "con"]}, "stance", "con"),
    ("/api/search", {**ZOOS, "config": "../default.toml"}, "config", "../default.toml"),
    ("/api/search", {**ZOOS, "rerank": "external"}, "rerank", "external"),
    ("/api/search", {**ZOOS, "sort": ""}, "sort", ""),
    ("/api/search", {**ZOOS, "sort": "stance"}, "sort", "stance"),
    ("/api/search", {**ZOOS, "where": "colour = 1"}, "where", "colour"),
    ("/api/search", {**ZOOS, "facet": "colour"}, "facet", "colour"),
    ("/api/search", {**ZOOS, "format": "xml"}, "format", "xml"),
    ("/api/search", {**ZOOS, "stanec": "pro"}, "stanec", "pro"),
    ("/api/search", {**ZOOS, "fold": "true"}, "fold", "true"),
    ("/api/premises", {**ZOOS, "k": 500, "explain": True}, "k", None),
    ("/api/premises", {**ZOOS, "config": "magic"}, "config", "magic"),
    ("/api/premises", {**ZOOS, "collapse": "true"}, "collapse", "true"),
    ("/api/premises", {**ZOOS, "facet": "words"}, "facet", None),
    ("/api/points", {**ZOOS, "format": "csv"}, "format", "csv"),
    ("/api/points", {**ZOOS, "k": "3"}, "k", "3"),
    ("/api/points", {"q": " "}, "q", " "),
    (COUNTER, {"k": 101, "explain": True}, "k", None),
    (COUNTER, {"k": [1, 2]}, "k", "2"),
    (COUNTER, {"kk": 1}, "kk", "1"),
    ("/api/suggest", {}, "q", None),
    ("/api/suggest", {"q": ""}, "q", ""),
    ("/api/suggest", {**ZOOS, "k": 0}, "k", "0"),
    ("/api/suggest", {**ZOOS, "k": 99}, "k", "99"),
    ("/api/suggest", {**ZOOS, "z": "a"}, "z", "a"),
    ("/api/map", {"q": ["a", "b"]}, "q", "b"),
    ("/api/v2/arguments", {"query": "zoos", "format": "xml"}, "format", "xml"),
    ("/api/v2/arguments", {"query": "zoos", "pageSize": 101}, "pageSize", "101"),
    ("/api/v2/arguments", {"query": ["zoos", "more"]}, "query", "more"),
]


@pytest.mark.parametrize(("path", "params", "name", "value"), ASKED)
def test_a_bad_parameter_is_a_problem_that_names_it(client, path, params, name, value):
    answer = client.get(path, params=params)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["parameter"] == name
    if value is not None:
        assert problem["value"] == value
    assert problem["allowed"].partition("; ")[0] in problem["detail"]
    assert name in problem["detail"] or value in problem["detail"]
    assert problem["instance"] == path
    assert len(answer.content) < 2000


ZOOS_ASKED = {"questions": ["zoos"]}
TEXT = {"text": "Zoos are bad. Animals suffer there."}
MOST_HITS = MOST_BATCH_HITS // MOST_QUESTIONS
SENT = [
    ("/api/search", {}, "questions"),
    ("/api/search", {"questions": "zoos"}, "questions"),
    ("/api/search", {"questions": []}, "questions"),
    ("/api/search", {"questions": None}, "questions"),
    ("/api/search", {"questions": ["zoos", " "]}, "questions"),
    ("/api/search", {"questions": ["zoos"] * (MOST_QUESTIONS + 1)}, "questions"),
    ("/api/search", {"questions": ["a" * 2001]}, "questions"),
    ("/api/search", {**ZOOS_ASKED, "k": "3"}, "k"),
    ("/api/search", {"questions": ["zoos"] * MOST_QUESTIONS, "k": MOST_HITS + 1}, "k"),
    ("/api/search", {**ZOOS_ASKED, "format": "csv"}, "format"),
    ("/api/search", {**ZOOS_ASKED, "q": "zoos"}, "q"),
    ("/api/search", {**ZOOS_ASKED, "stanec": "pro"}, "stanec"),
    ("/api/search", {**ZOOS_ASKED, "where": ["nope = 3"]}, "where"),
    ("/api/search", [], "body"),
    ("/api/search", None, "body"),
    ("/api/search", b"", "body"),
    ("/api/search", b"{", "body"),
    ("/api/search", b"\xff", "body"),
    ("/api/challenge", {}, "text"),
    ("/api/challenge", {"text": " \n"}, "text"),
    ("/api/challenge", {"text": ["zoos"]}, "text"),
    ("/api/challenge", {**TEXT, "about": "a" * 2001}, "about"),
    ("/api/challenge", {**TEXT, "side": "unclear"}, "side"),
    ("/api/challenge", {**TEXT, "k": 101}, "k"),
    ("/api/challenge", {**TEXT, "config": "/etc/passwd"}, "config"),
    ("/api/challenge", {**TEXT, "where": "words > 3"}, "where"),
    ("/api/challenge", {**TEXT, "stance": "pro"}, "stance"),
    ("/api/challenge", ["zoos"], "body"),
]


@pytest.mark.parametrize(("path", "body", "name"), SENT)
def test_a_bad_body_is_a_problem_that_names_what_is_wrong(client, path, body, name):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = client.post(path, content=content)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["parameter"] == name


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nope", 404),
        ("POST", "/api/examples", 405),
        ("GET", "/page.js/../x", 404),
        ("GET", "/api/arguments/no/such%20id", 404),
    ],
)
def test_every_failure_is_a_problem(client, method, path, status):
    answer = client.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert answer.json().get("value") == ("no/such id" if "such" in path else None)


LONG = 60_000 * "z"
LONG_ASKED = [
    f"/api/arguments/{LONG}",
    f"/api/arguments/{LONG}/counter",
    f"/api/arguments/{LONG}?format=markdown",
    f"/arguments/{LONG}",
    f"/arguments/zoo-1?index={LONG}",
    f"/arguments/zoo-1?q={LONG}",
    f"/challenge?index={LONG}",
    f"/{LONG}",
    f"/api/{LONG}",
    f"/api/search?q=zoos&{LONG[:9999]}=1&{LONG[:9999]}=2",
    f"/api/v2/arguments?query=zoos&page={LONG}",
    *(f"/api/search?{name}={LONG}" for name in schemas.SearchQuery.model_fields),
    *(f"/api/points?{name}={LONG}" for name in schemas.PointsQuery.model_fields),
]
LONG_SENT = [
    ("/api/search", {"questions": [LONG]}),
    ("/api/search", {"questions": ["zoos"], LONG: 1}),
    ("/api/search", {"questions": ["zoos"], "config": LONG}),
    ("/api/challenge", {"text": "Zoos are bad.", LONG: LONG}),
    ("/api/challenge", {"text": "Zoos are bad.", "side": LONG}),
    (f"/arguments/{LONG}", {}),
]


@pytest.mark.parametrize("accept", ["text/html", "*/*"])
def test_no_answer_repeats_what_is_long(client, accept):
    headers = {"Accept": accept}
    answers = {path: client.get(path, headers=headers) for path in LONG_ASKED}
    for path, body in LONG_SENT:
        answers[f"{path} {body}"] = client.post(path, json=body, headers=headers)
    for asked, answer in answers.items():
        shown = asked[:50]
        assert 400 <= answer.status_code < 500, shown
        assert len(answer.content) < 3000, shown
        assert 500 * "z" not in answer.text, shown
