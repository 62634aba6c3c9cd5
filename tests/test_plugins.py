"""What other packages add: the cookbook's package, installed beside, and classes named by place."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from argsearch.engine.config import from_dict, load_config
from argsearch.engine.stages import STAGES
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.ranking import plugins
from argsearch.ranking.plugins import PluginUnavailable
from argsearch.ranking.similarities.registry import SIMILARITIES
from tests.copies import ROOT
from tests.indexes import SAMPLE

COOKBOOK = ROOT / "tests" / "plugin"


@pytest.fixture
def cookbook(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The cookbook's modules where Python looks; what is plugged in goes with the test."""
    monkeypatch.syspath_prepend(COOKBOOK)
    known = {"stages": (STAGES, dict(STAGES)), "models": (SIMILARITIES, dict(SIMILARITIES))}
    yield
    for table, before in known.values():
        table.clear()
        table.update(before)  # type: ignore[arg-type]


@pytest.mark.usefixtures("cookbook")
def test_a_configuration_names_classes_by_their_place() -> None:
    place = "argsearch_cookbook.ranking:Brevity"
    sections = {
        "retrieval": {"model": "argsearch_cookbook.similarity:Overlap"},
        "rerank": {"stages": [place, "mmr"], place: {"half": 50.0}},
    }
    config = from_dict("mine", sections)
    first, second = (stage for stage, _ in config.reranking)
    assert (first.name, second.name, first.half) == ("brevity", "mmr", 50.0)  # type: ignore[attr-defined]
    with pytest.raises(InvalidParameter, match="half"):
        from_dict("mine", {"rerank": {"stages": [place], place: {"half": 0.0}}})
    with pytest.raises(InvalidParameter) as refused:
        load_config("default", ["rerank.method=nothing"])
    assert "mmr" in str(refused.value)
    assert place not in str(refused.value)


@pytest.mark.usefixtures("cookbook")
def test_an_encoder_is_named_by_its_place() -> None:
    encoder = load_encoder("argsearch_cookbook.indexing:Letters:3")
    assert (1000 * encoder.encode(["abba"])).round().tolist() == [[707, 707, 0]]
    assert load_encoder(encoder.name) is encoder  # as an index's manifest has it


@pytest.mark.usefixtures("cookbook")
@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("nowhere.at_all:Stage", "No module named 'nowhere'"),
        ("argsearch_cookbook.ranking:Missing", "has no attribute 'Missing'"),
        ("argsearch_cookbook.similarity:Overlap", "is not a Stage; it lacks combine, step"),
        ("os:getcwd", "is not a Stage"),
    ],
)
def test_what_is_no_stage_is_said_to_be_none(place: str, told: str) -> None:
    with pytest.raises(PluginUnavailable, match=told) as refused:
        load_config("default", [f"rerank.method={place}"])
    assert isinstance(refused.value, ArgsearchError), "commands and servers show it as it is"


def test_a_broken_and_a_doubled_plug_in_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def registered(*points: tuple[str, str]) -> None:
        made = [EntryPoint(name, value, "argsearch.stages") for name, value in points]
        monkeypatch.setattr(plugins, "_registered", lambda: EntryPoints(made))

    registered(("gone", "no_such_package:Stage"))
    with pytest.raises(PluginUnavailable, match="plug-in gone .*no_such_package.*uninstall"):
        plugins.loaded("stages")
    registered(("mmr", "somebody:MMR"))
    with pytest.raises(PluginUnavailable, match="plug-in mmr .*: its name is already used"):
        plugins.named("stages", STAGES)


def test_packages_are_read_only_where_one_names_a_group(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(plugins.sys, "meta_path", [PathFinder])
    monkeypatch.setattr(plugins.sys, "path", [str(tmp_path), str(tmp_path / "gone")])
    named = tmp_path / "other-1.dist-info" / "entry_points.txt"
    named.parent.mkdir()
    named.write_text("[console_scripts]\nargsearch = other:main\n")
    assert plugins._registered.__wrapped__() is None
    named.write_text("[argsearch.stages]\nbrevity = other:Brevity\n")
    (point,) = plugins._registered.__wrapped__().select(group="argsearch.stages")
    assert point.name == "brevity"
    monkeypatch.setattr(plugins.sys, "path", [str(named)])  # as a packed one: only Python can tell
    assert plugins._registered.__wrapped__() is not None


PROGRAM = """
from argsearch import Engine
from argsearch.api.cli.main import run

assert run(["index", "{sample}", "{said}", "--out", "index", "--set", "index.encoder=letters:9",
            "--set", "index.clusters=5", "--quiet"]) == 0
engine = Engine.open("index")
asked = engine.search("should zoos be closed", k=400, where=["questions >= 1"]).hits
assert len(asked) and all("?" in hit.argument.premise for hit in asked)
(said,) = engine.search("zeppelins", k=9).hits
assert (said.id, said.conclusion) == ("said-1", "Zeppelins should fly")
overlap = ["retrieval.model=overlap", "retrieval.worth=3"]
for hit in engine.search("should zoos be closed", config="dirichlet", overrides=overlap).hits:
    assert hit.score == 3 * len(hit.explanation.find("R").details)
short = engine.search("zoos", k=5, overrides=["rerank.method=brevity", "rerank.depth=20"]).hits
words = [len(hit.text.split()) for hit in short]
assert words == sorted(words) and short[0].explanation.find("words").value == words[0]
assert engine.rank("zoos", unit="conclusions", k=3).hits[0].texts
for words in (["pipeline", "--set", "rerank.method=brevity"], ["info", "index"],
              ["conclusions", "zoos", "--index", "index", "-k", "2", "--quiet"]):
    assert run(words) == 0, words
"""


@pytest.mark.slow
@pytest.mark.processes
def test_the_cookbook_is_installed_and_everything_in_it_works(tmp_path: Path) -> None:
    shutil.copytree(COOKBOOK, tmp_path / "source")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    pip += ["--no-build-isolation", "--target", str(tmp_path / "site"), str(tmp_path / "source")]
    subprocess.run(pip, check=True)
    said = tmp_path / "some.said"
    said.write_text("Zeppelins should fly: they are quiet\n")
    program = PROGRAM.format(sample=SAMPLE, said=said)
    found = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=found, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
