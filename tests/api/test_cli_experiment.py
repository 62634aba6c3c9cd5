"""`argsearch experiment` as a user runs it: the page's example, a kill in the middle, errors."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from argsearch.api.cli.main import run
from tests.api.awkward import refused

PROJECT = Path(__file__).resolve().parents[2]
PAGE = PROJECT / "docs" / "experiments.md"
SLOW = """
[experiment]
measures = "nDCG@5"
[[corpora]]
source = "{sample}/arguments.json"
[[topics]]
source = "{sample}/topics.xml"
qrels = {{ relevance = "{sample}/relevance.qrels" }}
[[systems]]
config = "dirichlet"
[sweep.axes]
boost.quality = {values}
"""


KILLED = """
import os, signal, sys
from argsearch.api.cli import main
from argsearch.lab.experiment.cache import Cache
read, asked = Cache.read, []
def third(self, kind, key):
    asked.extend([key] if kind == "sweeps" else [])
    if len(asked) > 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return read(self, kind, key)
Cache.read = third
sys.exit(main.run(sys.argv[1:]))
"""
"""An experiment that ends as its fourth cell is to be computed."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "indexer").symlink_to(PROJECT / "indexer")
    return tmp_path


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.slow
def test_the_pages_example(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (toml,) = blocks("toml")
    (commands,) = blocks("sh")
    Path("weights-of-quality.toml").write_text(toml, encoding="utf-8")
    outputs = []
    for line in commands.splitlines():
        program, *words = shlex.split(line)
        assert program == "argsearch"
        assert run(words) == 0
        outputs.append(capsys.readouterr())
    table, tex, evaluation = outputs
    assert "sample · questions: quality" in table.out
    assert "more quality" in table.out
    assert "tuned for each measure (leaving one topic out)" in table.out
    assert tex.out.count(r"\begin{tabular}") == table.out.count("----\n") == 5
    assert tex.err == ""
    value = re.search(r"^dirichlet +(\S+)", table.out, re.MULTILINE)
    assert f"run.txt  {value[1]} [" in evaluation.out or f"run  {value[1]} [" in evaluation.out
    for stage in (
        "index of sample",
        "run dirichlet",
        "evaluation of questions",
        "sweep of 12 cells",
    ):
        assert stage in table.err
    out = folder / "experiments/weights-of-quality"
    named = re.findall(r"^\| `([a-z.-]+)`(?:, `([a-z.]+)`)? \|", PAGE.read_text(), re.MULTILINE)
    files = {name for pair in named for name in pair if "." in name}
    assert files == {path.name for path in out.iterdir() if path.is_file()}
    assert (out / "runs/sample/questions/dirichlet/ir-metadata.yml").is_file()


@pytest.mark.slow
def test_the_pages_python(folder: Path) -> None:
    (code,) = blocks("python")
    found: dict[str, object] = {}
    exec(
        code.replace('"sample", ', f"{str(PROJECT / 'configs/experiments/sample.toml')!r}, "), found
    )
    assert (folder / "results/report.md").is_file()


def test_the_page_names_every_key_and_shipped_experiment() -> None:
    from dataclasses import fields

    from argsearch.lab.experiment.plan import Corpus, GivenRun, Setup, Sweep, TopicSet, names

    page = PAGE.read_text(encoding="utf-8")
    keys = {f.name for part in (Setup, Corpus, GivenRun, Sweep, TopicSet) for f in fields(part)}
    assert {key for key in keys if f"`{key}`" not in page} == set()
    assert {name for name in names() if f"| `{name}` |" not in page} == set()


@pytest.mark.slow
def test_a_killed_experiment_goes_on(folder: Path, done) -> None:
    values = [round(0.01 * i, 2) for i in range(9)]
    Path("slow.toml").write_text(SLOW.format(sample="indexer/sample", values=values))
    words = ["experiment", "slow.toml"]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    process = subprocess.run(
        [sys.executable, "-c", KILLED, *words], env=environment, capture_output=True, check=False
    )
    assert process.returncode == -signal.SIGKILL
    kept = cells()
    assert len(kept) == 3
    assert not (folder / "experiments/slow/report.md").exists()
    resumed = subprocess.run(
        [sys.executable, "-m", "argsearch", *words, "--format", "csv"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "index of" not in resumed.stderr
    assert "run dirichlet" not in resumed.stderr
    assert kept.items() <= cells().items()
    assert len(cells()) == len(values)  # the cell 0 is the baseline
    whole = ["--cache", "other", "--out", "whole", "--format", "csv"]
    assert done("experiment", "slow.toml", *whole)[0] == resumed.stdout
    swept = Path("experiments/slow/sweep.csv").read_bytes()
    assert swept == Path("whole/sweep.csv").read_bytes()


def cells() -> dict[str, int]:
    """When each finished cell was written."""
    found = Path(".cache/experiments/sweeps").glob("*.json")
    return {path.name: path.stat().st_mtime_ns for path in found}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("none.toml", 2, "there is no experiment 'none.toml'"),
        ("study.toml --format html", 2, "must be table, markdown, latex or csv, not 'html'"),
        ("study.toml --workers 0", 2, "--workers must be a whole number"),
        ("", 2, "FILE.toml"),
        ("missing.toml", 2, "corpora source must be a file that exists"),
        ("study.toml --cache study.toml", 1, "choose another folder with --cache"),
        ("weights", 2, "ARGSEARCH_DATA, which is not set"),
    ],
)
def test_errors_are_one_line(
    folder: Path, argsearch, monkeypatch, words: str, code: int, message: str
) -> None:
    monkeypatch.delenv("ARGSEARCH_DATA", raising=False)
    text = SLOW.format(sample="indexer/sample", values=[0, 1])
    Path("study.toml").write_text(text)
    Path("missing.toml").write_text(text.replace("arguments.json", "absent.json"))
    refused(argsearch, f"experiment {words} --quiet", code, message)


@pytest.mark.slow
def test_published_tables_made_again(
    folder: Path,
    data_dir: Path,
    done,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ARGSEARCH_DATA", str(data_dir))
    text = (PROJECT / "configs/experiments/g19.toml").read_text()
    text = text.replace("samples = 10000", "samples = 10").replace("repeats = 5", "repeats = 1")
    Path("quick.toml").write_text(text)
    out, _ = done("experiment", "quick.toml", "--format", "markdown", "--out", "out")
    assert "DirichletLM" in out
    assert Path("out/tables.md").read_text() == out
    assert (folder / "out/tables.csv").read_text().startswith("system,rhetorical")
