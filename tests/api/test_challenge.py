"""A text that is challenged: command line, HTTP, tools and Python say the same."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from argsearch.api.challenge import to_dict, to_markdown
from argsearch.api.cli.main import run
from argsearch.api.http.app import create_app
from argsearch.api.http.batch import MOST_BYTES
from argsearch.api.http.challenge import ChallengeModel
from argsearch.api.http.middleware import FINGERPRINT
from argsearch.api.http.turns import large_answers
from argsearch.api.mcp.asking import Tools
from argsearch.engine import Engine
from argsearch.engine.challenge.author import AuthorSide
from argsearch.engine.challenge.challenge import NO_CLAIM, NO_SIDE, NO_SUBJECT
from argsearch.engine.challenge.reading import MOST_CLAIMS
from argsearch.ranking.explanation import Explanation

ESSAY = (
    "The death penalty should be abolished.  Innocent people have been executed by mistake.\r\n"
    "The death penalty does not deter murderers in any state.\n\n"
    "Is that fair? Blorptic quexes *frandle* the <b>gromulent</b> vosk 😀. "
    "Executions cost the state more than a life in prison."
)
ASKED = {"about": "The death penalty should be abolished", "side": "against"}
WORDS = ["--about", ASKED["about"], "--side", ASKED["side"]]


@pytest.fixture(autouse=True)
def enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample corpus has reasons for a whole position, though none that is sure enough."""
    monkeypatch.setattr("argsearch.engine.challenge.challenge.REASON", 0.7)


@pytest.fixture(scope="module")
def client(sample_index: Path):
    with TestClient(create_app(sample_index)) as client:
        yield client


@pytest.fixture(scope="module")
def engine(sample_index: Path):
    with Engine.open(sample_index) as engine:
        yield engine


@pytest.fixture
def essay(tmp_path: Path) -> str:
    path = tmp_path / "essay.txt"
    path.write_bytes(ESSAY.encode())
    return str(path)


def told(answer: dict) -> dict:
    return {name: value for name, value in answer.items() if name != "milliseconds"}


def asked(client: TestClient, text: str = ESSAY, **given) -> dict:
    """An answer, which is as it is described."""
    answer = client.post("/api/challenge", json={"text": text, **given})
    assert answer.status_code == 200, answer.text
    ChallengeModel.model_validate(answer.json(), extra="forbid")
    assert answer.headers[FINGERPRINT] == answer.json()["fingerprint"]
    return told(answer.json())


def test_all_ways_of_asking_answer_alike(client, engine, sample_index, essay, capsys, monkeypatch):
    found = engine.challenge(ESSAY, **ASKED)
    wanted = told(json.loads(json.dumps(to_dict(found))))
    assert any(len(one["passages"]) == 2 for one in wanted["findings"])
    assert any(not one["passages"] for one in wanted["findings"])
    assert asked(client, **ASKED) == wanted
    index = ["--index", str(sample_index), "--quiet", *WORDS, "--format"]
    assert run(["challenge", essay, *index, "json"]) == 0
    assert told(json.loads(capsys.readouterr().out)) == wanted
    sent = io.TextIOWrapper(io.BytesIO(ESSAY.encode()))
    monkeypatch.setattr("sys.stdin", sent)
    assert run(["challenge", "-", *index, "markdown"]) == 0
    assert capsys.readouterr() == (to_markdown(found), "")
    said = Tools(engine).challenge(ESSAY, **ASKED, max_bytes=100_000).findings
    claims = [one["text"] for one in wanted["findings"]]
    assert [one.claim for one in said if one.claim] == claims
    ids = [{side: of["id"] for side, of in one["passages"].items()} for one in wanted["findings"]]
    assert [{of.side: of.id for of in one.passages} for one in said if one.claim] == ids
    whole = [one["id"] for of in wanted["whole"].values() for one in of]
    assert [of.id for one in said if not one.claim for of in one.passages] == whole


def test_every_sentence_stands_where_it_is_said_to(client, engine):
    answer = asked(client, **ASKED, explain=True)
    assert (answer["side"]["value"], answer["opposite"]) == ("against", "for")
    passages = [of for one in answer["findings"] for of in one["passages"].values()]
    passages += [one for of in answer["whole"].values() for one in of]
    for one in passages:
        text = engine.argument(one["id"]).premise[one["begin"] : one["end"]]
        assert " ".join(text.split()) == one["text"]
        assert one["explanation"]["value"] == pytest.approx(one["probability"], abs=1e-4)
    for one in answer["findings"]:
        assert " ".join(ESSAY[one["begin"] : one["end"]].split()) == one["text"]
        assert all(side == of["side"] for side, of in one["passages"].items())


def test_a_table_of_a_known_side_calls_counters_so(client, sample_index, essay, capsys):
    answer = asked(client, **ASKED)
    assert run(["challenge", essay, "--index", str(sample_index), *WORDS, "--explain"]) == 0
    head, _, rest = capsys.readouterr().out.partition("nothing here surely meets:\n")
    assert head.startswith("about: The death penalty should be abolished\nauthor: against it\n")
    unmet, _, whole = rest.partition("against your position as a whole:\n")
    labels = {"for": "against it", "against": "supports it"}
    for one in answer["findings"]:
        assert (f"\n\n{one['text']}\n" in head) == bool(one["passages"])
        assert (f"  - {one['text']}\n" in unmet) == (not one["passages"])
        for side, of in one["passages"].items():
            (line,) = [line for line in head.splitlines() if of["text"] in line]
            said = f"{labels[side]} {of['probability']:.0%} {of['text']} ({of['id']})"
            assert " ".join(line.split()) == said
    for one in answer["whole"]["for"]:
        assert f"{one['text']}  ({one['id']})" in whole
    assert answer["whole"]["for"]
    assert "= 1 / (1 + e^-logit)" in head


