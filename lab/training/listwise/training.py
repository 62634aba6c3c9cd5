"""Training: a configuration in, the folder of a model and a report out (`argsearch train ltr`)."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.manifest import checksum
from argsearch.indexer.model_files import LTR
from argsearch.indexer.quality.listwise import HEADS, finish_folder
from argsearch.lab.judgements.scored import CORPORA, Scored, labelled
from argsearch.lab.training.listwise.learners import Arrays, Learner
from argsearch.lab.training.listwise.loop import Trained, TrainingJob, train_member
from argsearch.lab.training.listwise.makers import Maker, make_maker
from argsearch.lab.training.listwise.report import ListwiseRow, mean_row, row
from argsearch.lab.training.listwise.settings import TrainingPlan
from argsearch.lab.training.listwise.splits import Split, split_topics
from argsearch.lab.training.shape import silent, software
from argsearch.ranking.ltr.ensemble import ensemble
from argsearch.ranking.ltr.lists import topic_lists, within_topics
from argsearch.ranking.ltr.losses import make
from argsearch.ranking.numbers import minmax

Progress = Callable[[str, int, int], None]
"""Is told what is trained, how many steps are done of it, and how many there can be."""

MARK = "training.json"
"""In the folder of an unfinished training: the digest of what it is of."""


@dataclass(frozen=True)
class LtrRequest:
    """What to train, and where to."""

    plan: TrainingPlan
    out: Path
    resume: bool = False

    @property
    def partial(self) -> Path:
        """Where checkpoints lie until the model is finished."""
        return self.out.with_name(f"{self.out.name}.partial")

    def check(self) -> None:
        """Raise InvalidParameter for a place that cannot be written to."""
        free = not self.out.exists() or (self.out / "model.json").is_file()
        if not free or not self.out.parent.is_dir():
            allowed = "a new folder, or that of a model, in a folder that exists"
            raise InvalidParameter("--out", str(self.out), allowed)
        if self.partial.exists() and not self.resume:
            allowed = f"another folder, for {self.partial.name} holds an unfinished training: "
            allowed += "go on with it by --resume, or remove it"
            raise InvalidParameter("--out", str(self.out), allowed)


@dataclass(frozen=True)
class LtrResult:
    """The written folder, and how well it orders topics it has not seen."""

    path: Path
    sha256: str
    """Of its card."""
    items: int
    topics: int
    rows: tuple[ListwiseRow, ...]
    """Of every model, of their ensemble, and of the number of words."""

    def table(self) -> str:
        """The figures as a Markdown table, a loss' models from several seeds as their mean."""
        losses: dict[str, list[ListwiseRow]] = {}
        for one in self.rows:
            loss, _, seed = one.model.rpartition("-")
            losses.setdefault(loss if seed.isdigit() else one.model, []).append(one)
        shown = [
            rows[0] if len(rows) == 1 else mean_row(f"{name}, mean of {len(rows)} seeds", rows)
            for name, rows in losses.items()
        ]
        return "\n".join([ListwiseRow.HEADER, ListwiseRow.RULE, *(one.line() for one in shown)])


def read_source(plan: TrainingPlan) -> Scored:
    """The corpus of a configuration with its labels; raises InvalidParameter, JudgementsError."""
    source = Path(plan.data.source).expanduser()
    places = [plan.folder / source]
    if os.environ.get("ARGSEARCH_DATA"):
        places.insert(0, Path(os.environ["ARGSEARCH_DATA"]) / source)
    found = next((place for place in places if place.exists()), None)
    if not plan.data.source or found is None:
        allowed = "a file or folder in ARGSEARCH_DATA, or beside the configuration"
        raise InvalidParameter("data.source", plan.data.source, allowed)
    return labelled(CORPORA[plan.data.corpus](found), plan.data.labels, plan.data.prior)


def train_ltr(request: LtrRequest, progress: Progress | None = None) -> LtrResult:
    """Train every loss from every seed, write the model's folder, and say how good it is.

    A training that was ended goes on from its last checkpoint (`resume`) and gives the same bytes.
    Raises InvalidParameter, JudgementsError, ModelError, MissingExtra, ArgsearchError.
    """
    from threadpoolctl import threadpool_limits

    request.check()
    plan = request.plan
    scored = read_source(plan)
    data = plan.data
    split = split_topics(scored, data.split, data.valid_topics, data.test_topics, data.seed)
    digest = _digest(plan, scored)
    _begin(request.partial, digest)
    with threadpool_limits(1):  # the same bits on any number of cores
        maker = make_maker(plan, scored, split)
        trained = [
            _member(request, maker, job, progress or silent)
            for job in _jobs(plan, scored, split, digest)
        ]
        rows = _figures(plan, scored, split, trained)
        return _finish(request, scored, split, maker, trained, rows)


