"""No command changes or removes a file that argsearch did not write.

Random files, folders, links and pipes lie around and inside everything that commands write to.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from argsearch.api.cli.main import run
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.model_files import LTR

PLAIN = ["--set", "index.encoder=none", "--set", "index.quality_model=none"]
DOCUMENTS = [
    {
        "id": name,
        "conclusion": "Zoos should be banned",
        "premises": [{"text": f"{name} zoos keep animals", "stance": "PRO"}],
        "context": {"sourceDomain": name},
    }
    for name in ("one", "two", "three")
]
EXPERIMENT = """
[experiment]
name = "zoos"
[[corpora]]
name = "zoos"
source = "corpus.jsonl"
[[topics]]
name = "topics"
source = "topics.tsv"
[[systems]]
config = "dirichlet"
set = { index.encoder = "none", index.quality_model = "none", boost.cluster = 0 }
"""
PLACES = [
    ".",
    "index",
    "index/folder",
    ".index.building",
    ".index.exchanging",
    "new",
    ".new.building",
    "runs",
    "tira",
    "results",
    "results/runs",
    "model",
    "model/encoder",
    "cache/indexes",
    "cache/runs",
]
NAMES = [
    "notes.txt",
    "manifest.json",
    "manifest.json.new",
    "quality.npy",
    "part.mine.npy",
    "forward.terms",
    "model.json",
    "heads.safetensors",
    "run.txt",
    "run.txt.gz",
    "ir-metadata.yml",
    "run.txt.ir-metadata.yml",
    "report.md",
    "tables.md",
    "results.csv",
    "results.json",
    "index",
    ".index.embedded",
    ".notes.4194303.partial",
    ".run.txt.partial",
]
CONTENTS = [
    "",
    "my notes",
    '{"name": "x"}',
    '{"format": 3, "files": {}}',
    '{"format": "layers", "files": {"notes.txt": 1}}',
    "run: {file: run.txt}",
]
PIPES = [
    ("index", "manifest.json"),
    (".index.building", "manifest.json"),
    ("model", "model.json"),
    ("runs", "ir-metadata.yml"),
    ("tira", "run.txt"),
    ("results", "report.md"),
]
Foreign = tuple[str, str, str]
"""A place, a name there, and the content; or `folder`, `link`, `pipe`."""


def make(room: Path, what: Foreign) -> Path | None:
    """Put something of the user's into a room, unless something lies there already."""
    place, name, content = what
    path = room / place / name
    if os.path.lexists(path) or any(parent.is_file() for parent in path.parents):
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    if content == "folder":
        path.mkdir()
    elif content == "link":
        path.symlink_to(room / "elsewhere")
    elif content == "pipe":
        os.mkfifo(path)
    else:
        path.write_text(content)
    return path


def seen(path: Path) -> tuple[int, bytes | str] | None:
    """What a file is, and what it holds."""
    if not os.path.lexists(path):
        return None
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return mode, str(path.readlink())
    return mode, path.read_bytes() if stat.S_ISREG(mode) else b""


def finish_model(room: Path) -> None:
    """Write a model's folder, as the end of a training does."""
    with tempfile.TemporaryDirectory() as folder:
        aside = Path(folder, "aside")
        (aside / "encoder").mkdir(parents=True)
        (aside / "encoder" / "config.json").write_text("{}")
        (aside / "heads.safetensors").write_text("weights")
        target = room / "model"
        if target.parent.is_dir():
            LTR.finish_folder(aside, target, {})


def commands(room: Path) -> list[Callable[[], object]]:
    """Everything that writes."""
    corpus, topics = room / "corpus.jsonl", room / "topics.tsv"
    index, new, cache = room / "index", room / "new", room / "cache"
    lines: list[list[str | Path]] = [
        ["index", corpus, "--out", index, *PLAIN],
        ["index", corpus, "--out", index, "--force", *PLAIN],
        ["index", corpus, "--out", new, *PLAIN],
        ["add", index, room / "more.jsonl"],
        ["remove", index, "one"],
        ["remove", index, "--where", 'source = "two"', "--yes"],
        ["index", "--with", "near_duplicates", "--out", index],
        ["index", "--rebuild", "--out", index],
        [
            "run",
            topics,
            "--index",
            index,
            "--config",
            "dirichlet",
            "--out",
            room / "runs" / "r.txt",
        ],
        ["tira", "--input", room, "--output", room / "tira", "--index", index],
        ["experiment", room / "zoos.toml", "--out", room / "results", "--cache", cache],
    ]
    found: list[Callable[[], object]] = [
        lambda words=words: run([*map(str, words), "--quiet"]) for words in lines
    ]
    return [*found, lambda: finish_model(room)]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A room in which every command has worked once."""
    room = tmp_path_factory.mktemp("prepared") / "room"
    room.mkdir()
    (room / "runs").mkdir()
    (room / "elsewhere").write_text("mine")
    (room / "zoos.toml").write_text(EXPERIMENT)
    (room / "topics.tsv").write_text("1\tzoos\n")
    (room / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in DOCUMENTS))
    more = {**DOCUMENTS[0], "id": "four"}
    (room / "more.jsonl").write_text(json.dumps(more) + "\n")
    for command in commands(room):
        assert command() in (0, None)
    return room


foreign = st.tuples(
    st.sampled_from(PLACES),
    st.sampled_from(NAMES)
    | st.text("abc.-_ é\n", min_size=1, max_size=9).filter(lambda name: name.strip(".") != ""),
    st.sampled_from([*CONTENTS, "folder", "link", "pipe"]),
)


@pytest.mark.slow
@settings(max_examples=25)
@given(st.lists(foreign, min_size=1, max_size=6), st.booleans())
@example([("index", "notes.txt", "mine")], True)
@example([("index/folder", "manifest.json", '{"name": "x"}')], True)
@example([("index", "manifest.json", '{"name": "x"}'), ("index/folder", "a", "b")], False)
@example([(".index.building", "quality.npy", "mine")], True)
@example([(".index.exchanging", "manifest.json", '{"name": "x"}')], False)
@example([("model", "model.json", '{"name": "x"}'), ("model", "weights.h5", "w")], False)
@example([("model", "notes.txt", "mine")], True)
@example([("results", "report.md", "mine"), ("tira", "run.txt", "mine")], False)
@example([("runs", "ir-metadata.yml", "run: {file: r.txt}")], False)
@example([(place, name, "pipe") for place, name in PIPES], False)
@example([(place, name, "link") for place, name in PIPES], False)
def test_no_command_touches_what_argsearch_did_not_write(
    prepared: Path, what: list[Foreign], worked_before: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder, "room")
        inputs = shutil.ignore_patterns(
            "index", "new", "r.txt", "tira", "results", "model", "cache"
        )
        shutil.copytree(prepared, room, ignore=None if worked_before else inputs)
        there = [path for one in what if (path := make(room, one)) is not None]
        there += [path for path in room.iterdir() if path.is_file()]
        before = {path: seen(path) for path in there}
        for number, command in enumerate(commands(room)):
            with suppress(ArgsearchError):
                command()
            assert {path: seen(path) for path in there} == before, number
