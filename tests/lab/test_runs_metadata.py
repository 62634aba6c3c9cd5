"""ir-metadata: the fields that the field's tools ask for, and never another run's file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from argsearch.lab.runs import RunFormatError, making, write_run
from argsearch.lab.runs.making import RunRecord, write_metadata
from argsearch.version import __version__

RECORD = RunRecord(
    tag="argsearch-heimdall",
    name="heimdall-2021: the “run”",
    command="argsearch run topics.xml --index args",
    method={"boost": {"cluster": 10.0, "fields": ("premise",)}, "path": Path("x")},
    retrieval=({"name": "dirichlet", "method": "LMDirichlet", "mu": 2000},),
    corpus="irds:argsme/2020-04-01",
    corpus_sha256="ab" * 32,
    topics="irds:argsme/2020-04-01/touche-2020-task-1",
    fingerprint="f1",
    started=datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC),
    ended=datetime(2026, 1, 1, 12, 0, 2, 500000, tzinfo=UTC),
)


def test_fields(tmp_path: Path) -> None:
    path = write_metadata(tmp_path / "run.txt", RECORD)
    assert path == tmp_path / "ir-metadata.yml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert content["tag"] == "argsearch-heimdall"
    assert content["method"]["name"] == "heimdall-2021: the “run”"
    assert content["implementation"]["executable"]["cmd"] == RECORD.command
    assert content["data"]["test collection"]["ir_datasets"].endswith("touche-2020-task-1")
    assert content["method"]["retrieval"] == [RECORD.retrieval[0]]
    boost = content["method"]["configuration"]["boost"]
    assert boost == {"cluster": 10.0, "fields": ["premise"]}
    assert content["resources"]["runtime"]["wallclock"] == "2.500 s"
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
    with pytest.raises(RunFormatError, match=r"one\.txt\.ir-metadata\.yml: was not written by"):
        write_metadata(tmp_path / "one.txt", RECORD)


def test_tira_accepts_run_and_metadata(tmp_path: Path) -> None:
    rankings = [(str(q), [f"d{r}" for r in range(20)], [1.0] * 20) for q in range(5)]
    write_run(tmp_path / "run.txt", rankings, "t")
    write_metadata(tmp_path / "run.txt", RECORD)
    try:
        from tira.check_format import RunWithIrMetadata
    except ImportError:
        content = yaml.safe_load((tmp_path / "ir-metadata.yml").read_text())
        assert isinstance(content["implementation"]["source"]["repository"], str)
        assert isinstance(content["method"]["description"], str)
        assert isinstance(content["method"]["name"], str)
        assert isinstance(content["data"]["test collection"]["name"], str)
        return
    checker = RunWithIrMetadata()
    checker.apply_configuration_and_throw_if_invalid({})
    verdict, message = checker.check_format(tmp_path)
    assert verdict.name == "OK", message


def test_what_is_not_installed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "_LIBRARIES", ("numpy", "no-such-distribution"))
    content = yaml.safe_load(write_metadata(tmp_path / "run.txt", RECORD).read_text("utf-8"))
    ours, numpy = content["platform"]["software"]["libraries"]["python"]
    assert (ours, numpy.split()[0]) == (f"argsearch {__version__}", "numpy")
