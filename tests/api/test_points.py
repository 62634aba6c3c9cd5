"""Key points: command line, HTTP, Python and tools say the same."""

from __future__ import annotations

import json

import pytest

from argsearch.api.cli.main import run
from argsearch.api.mcp.asking import Tools
from argsearch.api.quotes import points_to_dict, points_to_markdown
from tests.api.awkward import timeless

SERVED = "sample_index"

QUESTION = "Should homework be abolished?"


def test_all_ways_of_asking_answer_alike(client, engine, sample_index, capsys):
    found = engine.key_points(QUESTION)
    wanted = timeless(json.loads(json.dumps(points_to_dict(found))))
    markdown = points_to_markdown(found)
    assert timeless(client.get("/api/points", params={"q": QUESTION}).json()) == wanted
    asked = ["points", QUESTION, "--index", str(sample_index), "--quiet", "--format"]
    assert run([*asked, "json"]) == 0
    assert timeless(json.loads(capsys.readouterr().out)) == wanted
    assert run([*asked, "markdown"]) == 0
    assert capsys.readouterr().out == markdown
    answer = client.get("/api/points", params={"q": QUESTION, "format": "markdown"})
    assert answer.text == markdown
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    said = Tools(engine).points(QUESTION)
    points = [(side["side"], point) for side in wanted["sides"] for point in side["points"]]
    assert [(one.side, one.heading) for one in said.points] == [
        (side, point["heading"]) for side, point in points
    ]
    first = [[quote["id"] for quote in point["quotes"][:3]] for _, point in points]
    assert [[quote.id for quote in one.quotes] for one in said.points] == first
    assert points


def test_a_table_names_every_quote_and_what_is_left(client, sample_index, capsys):
    answer = client.get("/api/points", params={"q": QUESTION, "explain": "true"}).json()
    assert run(["points", QUESTION, "--index", str(sample_index), "--explain"]) == 0
    table = capsys.readouterr().out
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


def test_a_receipt_of_another_index_is_refused(client):
    answer = client.get("/api/points", params={"q": QUESTION, "fingerprint": "f00"})
    assert answer.status_code == 409
    assert client.get("/ready").json()["fingerprint"] in answer.json()["detail"]
    answer = client.get("/api/points", params={"q": QUESTION, "config_sha256": "f00"})
    assert answer.status_code == 409
    told = client.get("/api/points", params={"q": QUESTION}).json()["receipt"]["config_sha256"]
    assert told in answer.json()["detail"]


def test_markup_of_a_corpus_is_text_in_markdown(client):
    answer = client.get("/api/points", params={"q": "<img src=x> homework", "format": "markdown"})
    assert r"\<img src=x\>" in answer.text