def test_a_side_that_is_not_sure_is_asked_for(client, sample_index, essay, capsys, monkeypatch):
    unsure = AuthorSide("unclear", 0.6, "for", Explanation(0.6, "a guess"))
    monkeypatch.setattr("argsearch.engine.challenge.challenge.side_of", lambda *_: unsure)
    answer = asked(client, about=ASKED["about"])
    assert answer["side"] == {"value": "unclear", "probability": 0.6}
    assert answer["opposite"] is None
    assert NO_SIDE in answer["notes"]
    assert run(["challenge", essay, "--index", str(sample_index), *WORDS[:2]]) == 0
    table, notes = capsys.readouterr()
    assert "author: unclear; say --side for, or against\n" in table
    assert NO_SIDE in notes
    assert "your position" not in table
    assert "for it as a whole:" in table


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "No such file"), (b"caf\xe9", "byte 3"), (b" \n", "empty"), (b"\xef\xbb\xbf", "empty")],
)
def test_a_file_that_is_no_text_is_one_line(sample_index, tmp_path, capsys, content, said):
    path = tmp_path / "text"
    if content is not None:
        path.write_bytes(content)
    assert run(["challenge", str(path), "--index", str(sample_index)]) in (1, 2)
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert str(path) in error
    assert said in error


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "text"),
        ({"text": " \n"}, "text"),
        ({"text": ["zoos"]}, "text"),
        ({"text": ESSAY, "about": " "}, "about"),
        ({"text": ESSAY, "about": "a" * 2001}, "about"),
        ({"text": ESSAY, "side": "unclear"}, "side"),
        ({"text": ESSAY, "config": "/etc/passwd"}, "config"),
        ({"text": ESSAY, "where": "words > 3"}, "where"),
        ({"text": ESSAY, "explain": "true"}, "explain"),
        ({"text": ESSAY, "stance": "pro"}, "stance"),
        ([ESSAY], "body"),
    ],
)
def test_what_cannot_be_asked_is_refused(client, body, name):
    answer = client.post("/api/challenge", json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["parameter"] == name


@pytest.mark.parametrize("path", ["/api/challenge", "/challenge"])
def test_where_too_many_wait_it_is_refused_for_now(client, monkeypatch, path):
    monkeypatch.setattr(large_answers, "_taken", large_answers.most)
    form = {"json": {"text": ESSAY}} if path.startswith("/api") else {"data": {"text": ESSAY}}
    answer = client.post(path, **form)
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0


def test_a_body_that_is_too_long_is_refused(client):
    answer = client.post("/api/challenge", json={"text": "zoos " * (MOST_BYTES // 5)})
    assert answer.status_code == 413


def test_a_receipt_gives_the_answer_again_and_no_other(client, sample_index, essay, capsys):
    first = asked(client, about=ASKED["about"], where=["words > 10"])
    taken = ("about", "where", "config", "fingerprint", "config_sha256")
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


def test_markup_is_text(awkward_index, monkeypatch):
    for least in ("MEETS", "LIKELY_REASON"):  # so that a claim is met
        monkeypatch.setattr(f"argsearch.engine.challenge.challenge.{least}", 0.1)
    hostile = (
        "Zoos *are* bad <script>alert(1)</script> for all. Animals suffer behind *bars* of zoos."
    )
    with Engine.open(awkward_index) as engine:
        found = engine.challenge(hostile, about="Zoos should be *abolished* <i>", side="for")
        markdown = to_markdown(found)
    assert r"About “Zoos should be \*abolished\* \<i\>”" in markdown
    assert r"- Zoos \*are\* bad \<script\>" in markdown
    assert r"1. **Animals suffer behind \*bars\* of zoos.**" in markdown
    assert "<script>" not in markdown.replace(r"\<", "")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("zoos", NO_CLAIM),
        ("Why? Is that so? Who would say that?", NO_CLAIM),
        ("Quantum toothbrushes harm the gums of astronauts.", NO_SUBJECT),
        ("Il faut fermer tous les zoos, parce que les animaux souffrent dans leurs cages.", None),
        ("Les impôts sur le revenu sont trop élevés pour les familles.", NO_SUBJECT),
        (
            ESSAY * 1_000,
            f"the text is long: {MOST_CLAIMS} claims of the first 20,000 characters are read",
        ),
        ("\0 zoos \0 should be abolished \0.", None),
    ],
)
def test_any_text_is_answered(client, text, note):
    answer = asked(client, text)
    assert note is None or note in answer["notes"]
    assert len(answer["findings"]) <= MOST_CLAIMS
    if note in (NO_CLAIM, NO_SUBJECT):
        assert (answer["about"], answer["side"], answer["opposite"]) == (None, None, None)
        assert not any(one["passages"] for one in answer["findings"])
        assert answer["whole"] == {"for": [], "against": []}
