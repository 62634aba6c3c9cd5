"""Odd questions over HTTP and on the command line, with sides: answered, and counted honestly."""

from __future__ import annotations

from starlette.testclient import TestClient

from argsearch.api.http.app import create_app

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
    assert f"sides refer to “{MEANT}”" in found["notes"]
    assert not any("sides are read" in note for note in plain["notes"] + meant["notes"])
    code, out, messages = argsearch("search", MISSPELT, "--index", sample_index, "--side", "for")
    assert code == 0
    assert "zoos" in out.lower()
    assert f"note: sides refer to “{MEANT}”" in messages


def test_a_question_without_sides_says_so(client: TestClient, argsearch, awkward_index) -> None:
    note = "the question has no sides; ask whether something is good or should be done"
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
