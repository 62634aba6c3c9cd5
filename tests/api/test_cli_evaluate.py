"""`argsearch evaluate` as a user runs it: data on standard output, words on standard error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.lab.evaluation import Options, evaluate
from tests.api.awkward import refused


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("touche.qrels").write_text("1 0 a 2\n1 0 b -2\n2 0 a 1\n")
    Path("quality.qrels").write_text("1 0 b 1\n")
    Path("first.txt").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n")
    Path("second.txt").write_text("1 Q0 b 1 2 t\n1 Q0 x 2 1 t\n")
    return tmp_path


def test_table(folder: Path, done) -> None:
    out, err = done("evaluate", "touche.qrels", "first.txt", "second.txt")
    assert "relevance, 2 topics [95% bootstrap interval]" in out
    assert "second − first" in out
    assert "documents that moved within the first 2, over all topics" in out
    assert err.splitlines() == [
        "note: touche.qrels:2: 1 negative grades, which count as 0",
        "note: second: 1 judged topics are missing and count as 0 (first: 2)",
    ]


def test_options_reach_the_library(folder: Path, done) -> None:
    words = "--judged-only --per-topic --all-pairs --diff 1 --seed 3 --format json --quiet"
    words += " --measures P@1,nDCG@2 --qrels quality=quality.qrels"
    command = ["evaluate", "touche.qrels", "first.txt", "second.txt", *words.split()]
    out, err = done(*command)
    content = json.loads(out)
    assert err == ""
    assert content["judgements"] == ["relevance", "quality"]
    assert content["measures"] == ["P@1", "nDCG@2"]
    assert content["options"]["judged_only"] is True
    assert content["options"]["seed"] == 3
    assert content["scores"][0]["topics"] == {"1": 1.0, "2": 1.0}
    assert [move["change"] for move in content["diffs"][0]["topics"]["1"]] == ["entered", "left"]


def test_judgements_are_named_by_their_file(folder: Path, argsearch, done) -> None:
    assert "quality, 1 topics" in done("evaluate", "quality.qrels", "first.txt")[0]
    words = "evaluate quality.qrels first.txt --qrels quality=touche.qrels"
    refused(argsearch, words, 2, "`quality` is taken")


def test_judgements_of_documents_that_an_index_lacks_are_left_out(
    sample_index: Path, folder: Path, done
) -> None:
    with Engine.open(sample_index) as engine:
        known = engine.search("should zoos be closed", k=1).hits[0].id
    Path("both.qrels").write_text(f"1 0 {known} 1\n1 0 absent 1\n2 0 absent 2\n")
    Path("run.txt").write_text(f"1 Q0 {known} 1 2 t\n")
    words = ["evaluate", "both.qrels", "run.txt", "--measures", "nDCG@5", "--format", "csv"]
    whole, _ = done(*words)
    out, err = done(*words, "--in-corpus", str(sample_index))
    assert ",nDCG@5,all,1.0," in out
    assert ",nDCG@5,all,1.0," not in whole
    said = "note: relevance: 1 of 3 judgements are about documents in the corpus (1 of 2 topics); "
    assert said + "the others are ignored" in err
    with Engine.open(sample_index) as engine:
        same = evaluate("both.qrels", ["run.txt"], Options("nDCG@5"), in_corpus=engine)
    assert same.score("run", "nDCG@5").value == 1.0


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("touche.qrels first.txt --format html", 2, "not 'html'"),
        ("touche.qrels first.txt --measures nope", 2, "measure not found: nope"),
        ("touche.qrels first.txt --diff -1", 2, "not '-1'"),
        ("touche.qrels first.txt --qrels x", 2, "--qrels must be NAME=FILE with an unused NAME"),
        ("touche.qrels first.txt first.txt", 2, "is given twice"),
        ("touche.qrels none.txt", 1, "none.txt: there is no such file"),
        ("first.txt touche.qrels", 1, "first.txt:1: it must have 4 columns"),
        ("touche.qrels", 2, "RUN"),
    ],
)
def test_errors_are_one_line(folder: Path, argsearch, command: str, code: int, words: str) -> None:
    refused(argsearch, f"evaluate {command}", code, words)
