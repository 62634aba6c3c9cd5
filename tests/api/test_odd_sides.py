"""Odd questions over HTTP and on the command line, with sides: answered, and counted honestly."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from argsearch.api.http.app import create_app
from argsearch.engine.stance.sides import SIDE_VALUES

ODD = {
    "one word": "zoos",
    "2,000 characters": ("Should zoos be closed? " * 100)[:2000],
    "misspelt": "Shoud zooes be abolihsed?",
    "german": "Sollten Zoos geschlossen werden?",
    "emoji": "🦁 🦓",
    "emoji and a word": "🦁 zoos!",
    "signs": "?!",
    "right to left": "האם יש לסגור zoos?",
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ODD)
def test_sides_of_odd_questions(client: TestClient, name: str) -> None:
    whole = client.get(
        "/api/search", params={"q": ODD[name], "sides": True, "explain": True, "k": 100}
    )
    assert whole.status_code == 200
    answer = whole.json()
    balance = answer["balance"]
    assert balance["read"] == sum(balance["counts"].values()) == answer["total"]
    sides = [hit["side"]["value"] for hit in answer["hits"]]
    assert all(hit["side"]["explanation"]["value"] is not None for hit in answer["hits"])
    for side in SIDE_VALUES:
        listed = client.get("/api/search", params={"q": ODD[name], "side": side, "k": 100}).json()
        ids = [hit["id"] for hit in listed["hits"]]
        assert listed["total"] == balance["counts"][side]
        if answer["hits"]:  # none is shown where only common words match
            assert len(ids) == sides.count(side)
            shown = zip(answer["hits"], sides, strict=True)
            assert ids == [hit["id"] for hit, value in shown if value == side]


MISSPELT, MEANT = "Should zooos be abolishd?", "Should zoos be abolished?"


def test_a_misspelt_question_says_what_its_sides_are_read_for(argsearch, sample_index) -> None:
    with TestClient(create_app(sample_index)) as client:
        found, meant, plain = (
            client.get("/api/search", params={"q": q, **how}).json()
            for q, how in ((MISSPELT, {"side": "for"}), (MEANT, {"side": "for"}), (MISSPELT, {}))
        )
    assert found["query"] == MISSPELT
    assert found["balance"]["question"] == found["suggestion"] == MEANT
    assert meant["balance"]["question"] is None
    assert found["hits"]
    assert found["hits"] == meant["hits"]
    assert found["unknown"] == plain["unknown"]
    assert f"sides are read for “{MEANT}”" in found["notes"]
    assert not any("sides are read" in note for note in plain["notes"] + meant["notes"])
    code, out, messages = argsearch("search", MISSPELT, "--index", sample_index, "--side", "for")
    assert code == 0
    assert "zoos" in out.lower()
    assert f"note: sides are read for “{MEANT}”" in messages


def test_a_question_without_sides_says_so(client: TestClient, argsearch, awkward_index) -> None:
    note = "the question has no sides: ask whether something should be, or is good"
    answer = client.get("/api/search", params={"q": "How can we close zoos?", "sides": True}).json()
    balance = answer["balance"]
    assert balance["sided"] is False
    assert balance["counts"]["unclear"] == balance["read"] > 0
    assert note in answer["notes"]
    words = ("search", "How can we close zoos?", "--index", awkward_index, "--side", "both")
    code, _, messages = argsearch(*words)
    assert code == 0
    assert f"note: {note}" in messages
    usual = client.get("/api/search", params={"q": "Should we close zoos?", "sides": True}).json()
    assert usual["balance"]["sided"] is True
    assert note not in usual["notes"]
