"""What a newcomer meets: loading told apart, time left, completion, replacing, other tables."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from argsearch.api.cli import terminal
from argsearch.engine import Engine

NEW = ["--set", "index.quality_model=none", "--set", "index.parts=[]", "--quiet"]


def test_loading_and_searching_are_told_apart(argsearch, awkward_index):
    _, _, messages = argsearch("search", "zoos", "--index", awkward_index)
    loaded = re.search(r"^loaded in (\d+\.\d\d) s$", messages, re.MULTILINE)
    searched = re.search(r", (\d+\.\d) ms, ", messages)
    assert loaded
    assert searched
    assert float(searched[1]) < 1000
    _, _, messages = argsearch("search", "zoos", "--index", awkward_index, "--quiet")
    assert messages == ""


def test_a_pace_and_a_duration_read_well():
    rates = {2500.0: "2,500/s", 12.4: "12/s", 3.21: "3.2/s", 0.25: "4.0 s each"}
    assert {rate: terminal.pace(rate) for rate in rates} == rates
    seconds = {0.4: "0 s", 59.4: "59 s", 185: "3 min 5 s", 7800: "2 h 10 min"}
    assert {some: terminal.duration(some) for some in seconds} == seconds


def test_a_long_run_says_how_much_and_how_long(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    with terminal.Progress("topics", total=50) as progress:
        for done in (0, 10, 20):
            progress.update("topics", done)
            now[0] += 60.0
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "topics",
        "topics: 10 of 50, 6.0 s each, 4 min 0 s left",
        "topics: 20 of 50, 6.0 s each, 3 min 0 s left",
    ]


def test_a_stage_has_its_own_total(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    with terminal.Progress("documents") as progress:
        for stage, done, total in (("counter", 0, None), ("words", 0, 80), ("words", 20, 80)):
            progress.update(stage, done, total)
            now[0] += 40.0
        progress.update("grouping", 5)
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "counter",
        "words",
        "words: 20 of 80, 2.0 s each, 2 min 0 s left",
        "grouping: 5",
    ]


@pytest.mark.processes
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(shell):
    program = (
        "import sys; from argsearch.api.cli.main import main; sys.argv[0] = 'argsearch'; main()"
    )
    asked = {"bash": "complete_bash", "zsh": "complete_zsh", "fish": "complete_fish"}[shell]

    def completed(line: str) -> str:
        words = {
            "_ARGSEARCH_COMPLETE": asked,
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split(" ")) - 1),
            "_TYPER_COMPLETE_ARGS": line,
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        }
        command = [sys.executable, "-c", program]
        done = subprocess.run(
            command, env={**os.environ, **words}, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in done.stderr
        return done.stdout

    assert "search" in completed("argsearch sea")
    assert "--explain" in completed("argsearch search --exp")


def test_an_index_of_another_corpus_is_not_replaced_unasked(argsearch, awkward_corpus, tmp_path):
    out = tmp_path / "index"
    other = tmp_path / "other.json"
    other.write_text(awkward_corpus.read_text())
    assert argsearch("index", awkward_corpus, "--out", out, *NEW)[0] == 0
    code, _, messages = argsearch("index", other, "--out", out, *NEW)
    assert code == 2
    assert "--force" in messages
    assert "awkward.json, 66 documents" in messages
    assert argsearch("index", other, "--out", out, *NEW, "--force")[0] == 0


def test_columns_of_a_table_can_be_named(argsearch, tmp_path):
    table = tmp_path / "my table.csv"
    table.write_text("Topic,Text,Likes\nZoos,Zoos save species,3\nZoos,Zoos are cruel,4\n")
    out = tmp_path / "index"
    words = ["index", table, "--out", out, *NEW]
    code, _, messages = argsearch(*words)
    assert code == 1
    assert "--column premise=COLUMN" in messages
    named = ["--column", "premise=Text", "--column", "conclusion=topic"]
    assert argsearch(*words, *named)[0] == 0
    with Engine.open(out) as engine:
        found = engine.argument("mytable.csv-2")
        assert (found.conclusion, found.premise) == ("Zoos", "Zoos are cruel")
        assert found.context == {"Likes": "4"}


@pytest.mark.parametrize("column", ["premise", "nope=Text", "premise="])
def test_a_column_that_is_none_is_refused(argsearch, tmp_path, column):
    table = tmp_path / "table.csv"
    table.write_text("Text\nZoos\n")
    code, _, messages = argsearch("index", table, "--out", tmp_path / "i", "--column", column)
    assert code == 2
    assert "--column" in messages


@pytest.mark.parametrize("name", ["beir", "pyserini"])
def test_collections_of_others_are_corpora(argsearch, tmp_path, name):
    documents = {
        "beir": [
            {"_id": "d1", "title": "Zoos", "text": "Zoos save species.", "metadata": {"url": "u"}},
            {"_id": "d2", "title": "", "text": "Zoos are cruel."},
        ],
        "pyserini": [
            {"id": "d1", "contents": "Zoos save species.", "url": "u"},
            {"id": "d2", "contents": "Zoos are cruel."},
        ],
    }[name]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    out = tmp_path / "index"
    assert argsearch("index", path, "--out", out, *NEW)[0] == 0
    with Engine.open(out) as engine:
        first, second = engine.argument("d1"), engine.argument("d2")
        assert first.premise == "Zoos save species."
        assert first.conclusion == ("Zoos" if name == "beir" else None)
        assert first.context == {"url": "u"}
        assert (second.conclusion, second.stance) == (None, None)
