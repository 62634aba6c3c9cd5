"""The folder of an experiment's results: what an experiment did not write there stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.experiment.output import RECORD, OutputFolder
from tests.lab.experiments import HEAD, SYSTEMS, Observer, run


def test_a_file_is_replaced_only_where_an_experiment_wrote_it(tmp_path: Path) -> None:
    out = OutputFolder(tmp_path / "out")
    path = out.write("plots/a.svg", "one")
    assert OutputFolder(tmp_path / "out").write("plots/a.svg", "two") == path
    assert path.read_text() == "two"
    (tmp_path / "out" / "b.csv").write_text("mine")
    again = OutputFolder(tmp_path / "out")
    with pytest.raises(InvalidParameter, match="of another program; use another folder"):
        again.write("b.csv", "ours")
    with pytest.raises(InvalidParameter):
        again.claim("c.csv", "b.csv")
    (tmp_path / "out" / "c.csv").write_text("mine: it was not claimed beside a file of mine")
    with pytest.raises(InvalidParameter):
        OutputFolder(tmp_path / "out").claim("c.csv")
    assert (tmp_path / "out" / "b.csv").read_text() == "mine"


def test_what_was_claimed_before_a_kill_may_be_written(tmp_path: Path) -> None:
    OutputFolder(tmp_path).claim("report.md")
    (tmp_path / "report.md").write_text("half")
    OutputFolder(tmp_path).write("report.md", "whole")
    assert (tmp_path / "report.md").read_text() == "whole"


@pytest.mark.parametrize("content", ["", "{", "5", '{"report.md": 1}', "[1]"])
def test_a_list_that_cannot_be_read_lists_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / RECORD).write_text(content)
    (tmp_path / "results.csv").write_text("mine")
    with pytest.raises(InvalidParameter):
        OutputFolder(tmp_path).claim("results.csv")


@pytest.mark.parametrize(
    "name",
    ["report.md", "tables.tex", "results.json", "runs/arguments/topics/dirichlet/run.txt.gz"],
)
def test_an_experiment_stops_before_its_work(folder: Path, kept: Path, name: str) -> None:
    path, observer = folder / "out" / name, Observer()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    with pytest.raises(InvalidParameter, match=f"has a {name} of another program"):
        run(HEAD + SYSTEMS, folder, kept, observer)
    assert path.read_text() == "mine"
    assert not any(stage.startswith("run ") for stage in observer.stages)
    assert not (folder / "out" / RECORD).exists() or name.startswith("runs")
