"""What a text format does to texts that are not harmless."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from argsearch.api.cli.main import run

TEXTS = {
    "=HYPERLINK(1) zoos": "+zoos",
    "-zoos": "@zoos",
    "\tzoos": "\rzoos",
    "zoos = 1": "zoos",
}
"""Conclusions and premises."""


@pytest.fixture
def rows(argsearch, tmp_path: Path) -> dict[str, dict[str, str]]:
    """The rows of a CSV answer, by id."""
    arguments = [
        {"id": str(n), "conclusion": conclusion, "premises": [{"text": text, "stance": "PRO"}]}
        for n, (conclusion, text) in enumerate(TEXTS.items())
    ]
    corpus = tmp_path / "corpus.json"
    corpus.write_text(json.dumps({"arguments": arguments}), encoding="utf-8")
    none = ("--set", "index.quality_model=none", "--set", "index.encoder=none")
    code, _, messages = argsearch("index", corpus, "--out", tmp_path / "index", *none, "--quiet")
    assert code == 0, messages
    _, data, _ = argsearch("search", "zoos", "--index", tmp_path / "index", "--format", "csv")
    return {row["id"]: row for row in csv.DictReader(io.StringIO(data, newline=""))}


STEERING = {
    "clipboard": "\x1b]52;c;aGk=\x07",
    "colour": "\x1b[31m",
    "C1": "\x9b2J\x85\x90",
    "direction": "\u202e\u2066\u200f",
    "lines": "\r\x08\x7f\u2028",
}


def on_a_terminal(words: list[str | Path], monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command line writes to a terminal, both streams."""
    terminal, end = os.openpty()
    written = bytearray()

    def collect() -> None:
        with suppress(OSError):  # the other end is closed
            while piece := os.read(terminal, 4096):
                written.extend(piece)

    reading = Thread(target=collect, daemon=True)
    reading.start()
    with os.fdopen(end, "w", encoding="utf-8") as stream, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        patched.setattr(sys, "stderr", stream)
        assert run([str(word) for word in words]) == 0
        sys.stdout.close()
    reading.join(60)
    os.close(terminal)
    return written.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "bibtex"])
def test_no_format_steers_a_terminal_and_files_keep_the_text(
    argsearch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    texts = [f"zoos {name} {steering} end" for name, steering in STEERING.items()]
    arguments = [
        {
            "id": str(n),
            "conclusion": text,
            "premises": [{"text": text, "stance": "PRO"}],
            "context": {"sourceTitle": text, "author": text, "sourceUrl": f"http://a/{text}"},
        }
        for n, text in enumerate(texts)
    ]
    corpus = tmp_path / "corpus.json"
    corpus.write_text(json.dumps({"arguments": arguments}), encoding="utf-8")
    none = ("--set", "index.quality_model=none", "--set", "index.encoder=none")
    argsearch("index", corpus, "--out", tmp_path / "index", *none, "--quiet")
    asked: list[str | Path] = ["search", "zoos", "--index", tmp_path / "index", "--format", form]
    shown = on_a_terminal([*asked, "--explain"], monkeypatch)
    if form == "table":
        shown = re.sub(r"\x1b\[[\d;]*m", "", shown)  # the table's own colours
    assert all(name in shown for name in STEERING)
    assert not {c for c in shown if not c.isprintable()} - {"\n"}
    assert not re.search(r"\[31m.*\[0m", shown)
    _, data, _ = argsearch(*asked)
    if form == "csv":
        rows = csv.DictReader(io.StringIO(data, newline=""))
        assert sorted(row["premise"] for row in rows) == sorted(texts)
    if form == "json":
        hits = json.loads(data)["hits"]
        assert sorted(hit["conclusion"] for hit in hits) == sorted(texts)


def test_a_spreadsheet_computes_no_cell_of_the_csv(rows):
    assert len(rows) == len(TEXTS)
    for n, (conclusion, text) in enumerate(TEXTS.items()):
        row = rows[str(n)]
        mark = "" if conclusion == "zoos = 1" else "'"
        assert row["conclusion"] == mark + conclusion
        assert row["premise"] == mark + text
        assert float(row["score"]) >= 0  # a number, with no mark before it


def test_a_snippet_that_is_how_its_text_begins_is_said_to_be_that(argsearch, tmp_path: Path):
    text = "My opponent says that zoos save species that would be lost without them. " * 9
    corpus = tmp_path / "corpus.jsonl"
    said = {"id": "a", "conclusion": "Zoos", "premises": [{"text": text, "stance": "PRO"}]}
    corpus.write_text(json.dumps(said), encoding="utf-8")
    none = ("--set", "index.quality_model=none", "--set", "index.encoder=none")
    assert argsearch("index", corpus, "--out", tmp_path / "index", *none, "--quiet")[0] == 0
    asked = ("search", "zoos", "--index", tmp_path / "index", "--format")
    for form in ("table", "markdown"):
        found = " ".join(argsearch(*asked, form)[1].replace(">", " ").split())
        assert "This is the beginning of the text, as no sentence clearly states its point" in found
    sentence = json.loads(argsearch(*asked, "json")[1])["hits"][0]["sentence"]
    assert sentence["beginning"] is True
    assert sentence["text"].startswith("My opponent says that zoos")
