"""Evaluations under several seeds of k-means as one: every topic's value is their mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from argsearch.lab.evaluation import Evaluation, Score
from argsearch.lab.evaluation.comparison import Comparison, compare, correct
from argsearch.ranking.evaluation.significance import bootstrap_interval


def averaged(evaluations: Sequence[Evaluation]) -> Evaluation:
    """One evaluation whose topic values are means over `evaluations` of the same runs by name.

    Intervals and tests are of these means over topics.
    """
    first = evaluations[0]
    if len(evaluations) == 1:
        return first
    scores = [
        _score([each.scores[i] for each in evaluations], first) for i in range(len(first.scores))
    ]
    remarks = dict.fromkeys(remark for each in evaluations for remark in each.remarks)
    found = replace(first, scores=tuple(scores), comparisons=(), remarks=list(remarks))
    families = dict.fromkeys((item.judgements, item.measure) for item in first.comparisons)
    compared = [item for family in families for item in _compared(found, *family)]
    return replace(found, comparisons=tuple(compared))


def _score(scores: Sequence[Score], evaluation: Evaluation) -> Score:
    topics = _topics([score.topics for score in scores])
    defined = [value for value in topics.values() if not math.isnan(value)]
    value = float(np.mean([score.value for score in scores]))
    options, low, high = evaluation.options, scores[0].low, scores[0].high
    if low is not None and defined:
        interval = bootstrap_interval(defined, options.samples, options.level, options.seed)
        low, high = interval.low, interval.high
    return replace(scores[0], value=value, low=low, high=high, topics=topics)


def _topics(values: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {query: float(np.mean([each[query] for each in values])) for query in values[0]}


def _compared(evaluation: Evaluation, judgements: str, measure: str) -> list[Comparison]:
    options = evaluation.options
    return correct(
        [
            compare(
                (judgements, measure, first, second),
                evaluation.score(first, measure, judgements).topics,
                evaluation.score(second, measure, judgements).topics,
                options.permutations,
                options.seed,
            )
            for first, second in evaluation.pairs()
        ]
    )


def spread(evaluations: Sequence[Evaluation]) -> dict[tuple[str, str, str], float]:
    """(judgements, run, measure) → standard deviation of the value over `evaluations`."""
    return {
        (score.judgements, score.run, score.measure): float(
            np.std([each.scores[i].value for each in evaluations])
        )
        for i, score in enumerate(evaluations[0].scores)
    }
