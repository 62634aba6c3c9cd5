"""Evaluation of runs: measures with intervals, paired tests, and differences between two runs."""

from argsearch.lab.evaluation.evaluating import (
    Comparison,
    Evaluation,
    Move,
    Options,
    Score,
    diff,
    evaluate,
    judged_name,
    load_qrels,
    load_runs,
    within,
)
from argsearch.lab.evaluation.measures import parse_measures
from argsearch.lab.evaluation.tables import FORMATS, render

__all__ = [
    "FORMATS",
    "Comparison",
    "Evaluation",
    "Move",
    "Options",
    "Score",
    "diff",
    "evaluate",
    "judged_name",
    "load_qrels",
    "load_runs",
    "parse_measures",
    "render",
    "within",
]
