"""`argsearch add`, `remove` and `index --rebuild`, and a server that takes over what they made."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from argsearch.api.cli import index as indexing
from argsearch.api.serve.live import Live
from argsearch.engine import Engine
from argsearch.indexer import staging
from argsearch.indexer.building import changing_on_server, streaming
from argsearch.indexer.server import client, generations, live
from argsearch.indexer.server.client import ServerAbsent
from tests.api.awkward import one_line_error, refused
from tests.indexes import SAMPLE

REBUILD = ["index", "--rebuild", "--out", "INDEX"]


def one(folder: Path, text: str, **more: object) -> Path:
    premises = [{"text": text, "stance": "PRO"}]
    argument = {"id": "new", "conclusion": "A claim", "premises": premises, **more}
    path = folder / "new.jsonl"
    path.write_text(json.dumps(argument) + "\n")
    return path


def test_add_change_and_remove(argsearch, done, index, tmp_path):
    data, messages = done("add", index, one(tmp_path, "xyzzyplugh is one"))
    assert data.startswith(f"{index}\t")
    assert "1 added, 0 changed, 0 removed, 322 documents" in messages
    code, data, messages = argsearch("add", index, one(tmp_path, "xyzzyplugh is another"))
    assert "0 added, 1 changed, 0 removed, 322 documents" in messages
    _, found, _ = argsearch("search", "xyzzyplugh", "--index", index, "--config", "dirichlet")
    assert "another" in found
    assert "corpus.since_clustering.joined  2" in argsearch("info", index)[1]
    code, data, messages = argsearch("remove", index, "new", "--quiet")
    assert (code, messages) == (0, "")
    assert data.strip().split("\t")[1] in argsearch("info", index)[1]
    assert argsearch("verify", index)[0] == 0
    _, messages = done("index", "--rebuild", "--out", index)
    assert "321 documents" in messages


def test_the_index_is_named_as_everywhere_or_first(argsearch, index, tmp_path):
    new = one(tmp_path, "xyzzyplugh is one", context={"sourceDomain": "here.org"})
    read = [
        argsearch(command, *words)[:2]
        for command in ("info", "verify")
        for words in ([index], ["--index", index])
    ]
    assert read[0] == read[1]
    assert read[2] == read[3] == (0, f"{index}\t{read[2][1].split()[1]}\n")
    for words in (["add", "--index", index, new], ["add", new, "--index", index]):
        assert argsearch(*words)[0] == 0
        assert Engine.open(index).argument("new") is not None
        assert argsearch("remove", "--index", index, "new")[0] == 0
    argsearch("add", index, new)
    where = ["--where", "source=here.org", "--dry-run"]
    named = argsearch("remove", *where, "--index", index)
    assert named[:2] == argsearch("remove", index, *where)[:2]
    for words, said in (
        (["add"], "--index is missing"),
        (["add", "--index", index], "CORPUS is missing"),
        (["add", index], "CORPUS is missing"),
        (["remove"], "--index is missing"),
        (["remove", "--index", index], "either ids or --where"),
        (["info"], "--index is missing"),
        (["info", "--index", index, "more"], "leave out 'more'"),
        (["verify", index, "more"], "leave out 'more'"),
    ):
        refused(argsearch, words, 2, said)


def test_many_that_joined_are_told(argsearch, tmp_path):
    index, claims = tmp_path / "index", ["Zoos keep animals", "Schools teach", "Cars drive"]
    for name, some in (("one", claims[:2]), ("other", claims)):
        lines = [
            {"id": claim[:4], "conclusion": claim, "premises": [{"text": "so", "stance": "PRO"}]}
            for claim in some
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    argsearch("index", tmp_path / "one.jsonl", "--out", index)
    _, _, messages = argsearch("add", index, tmp_path / "other.jsonl")
    assert "1 documents joined topical clusters that were found without" in messages
    assert f"argsearch index --rebuild --out {index}" in messages


def test_remove_by_a_column_asks_first(argsearch, done, index, tmp_path, monkeypatch):
    argsearch("add", index, one(tmp_path, "one", context={"sourceDomain": "Guardian, London"}))
    words = ["remove", index, "--where", "source = Guardian, London"]
    asked = '1 of 322 arguments match: source is "Guardian, London"'
    assert done(*words, "--dry-run")[0] == f"{asked}\n"
    code, data, messages = argsearch(*words)
    assert (code, data) == (2, "")
    said = "to remove them without a terminal, add --yes"
    assert one_line_error(messages) == f"error: {asked}; {said}"
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    for answer in ("", "n\n", "no\n", "maybe\n"):
        monkeypatch.setattr(sys.stdin, "readline", lambda answer=answer: answer)
        code, _, messages = argsearch(*words)
        assert code == 1
        assert messages.startswith(f"{asked}\nRemove them? [y/N]")
        assert messages.endswith("nothing was removed\n")
    assert Engine.open(index).info.documents == 322
    monkeypatch.setattr(sys.stdin, "readline", lambda: "y\n")
    for more in ([], ["--yes"]):
        _, messages = done(*words, *more)
        assert messages.startswith(f"{asked}\n")
        assert "1 removed, 321 documents" in messages
        argsearch("add", index, one(tmp_path, "one", context={"sourceDomain": "Guardian, London"}))
    argsearch(*words)
    assert argsearch(*words)[0] == 0, "nothing matches, nothing is asked"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["remove", "INDEX", "a", "--dry-run"], "--dry-run works only with --where"),
        (["remove", "INDEX"], "either ids or --where"),
        (["remove", "INDEX", "a", "--where", "words > 1"], "either ids or --where"),
        (["remove", "INDEX", "none"], "ID must be the id of an argument in the index, not 'none'"),
        (["remove", "INDEX", "--where", "words"], "where must be COLUMN OPERATOR VALUE"),
        (["index", "--rebuild", "--out", "http://localhost:1/x"], "not 'http://localhost:1/x'"),
        ([*REBUILD, "--set", "index.seed=1"], "settings from the"),
        ([*REBUILD, "--force", "--clean"], "out --force --clean"),
        ([*REBUILD, "--on-error", "skip", "--shards", 2], "leave out --on-error --shards"),
        ([*REBUILD, "--column", "id=a", "--clusters-from", "x"], "--column --clusters-from"),
        (["index", "--with", "pairs", "--out", "INDEX", "--clusters-from", "x"], "needs CORPUS"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(argsearch, index, words, said):
    refused(argsearch, (index if word == "INDEX" else word for word in words), 2, said)


@pytest.mark.parametrize(
    ("after", "said"), [(False, "is unchanged"), (True, "is changed: the change")]
)
def test_ctrl_c_says_whether_the_index_is_changed(
    argsearch, index, tmp_path, monkeypatch, after, said
):
    exchange = staging._exchange

    def interrupted(*paths: Path) -> None:
        if after:
            exchange(*paths)
        raise KeyboardInterrupt

    monkeypatch.setattr(staging, "_exchange", interrupted)
    code, data, messages = argsearch("add", index, one(tmp_path, "xyzzyplugh"))
    assert (code, data) == (130, "")
    assert f"stopped; {index} {said}" in messages


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (("n-1", "a"), "is unchanged"),
        (("n-2", "a"), "is changed: the change was already complete"),
        (("n-1", "a", "unfinished"), "is partly changed: run the same command again to finish"),
        (None, "is not built, and its partial files were removed"),
        (ServerAbsent("gone"), "is possibly changed: its server did not report its state"),
    ],
)
@pytest.mark.parametrize("command", ["change", "build"])
def test_ctrl_c_says_whether_the_index_of_a_server_is_changed(
    argsearch, tmp_path, monkeypatch, now, said, command
):
    states = iter([now and ("n-1", "a"), now])

    def current(_server: object) -> tuple[str, ...]:
        if isinstance(state := next(states), Exception):
            raise state
        return state

    def interrupted(*_asked: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(client, "connect", lambda *_of, **_asked: SimpleNamespace(close=list))
    monkeypatch.setattr(generations, "current", current)
    monkeypatch.setattr(live, "is_under_way", lambda _server, _index: False)
    monkeypatch.setattr(changing_on_server, "change_on_server", interrupted)
    monkeypatch.setattr(streaming, "build_on_server", interrupted)
    monkeypatch.setattr(indexing, "_manifest_on_server", lambda _address: None)
    source, address = one(tmp_path, "xyzzyplugh"), "http://localhost:1/n"
    words = ["add", address, source] if command == "change" else ["index", source, "--out", address]
    code, data, messages = argsearch(*words)
    assert (code, data) == (130, "")
    assert said in messages


def test_an_index_of_another_corpus_is_not_replaced_beside_a_server(argsearch, index, tmp_path):
    words = ["index", one(tmp_path, "xyzzyplugh"), "--out", "http://localhost:1/n"]
    code, _, messages = argsearch(*words, "--with", "counter", "--beside", index)
    assert code == 2
    assert "is an index of" in one_line_error(messages)
    assert "or use --force" in messages


def test_a_server_takes_over_the_same_documents_from_elsewhere(argsearch, index, tmp_path):
    following = Live(str(index), Engine.open(index), Engine.open)
    following.look()
    argsearch("add", index, one(tmp_path, "xyzzyplugh"))
    argsearch("remove", index, "new")
    following.look()
    assert following.engine.info.manifest["corpus"]["since_clustering"]["left"] == 1


def test_index_brings_an_index_of_the_same_corpus_up_to_date(argsearch, done, tmp_path):
    corpus, index = tmp_path / "corpus.jsonl", tmp_path / "index"
    settings = ["--set", "index.encoder=none", "--set", "index.quality_model=none"]
    settings += ["--set", "index.parts=[]"]
    lines = [
        json.dumps({"id": f"d{i}", "conclusion": "Zoos", "premises": [{"text": f"so {i}"}]})
        for i in range(8)
    ]
    corpus.write_text("\n".join(lines[:6]))
    assert argsearch("index", corpus, "--out", index, *settings)[0] == 0
    corpus.write_text("\n".join([lines[7], *lines[1:6]]))
    data, messages = done("index", corpus, "--out", index, *settings)
    assert "; --rebuild builds it from scratch" in messages
    assert "1 added, 0 changed, 1 removed, 6 documents" in messages
    fresh = tmp_path / "fresh"
    _, same, _ = argsearch("index", corpus, "--out", fresh, *settings)
    assert data.split("\t")[1] == same.split("\t")[1]
    _, whole, messages = argsearch("index", corpus, "--out", index, "--rebuild", *settings)
    assert "will be replaced by a new build" in messages
    assert whole.split("\t")[1] == same.split("\t")[1]
    _, _, messages = argsearch("index", corpus, "--out", index)
    assert "it was built with other settings" in messages
    _, _, messages = argsearch("index", corpus, "--out", index, *settings)
    assert "(it was built with other settings), without the part vectors (" in messages


def test_the_folder_that_one_stands_in_can_be_the_index(argsearch, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    corpus, plain = one(tmp_path, "one"), ["--set", "index.encoder=none", "--quiet"]
    plain += ["--set", "index.parts=[]"]
    code, data, messages = argsearch("index", corpus, "--out", ".", *plain)
    assert (code, messages) == (0, "")
    assert data.startswith(".\t")
    monkeypatch.chdir(tmp_path / "here")  # which is another folder now
    code, data, _ = argsearch("add", ".", one(tmp_path, "another"))
    assert (code, data[:2]) == (0, ".\t")


def test_what_another_corpus_would_lose_is_said(argsearch, index, tmp_path):
    argsearch("add", index, one(tmp_path, "one"))
    code, _, messages = argsearch("index", SAMPLE, "--out", index)
    assert code == 2
    said = "use --force (this loses the documents from new.jsonl)"
    assert said in one_line_error(messages)


def test_a_damaged_index_of_the_same_corpus_is_built_whole(argsearch, index, tmp_path):
    corpus, other = one(tmp_path, "one"), tmp_path / "other"
    argsearch("index", corpus, "--out", other)
    (other / "store.bytes.npy").write_bytes(b"")
    code, _, messages = argsearch("index", corpus, "--out", other)
    assert (code, argsearch("verify", other)[0]) == (0, 0)
    assert "rebuilding the index" in messages
