"""Evaluation of runs: measures with intervals, paired tests, what changed between two runs."""

from engine.evaluation.comparison import Comparison, Move, TopicDiff, diff
from engine.evaluation.lab import Evaluation, Options, Score, evaluate, load_qrels, load_runs
from engine.evaluation.measures import DEFAULT_MEASURES, parse_measures
from engine.evaluation.tables import FORMATS, render

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
