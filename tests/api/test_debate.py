"""The sparring partner: command line, HTTP, the shared task's form and Python say the same."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from argsearch.api.cli.main import run
from argsearch.api.cli.serve import _Serving
from argsearch.api.debate import to_dict
from argsearch.api.http.access import EVERYBODY
from argsearch.api.http.batch import MOST_BYTES
from argsearch.api.http.middleware import FINGERPRINT
from argsearch.api.serve.logs import QUIET
from argsearch.engine import Engine

SAID = ["Should zoos be abolished?", "Animals suffer there."]


@pytest.fixture(scope="module")
def client(sample_index: Path):
    serving = _Serving({"": str(sample_index)}, EVERYBODY, QUIET, debating=True)
    with TestClient(serving.app({"": str(sample_index)})) as client:
        yield client


@pytest.fixture(scope="module")
def talked(sample_index: Path):
    """The messages of a talk, whose last is the user's, and all answers."""
    messages, answers = [], []
    with Engine.open(sample_index) as engine:
        for text in SAID:
            messages.append({"role": "user", "content": text})
            answers.append(json.loads(json.dumps(to_dict(engine.debate(messages)))))
            messages.append({"role": "assistant", "content": answers[-1]["content"]})
    return messages[:-1], answers


@pytest.mark.parametrize("path", ["/api/debate", "/"])
def test_http_answers_as_python_does(client, talked, path):
    messages, answers = talked
    answer = client.post(path, json={"messages": messages, "model": "not read"})
    assert answer.status_code == 200
    assert answer.json() == answers[-1]
    for one in answer.json()["arguments"]:
        assert one["text"] in answers[-1]["content"]
    assert answer.headers[FINGERPRINT] == answers[-1]["fingerprint"]


def test_the_page_is_where_it_was(client):
    assert client.get("/").headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{}", 422),
        (b"[", 422),
        (b'{"messages": []}', 422),
        (b'{"messages": [{"role": "assistant", "content": "x"}]}', 422),
        (b'{"messages": [{"role": "judge", "content": "x"}]}', 422),
        (b'{"messages": [{"role": "user"}]}', 422),
        (b" " * (MOST_BYTES + 1), 413),
    ],
)
def test_what_is_no_talk_is_refused(client, body, status):
    answer = client.post("/api/debate", content=body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_talk_in_the_terminal(sample_index, talked, capsys, monkeypatch):
    lines = [SAID[0], ":sources", ":what", SAID[1], "", ":new", ":sources", SAID[0], ":quit", "no"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    assert run(["debate", "--index", str(sample_index)]) == 0
    said, told = capsys.readouterr()
    first, second = (answer["arguments"] for answer in talked[1])
    shown = said.splitlines()
    assert len(shown) == 3 + len(first)
    assert shown[0] == shown[-1]
    assert shown[0].endswith(f"[{len(first)}]")
    assert shown[1].startswith(f"[1] {first[0]['id']}: ")
    assert second[0]["text"] in shown[-2]
    assert told.count(":sources") == 2


def test_a_talk_as_data(sample_index, talked, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(SAID)))
    assert run(["debate", "--index", str(sample_index), "--format", "json", "--quiet"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == talked[1]


def test_filters_are_for_talks_in_the_terminal(sample_index, capsys):
    asked = ["debate", "--index", str(sample_index), "--serve", "0", "--where", "words > 3"]
    assert run(asked) == 2
    assert "--serve" in capsys.readouterr().err
