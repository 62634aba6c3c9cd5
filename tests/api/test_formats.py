"""What a text format does to texts that are not harmless."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

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


def test_a_spreadsheet_computes_no_cell_of_the_csv(rows):
    assert len(rows) == len(TEXTS)
    for n, (conclusion, text) in enumerate(TEXTS.items()):
        row = rows[str(n)]
        mark = "" if conclusion == "zoos = 1" else "'"
        assert row["conclusion"] == mark + conclusion
        assert row["premise"] == mark + text
        assert float(row["score"]) >= 0  # a number, with no mark before it
