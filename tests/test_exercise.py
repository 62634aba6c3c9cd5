"""The exercise: each new thing is one new file and one line of registration, nothing else.

Written from CONTRIBUTING.md alone: a copy of the project gets a similarity, a signal, a stage and a
unit, and its command line builds, filters, re-ranks and writes runs with them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

SIGNAL = '''
"""How many questions the premises ask."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.columns import Column
from argsearch.indexer.signals.base import Batch, PerDocument


class Questions(PerDocument):
    """Question marks of the premises."""

    column = Column(
        name="questions",
        doc="Question marks of the premises.",
        kind="number",
        dtype="uint16",
        high=65535,
    )

    def of(self, batch: Batch) -> NDArray[np.uint16]:
        """Counts, uint16[n]."""
        counts = [argument.premise.count("?") for argument in batch.arguments]
        return np.array(counts, np.uint16)
'''

STAGE = '''
"""Unlike the first: the further from the best hit, the higher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.engine.stages.base import Step
from argsearch.indexer.format.settings import setting
from argsearch.ranking.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Unlike:
    """Section [rerank.unlike]."""

    name: ClassVar[str] = "unlike"
    doc: ClassVar[str] = "the further from the best hit, the higher"
    formula: ClassVar[str] = "distance, power of 1 - cosine with the best hit"
    needs: ClassVar[tuple[str, ...]] = ("vectors",)

    power: float = setting(1.0, "power of the distance", low=0.1, high=10.0)

    def step(self, candidates):
        """By distance."""
        vectors = candidates.vectors.astype(np.float64)
        cosine = vectors @ vectors[0]
        order = np.argsort(-self.combine(cosine=cosine), kind="stable")
        return Step(order, {"cosine": cosine[order]}, {})

    def combine(self, **columns):
        """(1 - cos)^power."""
        return np.maximum(0.0, 1.0 - columns["cosine"]) ** self.power

    def explain(self, values, remarks, before):
        """The cosine, and the score until here."""
        return Explanation(values["cosine"], "cosine with the best hit", symbol="cos"), before
'''

UNIT = '''
"""Conclusions: each distinct one once, by its best argument."""

from __future__ import annotations

import numpy as np

from argsearch.engine.units.base import Unit


class Conclusions(Unit):
    """The unit `conclusions`."""

    name = "conclusions"
    singular = "conclusion"
    doc = "distinct conclusions, by their best argument"
    takes = ("offset",)

    def retrieve(self, request):
        """The best conclusions."""
        hits = self.engine.search(request.text, k=10 * request.k, config=request.config).hits
        best = {}
        for place, hit in enumerate(hits):
            best.setdefault(hit.conclusion, place)
        places = np.array(list(best.values()), np.int64)
        return hits.candidates.take(places[request.page], len(best))
'''

CHECK = """
from argsearch.engine import Engine

engine = Engine.open("index")
hits = engine.search("should zoos be closed", k=1000, where=["questions >= 1"]).hits
assert len(hits) and all("?" in hit.argument.premise for hit in hits)
rest = engine.search("should zoos be closed", k=1000, where=["questions < 1"]).hits
assert len(rest) and not any("?" in hit.argument.premise for hit in rest)
overrides = ["rerank.stages=['unlike', 'mmr']", "rerank.unlike.power=2", "rerank.depth=30"]
staged = engine.search("should zoos be closed", k=40, overrides=overrides)
plain = engine.search("should zoos be closed", k=40)
assert sorted(staged.hits.ids[:30]) == sorted(plain.hits.ids[:30])
assert staged.hits.ids[30:] == plain.hits.ids[30:]
assert staged.hits[3].explanation.find("cos") is not None
assert engine.rank("should zoos be closed", unit="conclusions", k=3).hits[0].texts
coordination = engine.search("should zoos be closed", config="dirichlet",
                             overrides=["retrieval.model=coordination", "retrieval.worth=3"])
