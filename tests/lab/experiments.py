"""Experiments on the sample corpus: what their tests share."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path

from argsearch.lab.experiment import Outcome, read_plan, run_experiment
from argsearch.lab.experiment.cache import Cache

SAMPLE = Path(__file__).resolve().parents[2] / "indexer" / "sample"
HEAD = f"""
[experiment]
measures = "nDCG@5 P@3"
samples = 100
permutations = 100
[[corpora]]
source = "{SAMPLE}/arguments.json"
[[topics]]
source = "{SAMPLE}/topics.xml"
qrels = {{ relevance = "{SAMPLE}/relevance.qrels", quality = "{SAMPLE}/quality.qrels" }}
"""
SYSTEMS = """
[[systems]]
config = "dirichlet"
[[systems]]
name = "with quality"
config = "dirichlet"
set = { boost.quality = 2 }
"""
SWEEP = """
[sweep]
folds = 4
[sweep.axes]
boost.quality = [0, 2]
boost.cluster = [0, 1.0]
"""


@dataclass
class Observer:
    """Keeps what it was told."""

    stages: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def update(self, stage: str, _done: int, _total: int | None = None, /) -> None:
        self.stages.append(stage)

    def note(self, message: str) -> None:
        self.notes.append(message)

    def begun(self, what: str) -> int:
        return len({stage for stage in self.stages if stage.startswith(what)})


def seeded(seeds: list[int]) -> str:
    return HEAD.replace("samples =", f"seeds = {seeds}\nsamples =")


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def run(text: str, folder: Path, cache: Path | Cache, observer: Observer | None = None) -> Outcome:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    used = cache if isinstance(cache, Cache) else Cache(cache)
    out = folder / "out"
    return run_experiment(read_plan(path), out=out, cache=used, observer=observer or Observer())
