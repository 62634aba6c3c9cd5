"""`POST /api/search` and `POST /api/export`: many questions or arguments at once."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest

from argsearch.api.http import batch
from argsearch.api.http.batch import MOST_BYTES, AnswersModel, SearchBatch
from argsearch.api.http.schemas import Q, SearchQuery
from tests.api.awkward import timeless

QUESTIONS = ["zoos", "school uniforms", "no such words xyzzy"]


@pytest.mark.parametrize("side", ["for", "both"])
def test_each_question_is_answered_as_it_is_alone(client, side):
    shared = {"k": 3, "stance": "pro", "w_quality": 0.0, "explain": True, "page": 1}
    shared["side"] = side
    many = client.post("/api/search", json={"questions": QUESTIONS, **shared})
    assert many.status_code == 200
    AnswersModel.model_validate(many.json(), extra="forbid")
    assert many.json()["fingerprint"] == many.headers["x-index-fingerprint"]
    for question, answer in zip(QUESTIONS, many.json()["answers"], strict=True):
        alone = client.get("/api/search", params={"q": question, **shared}).json()
        assert timeless(answer) == timeless(alone)


def test_a_value_that_is_null_or_missing_is_said_to_be(client):
    problem = client.post("/api/search", json={"questions": ["zoos", 1]}).json()
    said = [problem[name] for name in ("parameter", "value", "allowed")]
    assert said == ["questions", 1, Q.allowed]
    null = client.post("/api/search", json={"questions": ["zoos"], "k": None})
    assert (null.status_code, null.json()["value"]) == (422, None)
    assert null.json()["detail"] == "k must be a whole number from 1 to 1000, not null"
    asked = {"questions": ["zoos"], "stance": None, "sort": None}
    assert client.post("/api/search", json=asked).status_code == 200  # they have no default
    without = client.post("/api/search", json={}).json()
    assert without["detail"].startswith("questions is missing; it must be a list of 1 to")


def test_a_question_is_described_as_that_of_a_search(client):
    one = SearchBatch.model_json_schema()["properties"]["questions"]["items"]
    alone = SearchQuery.model_json_schema()["properties"]["q"]
    assert one.items() <= alone.items()
    assert {"maxLength", "pattern"} <= one.keys()


def test_a_body_is_bounded(client):
    def pieces():
        for _ in range(MOST_BYTES // 1000 + 2):
            yield b" " * 1000

    for content in (b" " * (MOST_BYTES + 1), pieces()):
        answer = client.post("/api/search", content=content)
        assert answer.status_code == 413
        assert answer.json()["title"] == "Too long"


@pytest.mark.parametrize(("read", "kept"), [("abbb", "b"), ("aa", "a"), ("abcd", None)])
def test_all_answers_are_of_one_index(client, monkeypatch, read, kept):
    """An index that is replaced between two questions: all are asked once more, of the next."""
    fingerprints, found = iter(read), batch.found

    def of_some_index(*given):
        answer = found(*given)
        return replace(answer, results=replace(answer.results, fingerprint=next(fingerprints)))

    monkeypatch.setattr(batch, "found", of_some_index)
    asked = QUESTIONS[:2]
    given = client.post("/api/search", json={"questions": asked})
    if kept is None:
        assert given.status_code >= 500
        assert "answers" not in given.json()
        return
    assert given.status_code == 200
    assert given.json()["fingerprint"] == kept
    assert [one["fingerprint"] for one in given.json()["answers"]] == [kept] * len(asked)


def test_kept_arguments_are_exported_and_what_cannot_be_is_named(client):
    asked = {"question": "zoos", "side": "for"}
    ids = ["zoo/1#a?b=c&d%20", "null", "empty", "xss"]
    kept = [{"id": id, **asked} for id in ids] + [{"id": ids[0]}]
    texts = {}
    for form, media in (
        ("csv", "text/csv"),
        ("markdown", "text/markdown"),
        ("bibtex", "application/x-bibtex"),
    ):
        answer = client.post("/api/export", json={"format": form, "arguments": kept})
        assert answer.headers["content-type"] == f"{media}; charset=utf-8"
        assert answer.headers["x-index-fingerprint"]
        texts[form] = answer.text
    rows = list(csv.DictReader(io.StringIO(texts["csv"], newline="")))
    assert [(row["id"], row["question"], row["side"]) for row in rows] == [
        *((id, "zoos", "for") for id in ids),
        (ids[0], "", ""),
    ]
    assert all(row["premise"].find(row["sentence"][:10]) >= 0 for row in rows)
    items = re.findall(r"^(## .*|\d+\. .*)$", texts["markdown"], re.MULTILINE)
    assert items[:3] == [
        "## For: zoos",
        "1. **Zoos should be abolished** (pro)",
        "2. **(no conclusion)** (con)",
    ]
    assert texts["bibtex"].count("@misc{") == len(ids)
    some = [{"id": "a"}, *kept, {"id": "b"}]
    gone = client.post("/api/export", json={"format": form, "arguments": some})
    assert gone.json()["missing"] == ["a", "b"]
    for change, status, said in (
        ({"arguments": [{"id": "nope"}]}, 404, "no argument has the id 'nope'"),
        ({"arguments": []}, 422, "arguments must be a list with at least 1 value, not '[]'"),
        ({"arguments": "xss"}, 422, "arguments must be a list, not 'xss'"),
        ({"arguments": ["xss"]}, 422, "arguments.0 must be an object, not 'xss'"),
        ({"arguments": [{"id": 7}]}, 422, "arguments.0.id must be a text, not 7"),
        ({"arguments": [{"id": "xss", "sid": "for"}]}, 422, "no parameter arguments.0.sid; see"),
        ({"format": "json"}, 422, "format must be"),
        (
            {"arguments": [{"id": "xss", "question": f"zoos {n}"} for n in range(51)]},
            422,
            "at most 50 distinct questions",
        ),
    ):
        refused = client.post("/api/export", json={"format": "csv", "arguments": kept} | change)
        assert (refused.status_code, said in refused.json()["detail"]) == (status, True)