assert coordination.hits[0].score == 3 * len(coordination.hits[0].explanation.find("R").details)
"""

SIMILARITY = '''
"""Coordination: every term that a document has counts the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from argsearch.ranking.explanation import Explanation
from argsearch.ranking.parameters import parameter


@dataclass(frozen=True, slots=True)
class Coordination:
    """A constant for each term."""

    worth: float = parameter(2.5, "what a term counts", low=0.0, high=10.0)

    def score(self, tf, dl, statistics):
        """The constant."""
        return np.full(np.broadcast(tf, dl).shape, self.worth)

    def explain(self, tf, dl, statistics):
        """The constant."""
        return Explanation(self.worth, "worth of a term")
'''


def _add(project: Path, file: str, content: str, registry: str, old: str, new: str) -> None:
    """One new file, one line of registration (and the import that it needs)."""
    (project / "argsearch" / file).write_text(content.lstrip(), encoding="utf-8")
    path = project / "argsearch" / registry
    text = path.read_text(encoding="utf-8")
    module, name = file.removesuffix(".py").replace("/", "."), new
    imported = f"from argsearch.{module} import {name.removesuffix('()')}\n"
    assert text.count(old) == 1, f"{registry} has no one place to register {name}"
    text = text.replace(old, old.replace("(", f"({name}, ", 1))
    first = text.index("\nfrom ") + 1
    path.write_text(text[:first] + imported + text[first:], encoding="utf-8")


def _add_similarity(project: Path) -> None:
    (project / "argsearch/ranking/similarities/coordination.py").write_text(
        SIMILARITY.lstrip(), "utf-8"
    )
    registry = project / "argsearch/ranking/similarities/registry.py"
    text = registry.read_text(encoding="utf-8")
    text = text.replace('    "dph": DPH,\n', '    "dph": DPH,\n    "coordination": Coordination,\n')
    first = text.index("\nfrom argsearch.ranking") + 1
    line = "from argsearch.ranking.similarities.coordination import Coordination\n"
    registry.write_text(text[:first] + line + text[first:], encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the four new things."""
    folder = tmp_path_factory.mktemp("exercise") / "project"
    without_code = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "argsearch", folder / "argsearch", ignore=without_code)
    for room in ("api", "engine", "indexer", "lab", "ranking", "configs"):
        shutil.copytree(ROOT / room, folder / "argsearch" / room, ignore=without_code)
    for thing in (
        ("indexer/signals/questions.py", SIGNAL, "indexer/signals/__init__.py", "(Quality()",
         "Questions()"),
        ("engine/stages/unlike.py", STAGE, "engine/stages/__init__.py", "(MMR,", "Unlike"),
        ("engine/units/conclusions.py", UNIT, "engine/units/__init__.py", "(Arguments()",
         "Conclusions()"),
    ):  # fmt: skip
        _add(folder, *thing)
    _add_similarity(folder)
    return folder


def _run(project: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(project)}
    done = subprocess.run(
        [sys.executable, *command], cwd=project, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_each_new_thing_is_one_file_and_one_line(project: Path) -> None:
    argsearch = ("-m", "argsearch")
    _run(project, *argsearch, "index", "argsearch/indexer/sample/arguments.json", "--out", "index",
         "--with", "vectors", "--quiet")  # fmt: skip
    _run(project, "-c", CHECK)
    described = _run(project, *argsearch, "info", "index")
    assert "Question marks of the premises." in described
    drawn = _run(project, *argsearch, "pipeline", "--set", "rerank.method=unlike")
    assert "the further from the best hit" in drawn
    topics = "argsearch/indexer/sample/topics.xml"
    _run(project, *argsearch, "run", topics, "--index", "index", "--out", "run.txt",
         "--unit", "conclusions", "-k", "5", "--quiet")  # fmt: skip
    lines = (project / "run.txt").read_text().splitlines()
    assert {line.split()[1] for line in lines} == {"C"}
