"""Evaluation of runs: measures with intervals, paired tests, what changed between two runs."""

from argsearch.lab.evaluation.comparison import Comparison, Move, TopicDiff, diff
from argsearch.lab.evaluation.evaluating import (
    Evaluation,
    Options,
    Score,
    evaluate,
    load_qrels,
    load_runs,
)
from argsearch.lab.evaluation.measures import DEFAULT_MEASURES, parse_measures
from argsearch.lab.evaluation.tables import FORMATS, render

__all__ = [
    "DEFAULT_MEASURES",
    "FORMATS",
    "Comparison",
    "Evaluation",
    "Move",
    "Options",
    "Score",
    "TopicDiff",
    "diff",
    "evaluate",
    "load_qrels",
    "load_runs",
    "parse_measures",
    "render",
]
