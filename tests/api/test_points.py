"""Key points: command line, HTTP, Python and tools say the same."""

from __future__ import annotations

import json

import pytest

from argsearch.api.mcp.asking import Tools
from argsearch.api.quotes import points_to_dict
from tests.api.awkward import timeless

SERVED = "sample_index"

QUESTION = "Should homework be abolished?"


def test_all_ways_of_asking_answer_alike(client, engine, sample_index, done):
    found = engine.key_points(QUESTION)
    wanted = timeless(json.loads(json.dumps(points_to_dict(found))))
    assert timeless(client.get("/api/points", params={"q": QUESTION}).json()) == wanted
    asked = ["points", QUESTION, "--index", str(sample_index), "--quiet", "--format", "json"]
    assert timeless(json.loads(done(*asked)[0])) == wanted
    said = Tools(engine).points(QUESTION)
    points = [(side["side"], point) for side in wanted["sides"] for point in side["points"]]
    assert [(one.side, one.heading) for one in said.points] == [
        (side, point["heading"]) for side, point in points
    ]
    first = [[quote["id"] for quote in point["quotes"][:3]] for _, point in points]
    assert [[quote.id for quote in one.quotes] for one in said.points] == first
    assert points


def test_a_table_names_every_quote_and_what_is_left(client, sample_index, done):
    answer = client.get("/api/points", params={"q": QUESTION, "explain": "true"}).json()
    table, _ = done("points", QUESTION, "--index", str(sample_index), "--explain")
    for side in answer["sides"]:
        left = len(side["ungrouped"])
        assert f"{side['side'].upper()}: {side['grouped']} of {side['total']} arguments" in table
        assert f"{left} do not" in table
        for point in side["points"]:
            assert point["arguments"] == len(point["quotes"])
            for quote in point["quotes"]:
                assert f"{quote['id']}: {quote['text']}" in table
                assert quote["explanation"]["value"] == pytest.approx(
                    quote["probability"], abs=1e-4
                )


def test_a_receipt_gives_the_answer_again_and_no_other(client):
    asked = {"q": QUESTION, "where": "words > 10"}
    receipt = client.get("/api/points", params=asked).json()["receipt"]
    taken = ("config", "where", "collapse", "fingerprint", "config_sha256")
    again = {"q": receipt["question"]} | {name: receipt[name] for name in taken}
    assert client.get("/api/points", params=again).json()["receipt"] == receipt
    for name in ("fingerprint", "config_sha256"):
        answer = client.get("/api/points", params={"q": QUESTION, name: "f00"})
        assert answer.status_code == 409
        assert receipt[name] in answer.json()["detail"]


def test_markup_of_a_corpus_is_text_in_markdown(client):
    answer = client.get("/api/points", params={"q": "<img src=x> homework", "format": "markdown"})
    assert r"\<img src=x\>" in answer.text
