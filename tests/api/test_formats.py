"""What a text format does to texts that are not harmless."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.api.awkward import on_a_terminal

TEXTS = {"=HYPERLINK(1) zoos": "+zoos", "-zoos": "@zoos", "\tzoos": "\rzoos", "zoos = 1": "zoos"}
"""Conclusions and premises."""


@pytest.fixture
def indexed(argsearch, tmp_path: Path) -> Callable[..., Path]:
    """Index arguments with these conclusions and texts, and the rest of each from a context."""

    def index(texts: Mapping[str, str], **context: str) -> Path:
        arguments = [
            {"id": str(n), "conclusion": conclusion, "premises": [{"text": text, "stance": "PRO"}]}
            | {"context": {name: form.format(text) for name, form in context.items()}}
            for n, (conclusion, text) in enumerate(texts.items())
        ]
        corpus = tmp_path / "corpus.json"
        corpus.write_text(json.dumps({"arguments": arguments}), encoding="utf-8")
        none = ("--set", "index.quality_model=none", "--set", "index.encoder=none", "--quiet")
        code, _, messages = argsearch("index", corpus, "--out", tmp_path / "index", *none)
        assert code == 0, messages
        return tmp_path / "index"

    return index


STEERING = {
    "clipboard": "\x1b]52;c;aGk=\x07",
    "colour": "\x1b[31m",
    "C1": "\x9b2J\x85\x90",
    "direction": "\u202e\u2066\u200f",
    "lines": "\r\x08\x7f\u2028",
}


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "bibtex"])
def test_no_format_steers_a_terminal_and_files_keep_the_text(
    argsearch, indexed, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    texts = [f"zoos {name} {steering} end" for name, steering in STEERING.items()]
    where = {"sourceTitle": "{}", "author": "{}", "sourceUrl": "http://a/{}"}
    index = indexed(dict(zip(texts, texts, strict=True)), **where)
    asked: list[str | Path] = ["search", "zoos", "--index", index, "--format", form]
    shown = on_a_terminal([*asked, "--explain"], monkeypatch)
    if form == "table":
        shown = re.sub(r"\x1b\[[\d;]*m", "", shown)  # the table's own colours
    assert all(name in shown for name in STEERING)
    assert not {c for c in shown if not c.isprintable()} - {"\n"}
    assert not re.search(r"\[31m.*\[0m", shown)
    _, data, _ = argsearch(*asked)
    if form == "table":  # that of a terminal, wherever it goes
        assert not {c for c in data if not c.isprintable()} - {"\n"}
    if form == "csv":
        rows = csv.DictReader(io.StringIO(data, newline=""))
        assert sorted(row["premise"] for row in rows) == sorted(texts)
    if form == "json":
        hits = json.loads(data)["hits"]
        assert sorted(hit["conclusion"] for hit in hits) == sorted(texts)


def test_a_spreadsheet_computes_no_cell_of_the_csv(argsearch, indexed):
    _, data, _ = argsearch("search", "zoos", "--index", indexed(TEXTS), "--format", "csv")
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(data, newline=""))}
    assert len(rows) == len(TEXTS)
    for n, (conclusion, text) in enumerate(TEXTS.items()):
        row = rows[str(n)]
        mark = "" if conclusion == "zoos = 1" else "'"
        assert row["conclusion"] == mark + conclusion
        assert row["premise"] == mark + text
        assert float(row["score"]) >= 0  # a number, with no mark before it


def test_a_snippet_that_is_how_its_text_begins_is_said_to_be_that(argsearch, indexed):
    text = "My opponent says that zoos save species that would be lost without them. " * 9
    asked = ("search", "zoos", "--index", indexed({"Zoos": text}), "--format")
    for form in ("table", "markdown"):
        found = " ".join(argsearch(*asked, form)[1].replace(">", " ").split())
        assert "This is the beginning of the text, as no sentence clearly states its point" in found
    sentence = json.loads(argsearch(*asked, "json")[1])["hits"][0]["sentence"]
    assert sentence["beginning"] is True
    assert sentence["text"].startswith("My opponent says that zoos")
