"""Listwise training: from a configuration to a model folder and metrics (`argsearch train ltr`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.model_files import LTR, check_model_folder
from argsearch.indexer.quality.listwise import HEADS_FILE
from argsearch.indexer.staging import scratch_folder
from argsearch.lab.judgements.scored import CORPORA, SPLITS, Scored, labelled
from argsearch.lab.training.listwise.learners import (
    Arrays,
    Floats,
    Items,
    Learner,
    make_learner,
)
from argsearch.lab.training.listwise.loop import Trained, TrainingJob, train_member
from argsearch.lab.training.listwise.settings import TrainingPlan
from argsearch.lab.training.shape import TrainedModel, markdown, silent, software
from argsearch.ranking.ltr.lists import by_topic, dense_ranks, ensemble, topic_lists
from argsearch.ranking.ltr.losses import make
from argsearch.ranking.ltr.measures import DEPTHS, GAINS, correlations, ndcg
from argsearch.ranking.numbers import minmax

Progress = Callable[[str, int, int], None]
"""Callback that receives the model's name, the number of steps done, and the maximum."""

_METRIC_NAMES = {"exponential": "nDCG@{} 2^rank", "linear": "nDCG@{} score"}


@dataclass(frozen=True, slots=True)
class ListwiseRow:
    """Figures of one model, each the mean over the test topics.

    F22's nDCG uses the gain 2^rel − 1 (its Eq. 3.14); here rel is the dense rank within the topic.
    A second nDCG uses the labels, scaled to [0, 1] within the topic, as gains.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "model",
        "Pearson",
        "Spearman",
        "tau-b",
        *(_METRIC_NAMES[gain].format(k) for gain in GAINS for k in DEPTHS),
    )

    model: str
    figures: tuple[float, ...]

    @classmethod
    def of(cls, model: str, s: Floats, labels: Floats, topics: Items) -> ListwiseRow:
        """Compute the metrics of scores s [n] against labels [n], averaged over the topics [n]."""
        found = []
        for own in (topics == topic for topic in np.unique(topics)):
            ranked = dense_ranks(labels[own]).astype(np.float64)
            gained = ("exponential", ranked), ("linear", minmax(labels[own], 1.0))
            at_depths = [ndcg(s[own], y, k, gain) for gain, y in gained for k in DEPTHS]
            found.append([*correlations(s[own], labels[own]), *at_depths])
        means = (float(np.mean(column)) for column in zip(*found, strict=True))
        return cls(model, tuple(means))


def read_source(plan: TrainingPlan) -> Scored:
    """Read a plan's corpus, with its labels; raise InvalidParameter or JudgementsError."""
    source = Path(plan.data.source).expanduser()
    places = [plan.folder / source]
    if os.environ.get("ARGSEARCH_DATA"):
        places.insert(0, Path(os.environ["ARGSEARCH_DATA"]) / source)
    found = next((place for place in places if place.exists()), None)
    if not plan.data.source or found is None:
        allowed = "a file or folder in ARGSEARCH_DATA, or beside the configuration"
        raise InvalidParameter("data.source", plan.data.source, allowed)
    return labelled(CORPORA[plan.data.corpus](found), plan.data.labels, plan.data.prior)


def train_ltr(plan: TrainingPlan, out: Path, tell: Progress = silent) -> TrainedModel:
    """Train every loss with every seed, write the model folder, and return the metrics.

    Raises InvalidParameter, JudgementsError, MissingExtra, and ArgsearchError.
    """
    from threadpoolctl import threadpool_limits

    check_model_folder(out)
    data = plan.data
    scored = read_source(plan)
    split = split_topics(scored, data.split, data.valid_topics, data.test_topics, data.seed)
    # Beside the model, because a folder can be renamed only on its own disk; made before the
    # training, so that a place without permission is an error at once.
    place = scratch_folder(f".{out.resolve().name}.", out.resolve().parent)
    # A single thread gives the same bits on any number of cores.
    with place as folder, threadpool_limits(1):
        learner = make_learner(plan, scored, split.train)
        trained = []
        for job in _jobs(plan, scored, split):
            weights, passed = train_member(learner, job, partial(tell, job.name))
            scores = learner.scores(np.arange(len(job.y)))
            trained.append(Trained(job.name, weights, passed, scores))
        rows = _figures(plan, scored, split, trained)
        members = _members(plan, trained)
        aside = folder / "model"
        aside.mkdir()
        arrays = _to_quality(scored, split, members)
        arrays |= learner.write(aside, {one.name: one.weights for one in members})
        LTR.write(aside / HEADS_FILE, {}, arrays)
        digest = LTR.finish_folder(aside, out, _card(plan, scored, split, learner, members, rows))
    told = f"{len(scored.texts):,} arguments on {len(scored.topic_names)} topics"
    return TrainedModel(out, digest, told, rows, (_table(rows),))


