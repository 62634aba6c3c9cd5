"""A text that is challenged: command line, HTTP, tools and Python say the same."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from argsearch.api.cli.main import run
from argsearch.api.http.middleware import FINGERPRINT_HEADER
from argsearch.api.http.quotes import ChallengeModel
from argsearch.api.http.turns import large_answers
from argsearch.api.mcp.asking import Tools
from argsearch.api.quotes import challenge_to_dict, challenge_to_markdown
from argsearch.engine import Engine
from argsearch.engine.challenge.challenge import NO_SIDE
from tests.api.awkward import one_line_error, timeless

SERVED = "sample_index"

ESSAY = (
    "The death penalty should be abolished.  Innocent people have been executed by mistake.\r\n"
    "The death penalty does not deter murderers in any state.\n\n"
    "Is that fair? Blorptic quexes *frandle* the <b>gromulent</b> vosk 😀. "
    "Executions cost the state more than a life in prison."
)
ASKED = {"about": "The death penalty should be abolished", "side": "against"}
WORDS = ["--about", ASKED["about"], "--side", ASKED["side"]]


@pytest.fixture
def essay(tmp_path: Path) -> str:
    path = tmp_path / "essay.txt"
    path.write_bytes(ESSAY.encode())
    return str(path)


def asked(client: TestClient, text: str = ESSAY, **given) -> dict:
    """An answer, which is as it is described."""
    answer = client.post("/api/challenge", json={"text": text, **given})
    assert answer.status_code == 200, answer.text
    ChallengeModel.model_validate(answer.json(), extra="forbid")
    assert answer.headers[FINGERPRINT_HEADER] == answer.json()["fingerprint"]
    return timeless(answer.json())


def test_all_ways_of_asking_answer_alike(client, engine, sample_index, essay, done, monkeypatch):
    found = engine.challenge(ESSAY, **ASKED, k=3)
    wanted = timeless(json.loads(json.dumps(challenge_to_dict(found))))
    assert [one["side"] for one in wanted["sections"]] == ["for", "against"]
    assert asked(client, **ASKED, k=3) == wanted
    index = ["--index", str(sample_index), "--quiet", "-k", "3", *WORDS, "--format"]
    assert timeless(json.loads(done("challenge", essay, *index, "json")[0])) == wanted
    sent = io.TextIOWrapper(io.BytesIO(ESSAY.encode()))
    monkeypatch.setattr("sys.stdin", sent)
    assert done("challenge", "-", *index, "markdown") == (challenge_to_markdown(found), "")
    said = Tools(engine).challenge(ESSAY, **ASKED, limit=3, max_bytes=100_000).sections
    quotes = [(one["heading"], of["id"]) for one in wanted["sections"] for of in one["quotes"]]
    assert [(one.heading, of.id) for one in said for of in one.quotes] == quotes
    assert len(quotes) == 6


def test_a_table_names_every_quote(client, sample_index, essay, done):
    answer = asked(client, **ASKED)
    table, _ = done("challenge", essay, "--index", str(sample_index), *WORDS, "--explain")
    assert table.startswith(f"about: {ASKED['about']}\nthe text's side: against it\n")
    for one in answer["sections"]:
        counted = f"{len(one['quotes'])} of {one['arguments']} arguments"
        _, _, below = table.partition(f"\n\n{one['heading']} ({counted})\n")
        for quote in one["quotes"]:
            said = f"{quote['probability']:4.0%} {quote['id']}: {' '.join(quote['text'].split())}\n"
            assert said in below
            assert quote["reason"] in below


def test_a_side_that_is_not_sure_is_asked_for(sample_index, tmp_path, done):
    unsure = "Homework is given at many schools. Some families like it at home."
    (tmp_path / "unsure.txt").write_text(unsure)
    table, notes = done("challenge", str(tmp_path / "unsure.txt"), "--index", str(sample_index))
    assert "the text's side: not sure; give --side for, or against\n" in table
    assert NO_SIDE in notes
    assert "the text: arguments" not in table


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "No such file"), (b"caf\xe9", "byte 3"), (b" \n", "empty"), (b"\xef\xbb\xbf", "empty")],
)
def test_a_file_that_is_no_text_is_one_line(sample_index, tmp_path, argsearch, content, said):
    path = tmp_path / "text"
    if content is not None:
        path.write_bytes(content)
    code, out, messages = argsearch("challenge", path, "--index", sample_index)
    assert (code in (1, 2), out) == (True, "")
    error = one_line_error(messages)
    assert str(path) in error
    assert said in error


@pytest.mark.parametrize("path", ["/api/challenge", "/challenge"])
def test_where_too_many_wait_it_is_refused_for_now(client, monkeypatch, path):
    monkeypatch.setattr(large_answers, "_taken", large_answers.most)
    form = {"json": {"text": ESSAY}} if path.startswith("/api") else {"data": {"text": ESSAY}}
    answer = client.post(path, **form)
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0


def test_a_receipt_gives_the_answer_again_and_no_other(client, sample_index, essay, capsys):
    first = asked(client, about=ASKED["about"], where=["words > 10"], k=2)
    taken = ("about", "where", "k", "config", "fingerprint", "config_sha256")
    given = {name: first["receipt"][name] for name in taken}
    assert asked(client, **given) == first
    assert asked(client, **{**given, "where": []})["receipt"] != first["receipt"]
    for name in ("fingerprint", "config_sha256"):
        answer = client.post("/api/challenge", json={"text": ESSAY, name: "f00"})
        assert answer.status_code == 409
        assert first["receipt"][name] in answer.json()["detail"]
        option = f"--{name.replace('_', '-')}"
        assert run(["challenge", essay, "--index", str(sample_index), option, "f00"]) == 2
        assert first["receipt"][name] in capsys.readouterr().err


def test_markup_is_text(awkward_index):
    hostile = "Zoos *are* bad <script>alert(1)</script> for all. Animals suffer behind bars."
    with Engine.open(awkward_index) as engine:
        found = engine.challenge(hostile, about="Zoos are *bad* <i>", side="for", k=100)
        markdown = challenge_to_markdown(found)
    assert "xss" in {quote.id for section in found.sections for quote in section.quotes}
    assert r"About “Zoos are \*bad\* \<i\>”" in markdown
    assert "<script>" not in markdown.replace(r"\<", "")