def _digest(plan: TrainingPlan, scored: Scored) -> str:
    told = json.dumps({"plan": plan.to_dict(), "corpus": scored.sha256}, sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def _begin(partial: Path, digest: str) -> None:
    mark = partial / MARK
    if mark.is_file() and json.loads(mark.read_text())["digest"] != digest:
        allowed = "the configuration and corpus it was begun with; or remove it"
        raise InvalidParameter("--resume of", partial.name, allowed)
    partial.mkdir(exist_ok=True)
    mark.write_text(json.dumps({"digest": digest}))


def _jobs(plan: TrainingPlan, scored: Scored, split: Split, digest: str) -> list[TrainingJob]:
    training = plan.training
    ranks = within_topics(scored.scores, scored.topics).astype(np.float64)
    y = ranks.copy()
    if training.target == "unit":
        for topic in np.unique(scored.topics):
            own = scored.topics == topic
            y[own] /= ranks[own].max()

    def lists(items: Any) -> list[Any]:
        found = topic_lists(scored.scores[items], scored.topics[items], training.length)
        return [items[some] for some in found]

    jobs = []
    for name in training.losses:
        loss = make(name, temperature=training.temperature, gain=training.gain)
        for seed in range(training.first_seed, training.first_seed + training.seeds):
            parts = lists(split.train), lists(split.valid), y, training, digest
            jobs.append(TrainingJob(f"{name}-{seed}", loss, seed, *parts))
    return jobs


def _member(request: LtrRequest, maker: Maker, job: TrainingJob, progress: Progress) -> Trained:
    """Train a member, or take a finished one from an earlier start."""
    checkpoint = request.partial / f"{job.name}.checkpoint"
    learner: Learner = maker.learner(job)

    def tick(done: int, most: int) -> None:
        progress(job.name, done, most)

    weights, passed = train_member(learner, job, checkpoint, tick)
    scores = learner.scores(np.arange(len(job.y)))
    return Trained(job.name, weights, passed, scores)


def _figures(
    plan: TrainingPlan, scored: Scored, split: Split, trained: list[Trained]
) -> tuple[ListwiseRow, ...]:
    test = split.test
    if not len(test):
        return ()
    labels, topics = scored.scores[test], scored.topics[test]
    found = [row(one.name, one.scores[test], labels, topics) for one in trained]
    if len(trained) > 1:
        both = ensemble([one.scores[test] for one in trained], topics, plan.training.scaling)
        found.append(row("ensemble", both, labels, topics))
    words = np.array([len(scored.texts[i].split()) for i in test], np.float64)
    found.append(row("number of words", words, labels, topics))
    return tuple(found)


def _to_quality(scored: Scored, split: Split, trained: list[Trained]) -> Arrays:
    """How scores become Q: each member's mean and deviation, the line to the label in [0, 1].

    Both are of the arguments for training and validation; test topics stay unseen. A line that
    falls would turn the order round, and is level instead.
    """
    seen = np.concatenate([split.train, split.valid])
    s = np.array([one.scores[seen] for one in trained])
    deviation = s.std(axis=1)
    spread = np.array([s.mean(axis=1), np.where(deviation > 0, deviation, 1.0)])
    x = ((s - spread[0][:, None]) / spread[1][:, None]).mean(axis=0)
    y = minmax(scored.scores[seen], 0.5)
    varied = float(x.var())
    b = max(0.0, float(np.mean((x - x.mean()) * (y - y.mean()))) / varied) if varied else 0.0
    return {"spread": spread, "line": np.array([float(y.mean()) - b * float(x.mean()), b])}


def _finish(
    request: LtrRequest,
    scored: Scored,
    split: Split,
    maker: Maker,
    trained: list[Trained],
    rows: tuple[ListwiseRow, ...],
) -> LtrResult:
    plan, aside = request.plan, request.partial / "finished"
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    arrays = _to_quality(scored, split, trained) | maker.write(aside, trained)
    LTR.write(aside / HEADS, {}, arrays)
    topics = {part: len(np.unique(scored.topics[getattr(split, part)])) for part in _PARTS}
    card = {
        "kind": maker.kind,
        **maker.describe(),
        **plan.to_dict(),
        "members": [
            {
                "name": one.name,
                "epochs": one.passed.epoch,
                "best epoch": one.passed.best_epoch,
                "validation": one.passed.history,
            }
            for one in trained
        ],
        "corpus": {
            "name": scored.name,
            "sha256": scored.sha256,
            "arguments": len(scored.texts),
            "topics": topics,
        },
        "software": software(*maker.libraries),
        "figures": [asdict(row) for row in rows],
    }
    finish_folder(aside, request.out, card)
    shutil.rmtree(request.partial)
    digest = checksum(request.out / "model.json")
    return LtrResult(request.out, digest, len(scored.texts), len(scored.topic_names), rows)


_PARTS = ("train", "valid", "test")