def _table(rows: Sequence[ListwiseRow]) -> str:
    """Format the figures as a Markdown table; seeds of the same loss are averaged."""
    losses: dict[str, list[ListwiseRow]] = {}
    for one in rows:
        loss, _, seed = one.model.rpartition("-")
        losses.setdefault(loss if seed.isdigit() else one.model, []).append(one)
    shown = []
    for name, some in losses.items():
        means = np.mean([one.figures for one in some], axis=0).tolist()
        said = some[0].model if len(some) == 1 else f"{name}, mean of {len(some)} seeds"
        shown.append((said, *(f"{value:.3f}" for value in means)))
    return markdown(ListwiseRow.COLUMNS, shown)


@dataclass(frozen=True, slots=True)
class Split:
    """Positions of arguments, int64 each; no topic is in two parts."""

    train: Items
    valid: Items
    test: Items


def split_topics(scored: Scored, how: str, valid: int, test: int, seed: int) -> Split:
    """Split by topics: `valid` and `test` random topics, and the rest for training.

    `published` uses the corpus' own parts; missing validation topics are drawn from the training
    part. Raises InvalidParameter if nothing remains to train on, or the corpus has no published
    test part.
    """
    parts = np.array(scored.parts)
    if how == "published" and not (parts == "test").any():
        raise InvalidParameter("data.split", how, f"topics; {scored.name} has no test part")
    if how == "topics":
        parts = np.full(len(parts), "train", dtype="<U5")
        drawn = np.random.default_rng(seed).permutation(len(parts))
        parts[drawn[:test]] = "test"
    if not (parts == "valid").any():
        free = np.flatnonzero(parts == "train")
        # A different seed from that of the test topics.
        parts[np.random.default_rng((seed, 1)).permutation(free)[:valid]] = "valid"
    found = [np.flatnonzero(parts[scored.topics] == part) for part in SPLITS]
    if not len(found[0]):
        allowed = f"fewer in total than the {len(parts)} topics in {scored.name}"
        raise InvalidParameter("data.valid_topics, data.test_topics", (valid, test), allowed)
    return Split(*found)


def _jobs(plan: TrainingPlan, scored: Scored, split: Split) -> list[TrainingJob]:
    training = plan.training

    def target(own: Floats) -> Floats:
        """Return the labels for one topic's scores."""
        if training.target == "score":
            return own
        ranks = dense_ranks(own)
        return ranks / ranks.max() if training.target == "unit" else ranks.astype(np.float64)

    def lists(items: Items) -> list[Items]:
        found = topic_lists(scored.scores[items], scored.topics[items], training.length)
        return [items[some] for some in found]

    y, jobs = by_topic(scored.scores, scored.topics, target), []
    for name in training.losses:
        loss = make(name, temperature=training.temperature, gain=training.gain)
        for seed in range(training.first_seed, training.first_seed + training.seeds):
            parts = lists(split.train), lists(split.valid), y, plan.of(name)
            jobs.append(TrainingJob(f"{name}-{seed}", loss, seed, *parts))
    return jobs


def _members(plan: TrainingPlan, trained: list[Trained]) -> list[Trained]:
    """Return the models of the ensemble."""
    of = plan.training.ensemble or plan.training.losses
    return [one for one in trained if one.name.rpartition("-")[0] in of]


def _figures(
    plan: TrainingPlan, scored: Scored, split: Split, trained: list[Trained]
) -> tuple[ListwiseRow, ...]:
    test = split.test
    if not len(test):
        return ()
    labels, topics = scored.scores[test], scored.topics[test]
    found = [ListwiseRow.of(one.name, one.scores[test], labels, topics) for one in trained]
    members = _members(plan, trained)
    if len(members) > 1:
        both = ensemble([one.scores[test] for one in members], topics, plan.training.scaling)
        found.append(ListwiseRow.of("ensemble", both, labels, topics))
    words = np.array([len(scored.texts[i].split()) for i in test], np.float64)
    found.append(ListwiseRow.of("number of words", words, labels, topics))
    return tuple(found)


def _to_quality(scored: Scored, split: Split, trained: list[Trained]) -> Arrays:
    """Compute the mapping from scores to Q: the members' means and deviations, and a linear fit.

    The fit maps mean standardised scores to labels in [0, 1]; a negative slope, which would reverse
    the order, becomes 0. Test topics stay unseen: only training and validation arguments count.
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


def _card(
    plan: TrainingPlan,
    scored: Scored,
    split: Split,
    learner: Learner,
    trained: list[Trained],
    rows: tuple[ListwiseRow, ...],
) -> dict[str, Any]:
    topics = {part: len(np.unique(scored.topics[getattr(split, part)])) for part in SPLITS}
    return {
        "kind": learner.kind,
        **({"features": learner.features} if learner.features else {}),
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
        "software": software(*learner.libraries),
        "figures": [asdict(row) for row in rows],
    }
