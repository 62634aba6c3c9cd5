"""The command line from end to end; in this process where nothing speaks against it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
from itertools import pairwise

import pytest

from tests.api.awkward import on_a_terminal, refused
from tests.api.test_workers import Running
from tests.processes import eventually, patient

TOPICS = "1\tshould zoos be abolished\n2\tschool uniforms\n"
ARGSEARCH = [sys.executable, "-m", "argsearch"]


# ---------------------------------------------------------------- index, info, verify


def test_index_info_and_verify(argsearch, done, awkward_corpus, tmp_path):
    out = tmp_path / "index"
    data, messages = done(
        "index", awkward_corpus, "--out", out, "--set", "index.quality_model=none"
    )
    name, fingerprint = data.strip().split("\t")
    assert name == str(out)
    assert "66 documents from awkward.json" in messages
    assert "1 without a conclusion (kept)" in messages
    assert "1 without premise text (kept)" in messages

    data, _ = done("info", out)
    assert fingerprint in data
    assert json.loads(done("info", out, "--format", "json")[0])["counts"]["documents"] == 66

    assert done("verify", out)[0] == f"{out}\t{fingerprint}\n"
    victim = next(out.glob("store*"))
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 1
    victim.write_bytes(content)
    refused(argsearch, ("verify", out), 1, victim.name)


def test_bad_documents_stop_or_are_skipped(argsearch, done, tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    good = {
        "id": "a",
        "conclusion": "c",
        "premises": [{"text": "t", "stance": "PRO"}],
        "context": {},
    }
    corpus.write_text(json.dumps(good) + "\n" + json.dumps({**good, "id": None}) + "\n")
    arguments = ["index", corpus, "--out", tmp_path / "index", "--set", "index.quality_model=none"]
    refused(argsearch, (*arguments, "--quiet"), 1, "corpus.jsonl")
    assert not (tmp_path / "index").exists()
    _, messages = done(*arguments, "--on-error", "skip")
    assert "1 skipped (id 1)" in messages


# ---------------------------------------------------------------- search


@pytest.mark.thorough
def test_search_table_reads_well(done, awkward_index):
    data, messages = done("search", "should zoos be abolished", "--index", awkward_index)
    first = data.split("\n\n")[0].splitlines()
    rank, score, stance, *conclusion = first[0].split()
    assert rank == "1"
    assert float(score) > 0
    assert stance in ("for", "against", "unclear")
    assert " ".join(conclusion) == "Zoos should be abolished"
    assert "*zoos*" in data.lower()
    assert "<https://example.org/zoos?a=1&b=2>" in data
    assert "javascript:" not in data
    assert "matching arguments" in messages
    assert all(line == line.rstrip() for line in data.splitlines())


@pytest.mark.thorough
def test_search_says_what_may_have_been_meant(argsearch, sample_index):
    code, data, messages = argsearch("search", "teachres", "--index", sample_index)
    assert (code, data) == (0, "")
    assert "no argument matches" in messages
    assert "note: no argument has the word “teachres”" in messages
    assert "did you mean: teachers" in messages
    _, _, messages = argsearch("search", "should teachers get tenure", "--index", sample_index)
    assert "more share only common words (--no-discriminative)" in messages
    words = ("--no-discriminative", "--index", sample_index)
    _, _, messages = argsearch("search", "should teachers get tenure", *words)
    assert "by specific words)" in messages
    assert "did you mean" not in messages


def test_search_explains(argsearch, awkward_index):
    _, data, _ = argsearch("search", "zoos", "--index", awkward_index, "-k", "1", "--explain")
    assert "relevance × cluster factor × quality factor" in data
    assert "├── " in data
    assert "quality factor, 1 + w_quality × Q" in data


def test_search_csv_survives_quotes_and_line_ends(argsearch, awkward_index):
    _, data, _ = argsearch("search", "zoos keeper", "--index", awkward_index, "--format", "csv")
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(data, newline=""))}
    assert rows["zoo-2"]["premise"] == 'Zoos save species, "says" the keeper.\nThey do, 😀 zoos!'
    assert rows["zoo-2"]["url"] == ""
    assert rows["null"]["conclusion"] == ""
    assert rows["zoo/1#a?b=c&d%20"]["stance"] == "PRO"
    assert float(rows["zoo-2"]["score"]) > 0


def test_search_markdown_and_bibtex(argsearch, awkward_index):
    _, data, _ = argsearch(
        "search", "zoos", "--index", awkward_index, "--format", "markdown", "--explain"
    )
    assert data.startswith("# Arguments on “zoos”\n")
    assert "1. **" in data
    assert "\\<script\\>" in data
    assert "<script>" not in data
    assert "```text" in data
    _, data, _ = argsearch("search", "zoos", "--index", awkward_index, "--format", "bibtex")
    assert data.count("@misc{") == 6
    assert "author = {{Ann O'Nym}}" in data
    assert "javascript" not in data


# ---------------------------------------------------------------- run, tira


def test_run_writes_a_run_and_its_description(argsearch, awkward_index, tmp_path):
    topics, out = tmp_path / "topics.tsv", tmp_path / "run.txt.gz"
    topics.write_text(TOPICS)
    code, data, messages = argsearch(
        "run", topics, "--index", awkward_index, "--out", out, "-k", "5", "--tag", "mine"
    )
    assert (code, data) == (0, f"{out}\n")
    assert "for 2 topics" in messages
    rows = [line.split() for line in gzip.decompress(out.read_bytes()).decode().splitlines()]
    assert {row[5] for row in rows} == {"mine"}
    assert [row[3] for row in rows if row[0] == "2"] == ["1", "2", "3", "4", "5"]
    scores = [float(row[4]) for row in rows if row[0] == "2"]
    assert all(high > low for high, low in pairwise(scores))
    described = (tmp_path / "ir-metadata.yml").read_text()
    assert "tag: mine" in described
    assert "topics.tsv" in described
    assert "w_cluster" in described


def test_signals_of_a_run_have_the_grades_of_judgements(argsearch, awkward_index, tmp_path):
    topics, qrels, signals = (tmp_path / name for name in ("topics.tsv", "q.qrels", "s.svm"))
    topics.write_text(TOPICS)
    words = ["run", topics, "--index", awkward_index, "--out", tmp_path / "r.txt", "-k", "3"]
    assert argsearch(*words)[0] == 0
    lines = [line.split() for line in (tmp_path / "r.txt").read_text().splitlines()]
    first, second, _ = (line[2] for line in lines if line[0] == "2")
    qrels.write_text(f"2 0 {first} 3\n2 0 {second} -2\n")
    assert argsearch(*words, "--signals", signals, "--qrels", qrels)[0] == 0
    rows = [line for line in signals.read_text().splitlines() if " qid:2 " in line]
    assert [row.split()[0] for row in rows] == ["3", "0", "0"]


def test_tira_reads_the_environment(done, awkward_index, tmp_path, monkeypatch):
    source, target = tmp_path / "in", tmp_path / "out" / "deep"
    source.mkdir()
    (source / "topics.xml").write_text(
        "<topics><topic><number>7</number><title>zoos</title></topic></topics>"
    )
    monkeypatch.setenv("inputDataset", str(source))
    monkeypatch.setenv("outputDir", str(target))
    assert done("tira", "--index", awkward_index)[0] == f"{target / 'run.txt'}\n"
    assert (target / "run.txt").read_text().startswith("7 Q0 ")


def test_tira_indexes_the_corpus_it_is_given(argsearch, awkward_corpus, tmp_path):
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "queries.jsonl").write_text('{"qid": "7", "query": "zoos"}\n')
    arguments = ["tira", "--input", source, "--output", target, "--set", "index.quality_model=none"]
    refused(argsearch, (*arguments, "--quiet"), 1, "documents.jsonl")
    (source / "args-me.json").write_bytes(awkward_corpus.read_bytes())
    code, _, messages = argsearch(*arguments)
    assert code == 0, messages
    assert (target / "run.txt").read_text().startswith("7 Q0 ")
    assert sorted(path.name for path in target.iterdir()) == ["ir-metadata.yml", "run.txt"]


# ---------------------------------------------------------------- a terminal


@pytest.mark.parametrize("no_color", [True, False])
def test_no_color_is_respected(awkward_index, monkeypatch, no_color):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1") if no_color else monkeypatch.delenv("NO_COLOR", False)
    output = on_a_terminal(["search", "zoos", "--index", awkward_index], monkeypatch)
    assert "zoos" in output.lower()
    assert ("\x1b[33m" in output or "\x1b[1;33m" in output) is not no_color
    assert "\x1b[2J" not in output


def test_progress_is_a_bar_on_a_terminal(awkward_corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    words = ["index", awkward_corpus, "--out", tmp_path / "index", "--set", "index.parts=[]"]
    output = on_a_terminal([*words, "--set", "index.quality_model=none"], monkeypatch)
    assert "documents" in output
    assert "━" in output


# ---------------------------------------------------------------- a process of its own


@pytest.mark.processes
def test_data_and_messages_take_their_own_ways(awkward_index):
    done = subprocess.run(
        [*ARGSEARCH, "search", "zoos", "--index", str(awkward_index), "--format", "json"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert json.loads(done.stdout.decode())["total"] == 6
    assert "😀" in done.stdout.decode()


@pytest.mark.slow
@pytest.mark.processes
def test_a_reader_that_leaves_is_no_error(awkward_index):
    process = subprocess.Popen(
        [*ARGSEARCH, "search", "uniforms", "--index", str(awkward_index), "-k", "60", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 0


@pytest.mark.processes
def test_ctrl_c_says_what_is_left(tmp_path):
    """The corpus comes from a pipe that never ends, so that the build is surely under way."""
    words = ["index", "-", "--out", str(tmp_path / "index"), "--set", "index.quality_model=none"]
    process = subprocess.Popen(
        [*patient(), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert eventually((tmp_path / ".index.building").exists)
    process.send_signal(signal.SIGINT)
    data, messages = process.communicate(timeout=60)
    assert process.returncode == 130, messages
    assert data == ""
    assert "is not built, and its partial files were removed" in messages
    assert "Traceback" not in messages
    assert list(tmp_path.iterdir()) == []


@pytest.mark.processes
def test_serve_answers_and_stops(argsearch, awkward_index):
    server = Running(awkward_index, number=1, patient=False)
    assert json.loads(server.get("/ready"))["documents"] == 66
    port = server.address.rpartition(":")[2]
    refused(
        argsearch,
        ("serve", "--index", awkward_index, "--port", port),
        1,
        f"port {port} of 127.0.0.1 is in use",
    )
    server.stop(signal.SIGINT)
