"""Evaluate an experiment's runs for each corpus, topic set, and value of `judged_only`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter

from argsearch.engine.engine import Engine
from argsearch.indexer.model_files import checksum
from argsearch.lab.evaluation import (
    Comparison,
    Evaluation,
    Options,
    Score,
    evaluate,
    within,
)
from argsearch.lab.experiment.cache import Cache, digest, software
from argsearch.lab.experiment.plan import ExperimentPlan, TopicSet
from argsearch.lab.runs import Qrels, read_qrels

MODES = {False: "all", True: "judged only"}
"""Description of each value of `judged_only`."""


@dataclass(frozen=True, slots=True)
class JudgedTopics:
    """Judgements of a topic set by name, and a digest of their content."""

    qrels: Mapping[str, Qrels]
    key: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultGroup:
    """Results for one corpus (or none, with an empty name) and topic set, by `judged_only`."""

    corpus: str
    topics: str
    judged: JudgedTopics
    evaluations: Mapping[bool, Evaluation]
    """Values per topic, averaged over the seeds of k-means."""
    spread: Mapping[tuple[bool, str, str, str], float]
    """Standard deviation of the mean over seeds, by (judged_only, judgements, run, measure)."""
    runs: Mapping[str, Path]
    """Run files of the first seed, by name."""
    remarks: tuple[str, ...] = ()


def read_judgements(topics: TopicSet, engine: Engine | None, plan: ExperimentPlan) -> JudgedTopics:
    """Read a topic set's judgements; if `in_corpus` is set, only for documents in the corpus."""
    index = engine if plan.setup.in_corpus else None
    qrels, remarks, parts = {}, [], {}
    for name, source in topics.qrels.items():
        read, path = read_qrels(source), Path(source)
        # Identify files by content, so that a corrected file with the same name is noticed.
        parts[name] = checksum(path)
        # Remarks name the file without its folder, since folders differ between machines.
        said = [remark.removeprefix(str(path.parent)).lstrip("/") for remark in read.remarks]
        qrels[name] = replace(read, path=path.name, remarks=said)
        if index is not None:
            kept = within(qrels[name], index, name)
            remarks.append(kept.remarks[-1])
            qrels[name] = replace(kept, remarks=said)
    key = digest({"qrels": parts, "within": index.info.fingerprint if index else ""})
    return JudgedTopics(qrels, key, tuple(remarks))


def evaluate_runs(
    runs: Mapping[str, Path],
    keys: Mapping[str, str],
    judged: JudgedTopics,
    wanted: Options,
    cache: Cache,
) -> Evaluation:
    """Evaluate runs, or return the cached evaluation. runs, keys: paths and digests by name."""
    key = digest(
        {
            "runs": list(keys.items()),
            "qrels": judged.key,
            "names": list(judged.qrels),
            "options": asdict(wanted),
            "software": software("lab/evaluation", "lab/runs", "ranking/evaluation"),
        }
    )
    if (found := cache.read("evaluations", key)) is not None:
        return TypeAdapter(Evaluation).validate_python(found)
    evaluation = evaluate(judged.qrels, runs, wanted)
    cache.write("evaluations", key, asdict(evaluation))
    return evaluation


def averaged(evaluations: Sequence[Evaluation]) -> Evaluation:
    """Return the average of evaluations of the same runs, topic by topic.

    Intervals and tests are computed from the per-topic averages.
    """
    first = evaluations[0]
    if len(evaluations) == 1:
        return first
    same = zip(*(each.scores for each in evaluations), strict=True)
    scores = [_score(each, first.options) for each in same]
    # Each seed repeats the remarks on files, so keep each remark once.
    remarks = dict.fromkeys(remark for each in evaluations for remark in each.remarks)
    found = replace(first, scores=tuple(scores), comparisons=(), remarks=list(remarks))
    families = dict.fromkeys((item.judgements, item.measure) for item in first.comparisons)
    compared: list[Comparison] = []
    for name, measure in families:
        values = {run: found.score(run, measure, name).topics for run in found.runs}
        compared += found.options.compare(name, measure, values)
    return replace(found, comparisons=tuple(compared))


def _score(scores: Sequence[Score], options: Options) -> Score:
    topics = {
        query: float(np.mean([each.topics[query] for each in scores])) for query in scores[0].topics
    }
    defined = [value for value in topics.values() if not math.isnan(value)]
    # Average the seeds' own aggregates. For a count, an aggregate is the sum over topics.
    value = float(np.mean([score.value for score in scores]))
    low, high = scores[0].low, scores[0].high
    if low is not None and defined:
        low, high = options.interval(defined)
    return replace(scores[0], value=value, low=low, high=high, topics=topics)


def spread(evaluations: Sequence[Evaluation]) -> dict[tuple[str, str, str], float]:
    """Return the value's standard deviation over evaluations, by (judgements, run, measure)."""
    return {
        (score.judgements, score.run, score.measure): float(
            np.std([each.scores[i].value for each in evaluations])
        )
        for i, score in enumerate(evaluations[0].scores)
    }
