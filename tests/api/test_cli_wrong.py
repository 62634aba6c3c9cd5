"""Wrong input ends in one clear line and the right exit code; odd input is answered."""

from __future__ import annotations

import pytest

from argsearch.api.cli.main import run
from tests.api.awkward import one_line_error

DIGITS, DEEP = "9" * 5000, "[" * 5000 + "]" * 5000
NO_MODEL = ["--set", "index.quality_model=none"]
WRONG = [
    (["search", "", "--index", "INDEX"], 2, "query"),
    (["search", " \t", "--index", "INDEX"], 2, "query"),
    (["search", "caf\udcff", "--index", "INDEX"], 2, "UTF-8"),
    (["search", "a", "--index", "INDEX", "-k", "0"], 2, "not '0'"),
    (["search", "a", "--index", "INDEX", "--stance", "neutral"], 2, "--stance must be pro or"),
    (["search", "a", "--index", "INDEX", "--format", "yaml"], 2, "bibtex"),
    (["search", "a", "--index", "INDEX", "--config", "nope"], 2, "heimdall-2021"),
    (["search", "a", "--index", "INDEX", "--config", "nope.toml"], 2, "nope.toml"),
    (["search", "a", "--index", "INDEX", "--set", "boost.qualty=1"], 2, "boost.qualty"),
    (["search", "a", "--index", "INDEX", "--set", "boost.quality=1e9"], 2, "1000.0"),
    (["search", "a", "--index", "INDEX", "--set", "quality"], 2, "section.key=value"),
    (["search", "a", "--index", "nowhere"], 1, "argsearch index CORPUS --out nowhere"),
    (["search", "a"], 2, "--index"),
    (["search", "--index", "INDEX"], 2, "QUERY"),
    (["search", "a", "--index", "INDEX", "--bogus"], 2, "--bogus"),
    (["search", "a", "--index", "INDEX", "--fold"], 2, "it is --collapse now"),
    (["search", "a", "--index", "INDEX", "--no-fold"], 2, "it is --no-collapse now"),
    (["index", "--with", "copies", "--out", "INDEX"], 2, "near_duplicates, not 'copies'"),
    (["search", "a", "--index", "INDEX", "--set", f"boost.quality={DIGITS}"], 2, "--set must be"),
    (["search", "a", "--index", "INDEX", "--set", f"boost.quality={DEEP}"], 2, "--set must be"),
    (
        ["search", "a", "--index", "INDEX", "--set", f"boost.quality={'[' * 1900}"],
        2,
        "nested levels",
    ),
    (["search", "a", "--index", "x" * 5000], 1, "File name too long"),
    (["index", "x y " * 1250, "--out", "OUT", *NO_MODEL], 1, "File name too long"),
    (["index", "x.json", "--out", "x" * 5000, *NO_MODEL], 1, "File name too long"),
    (["search", "a", "--index", "INDEX", "-k", DIGITS], 2, "must be a whole number"),
    (["search", "a", "--index", "INDEX", f"--{'x' * 5000}"], 2, "No such option"),
    (["x" * 5000], 2, "No such command"),
    (["serch", "a"], 2, "search"),
    (["index", "missing.json", "--out", "OUT", *NO_MODEL], 1, "missing.json"),
    (["index", "missing.json"], 2, "--out"),
    (["index", "x.json", "--out", "OUT", "--on-error", "cry"], 2, "--on-error must be stop or"),
    (["index", "x.json", "--out", "OUT", "--workers", "0"], 2, "workers"),
    (["info", "nowhere"], 1, "nowhere"),
    (["info", "INDEX", "--format", "xml"], 2, "--format must be table or json, not 'xml'"),
    (["verify", "nowhere"], 1, "nowhere"),
    (["verify", "http://localhost:9/x"], 2, "directory"),
    (["run", "missing.tsv", "--index", "INDEX", "--out", "OUT"], 1, "missing.tsv"),
    (["run", "x.tsv", "--index", "INDEX", "--out", "OUT", "--qrels", "q"], 2, "needs --signals"),
    (["serve", "--index", "nowhere"], 1, "nowhere"),
    (["serve", "--index", "INDEX", "--port", "70000"], 2, "65535"),
    (["serve", "--index", "INDEX", "--workers", "0"], 2, "256"),
    (["serve", "--index", "INDEX", "--token-file", "."], 2, "--token-file must be a readable file"),
    (["search", "a", "--index", "INDEX", "--set", "rerank.method=no.pe:A"], 1, "No module named"),
    (["search", "a", "--index", "INDEX", "--set", "retrieval.model=no.pe:A"], 1, "PYTHONPATH"),
    (["index", "x.json", "--out", "OUT", "--set", "index.encoder=no.pe:A:3"], 1, "plug-in no.pe:A"),
    (["tira", "--index", "INDEX"], 2, "$inputDataset"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "code", "named"), WRONG, ids=[" ".join(w[0])[:80] for w in WRONG]
)
def test_wrong_input_is_one_clear_line(
    argsearch, awkward_index, tmp_path, monkeypatch, words, code, named
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("inputDataset", raising=False)
    places = {"INDEX": str(awkward_index), "OUT": str(tmp_path / "out")}
    found, data, messages = argsearch(*(places.get(word, word) for word in words))
    assert (found, data) == (code, "")
    assert named in one_line_error(messages)
    assert "unexpected" not in messages
    assert len(messages) < 2000
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.parametrize("query", ["the and of", "word " * 10_000, "😀", "\0", "日本"])
@pytest.mark.parametrize("form", ["table", "json"])
def test_odd_queries_are_answered(argsearch, awkward_index, query, form):
    code, _, messages = argsearch(
        "search", query, "--index", awkward_index, "-k", "1000000000", "--format", form
    )
    assert code == 0, messages


def test_a_traceback_only_with_debug(argsearch):
    code, _, messages = argsearch("info", "nowhere")
    assert code == 1
    one_line_error(messages)
    with pytest.raises(Exception, match="nowhere"):
        run(["info", "nowhere", "--debug"])


def test_help_and_version(argsearch):
    code, data, _ = argsearch("--version")
    assert (code, data.split()[0]) == (0, "argsearch")
    code, data, messages = argsearch()
    assert code == 2
    assert "Usage: argsearch" in messages
