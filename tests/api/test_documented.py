"""The examples of pages: of HTTP, tools, maps and frameworks, run as they stand."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from argsearch.api.cli.main import run
from argsearch.engine import Engine
from tests.api.awkward import serving

DOCS = Path(__file__).parent.parent.parent / "docs"


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.processes
def test_the_requests_of_the_page_on_http_are_answered(sample_index):
    if shutil.which("curl") is None:
        pytest.skip("install curl: apt-get install curl")
    asked = [text for text in blocks("http-api.md", "sh") if "curl" in text]
    asked = [text for text in asked if "$TOKEN" not in text]
    assert len(asked) == 5
    with serving(sample_index) as address:
        answers = [
            subprocess.run(
                ["bash", "-euc", text.replace("http://127.0.0.1:8000", address)],
                capture_output=True,
                text=True,
                timeout=60,
                check=True,
            ).stdout
            for text in asked
        ]
    search, batch, challenge, exported, again = answers
    assert json.loads(search)["hits"][0]["explanation"]
    assert [len(one["hits"]) for one in json.loads(batch)["answers"]] == [3, 3]
    assert json.loads(challenge)["opposite"] == "against"
    assert exported.startswith("# Kept arguments\n\n## Against: ")
    assert again == "304"


@pytest.mark.slow
@pytest.mark.processes
def test_an_index_is_changed_as_the_page_on_http_says(sample_index, tmp_path):
    if shutil.which("curl") is None:
        pytest.skip("install curl: apt-get install curl")
    (text,) = [text for text in blocks("http-api.md", "sh") if "$TOKEN" in text]
    index, tokens = shutil.copytree(sample_index, tmp_path / "index"), tmp_path / "tokens"
    tokens.write_text("a-token-of-a-writer\n")
    new = {"id": "new", "conclusion": "Zoos", "premises": [{"text": "So.", "stance": "PRO"}]}
    new["context"] = {"sourceDomain": "debate.org"}
    (tmp_path / "new.jsonl").write_text(json.dumps(new) + "\n")
    with serving(index, options=["--write-token-file", str(tokens)]) as address:
        environment = {**os.environ, "TOKEN": "a-token-of-a-writer"}
        done = subprocess.run(
            ["bash", "-euc", text.replace("http://127.0.0.1:8000", address)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            timeout=60,
            check=True,
        ).stdout
    answers = [json.loads(part + b"}") for part in done.split(b"}")[:-1]]
    assert [(one["added"], one["removed"]) for one in answers] == [(1, 0), (0, 1), (0, 1)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("page", "number", "package", "extra"),
    [
        ("tools.md", 0, "", ""),
        ("maps.md", 0, "", ""),
        ("frameworks.md", 0, "pyterrier", "pyterrier"),
        ("frameworks.md", 1, "langchain_core", "langchain"),
    ],
)
def test_python_does_what_the_page_says(
    sample_index, tmp_path, capsys, monkeypatch, page, number, package, extra
):
    if package:
        why = f"install the extra {extra}: pip install -e '.[{extra}]'"
        pytest.importorskip(package, reason=why)
    (tmp_path / "my-index").symlink_to(sample_index)
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(page, "python")[number], page, "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) >= 2


@pytest.mark.thorough
def test_an_export_is_a_corpus_as_the_page_says(tmp_path, capsys, monkeypatch):
    (text,) = blocks("maps.md", "text")
    (tmp_path / "discussion.txt").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (lines,) = blocks("maps.md", "sh")
    for line in lines.splitlines():
        assert run(shlex.split(line)[1:]) == 0
    assert '"id":"discussion.txt-1.1"' in capsys.readouterr().out
    with Engine.open(tmp_path / "debates") as engine:
        assert engine.info.documents == 4
        assert engine.argument("discussion.txt-1.2.1") is not None


def test_a_client_of_the_tools_is_told_in_json():
    (client,) = blocks("tools.md", "json")
    assert json.loads(client)["mcpServers"]["argsearch"]["command"] == "argsearch"


@pytest.mark.slow
@pytest.mark.processes
def test_an_index_lives_as_the_page_says(sample_index, tmp_path, capsys, monkeypatch):
    shutil.copytree(sample_index, tmp_path / "my-index")
    new = {"id": "new", "conclusion": "A claim", "premises": [{"text": "One.", "stance": "PRO"}]}
    for name in ("new-arguments.jsonl", "my-corpus.jsonl"):
        (tmp_path / name).write_text(json.dumps(new) + "\n")
    (lines,) = [text for text in blocks("commands.md", "sh") if "index --rebuild" in text]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    subprocess.run(["bash", "-euc", lines], cwd=tmp_path, env=environment, check=True)
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks("commands.md", "python")[0], "commands.md", "exec"), {})
    assert capsys.readouterr().out.startswith("0 0 ")  # what the commands added is there
