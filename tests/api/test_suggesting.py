"""Suggestions and what the page asks of an index, over HTTP."""

from __future__ import annotations

from fastapi.testclient import TestClient

from argsearch.api.http.app import create_app
from argsearch.api.http.overview import SuggestionsModel
from argsearch.api.http.service import ReadyModel


def test_conclusions_are_suggested(client):
    answer = client.get("/api/suggest", params={"q": "uniforms are"})
    assert answer.status_code == 200
    assert SuggestionsModel.model_validate(answer.json()).suggestions
    assert answer.json()["suggestions"] == [
        {"text": "School uniforms are good", "arguments": 40},
        {"text": "School uniforms are bad", "arguments": 20},
    ]
    assert len(client.get("/api/suggest?q=zoos&k=1").json()["suggestions"]) == 1
    assert client.get("/api/suggest?q=nope").json()["suggestions"] == []


def test_a_search_server_has_none_and_says_so(client, monkeypatch):
    monkeypatch.setitem(vars(client.app.state.engine.known), "suggestions", None)
    answer = client.get("/api/suggest?q=zoos")
    assert answer.status_code == 409
    assert "search server" in answer.json()["detail"]


def test_ready_says_what_the_page_can_show(client, counter_index):
    ready = client.get("/ready").json()
    ReadyModel.model_validate(ready)
    assert ready["parts"] == ["vectors"]
    assert [unit["name"] for unit in ready["units"]] == ["arguments"]
    assert {"quality", "stance", "source", "words", "date"} <= set(ready["columns"])
    # no argument of this index has a date, and none a predicted quality
    assert set(ready["columns"]) - set(ready["varied"]) == {"date", "quality"}
    assert ready["two_sided"] is ready["suggestions"] is True
    with TestClient(create_app(counter_index)) as other:
        assert "counter" in other.get("/ready").json()["parts"]
