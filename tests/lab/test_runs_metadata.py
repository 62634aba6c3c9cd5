"""ir-metadata: the fields that the field's tools ask for, and never another run's file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from argsearch.engine.config import load_config
from argsearch.lab.runs import RunFormatError, making
from argsearch.lab.runs.making import describe_run, write_metadata
from argsearch.version import __version__

COLLECTION = "irds:argsme/2020-04-01"
MANIFEST = {"corpus": {"name": COLLECTION, "sha256": "ab" * 32}}
ENGINE = SimpleNamespace(info=SimpleNamespace(manifest=MANIFEST, fingerprint="f1"))


def described(topics: str) -> dict[str, Any]:
    return describe_run(
        ENGINE,  # type: ignore[arg-type]
        load_config("heimdall-2021"),
        topics,
        datetime.now(UTC) - timedelta(seconds=2.5),
        tag="argsearch-heimdall",
        command="argsearch run topics.xml --index args",
        name="heimdall-2021: the “run”",
    )


RECORD = described(f"{COLLECTION}/touche-2020-task-1")


def test_fields(tmp_path: Path) -> None:
    path = write_metadata(tmp_path / "run.txt", RECORD)
    assert path == tmp_path / "ir-metadata.yml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert content["tag"] == "argsearch-heimdall"
    assert content["run"] == {"file": "run.txt"}
    assert content["method"]["name"] == "heimdall-2021: the “run”"
    command = "argsearch run topics.xml --index args"
    assert content["implementation"]["executable"]["cmd"] == command
    assert content["data"]["test collection"] == {
        "name": COLLECTION,
        "topics": f"{COLLECTION}/touche-2020-task-1",
        "sha256": "ab" * 32,
        "index fingerprint": "f1",
        "ir_datasets": f"{COLLECTION}/touche-2020-task-1".removeprefix("irds:"),
    }
    assert content["method"]["configuration"]["boost"]["cluster"] == 10.0
    assert described("folder/topics.xml")["data"]["test collection"]["topics"] == "topics.xml"
    assert 2.5 <= float(content["resources"]["runtime"]["wallclock"].removesuffix(" s")) < 60
    for part in ("platform", "research goal", "implementation", "method", "actor", "data"):
        assert content[part]
    assert content["platform"]["hardware"]["cpu"]["number of cores"] >= 1


def test_another_runs_file_is_left_alone(tmp_path: Path) -> None:
    first = write_metadata(tmp_path / "one.txt", RECORD)
    second = write_metadata(tmp_path / "two.txt", RECORD)
    assert second.name == "two.txt.ir-metadata.yml"
    assert yaml.safe_load(first.read_text())["run"]["file"] == "one.txt"
    assert write_metadata(tmp_path / "one.txt", RECORD) == first
    (tmp_path / "ir-metadata.yml").write_text("[broken")
    assert write_metadata(tmp_path / "one.txt", RECORD).name == "one.txt.ir-metadata.yml"
    assert (tmp_path / "ir-metadata.yml").read_text() == "[broken"
    (tmp_path / "one.txt.ir-metadata.yml").write_text("notes: mine")
    with pytest.raises(RunFormatError, match=r"one\.txt\.ir-metadata\.yml: argsearch did not"):
        write_metadata(tmp_path / "one.txt", RECORD)


def test_what_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "_LIBRARIES", ("numpy", "no-such-distribution"))
    ours, numpy = making._platform()["software"]["libraries"]["python"]
    assert (ours, numpy.split()[0]) == (f"argsearch {__version__}", "numpy")
