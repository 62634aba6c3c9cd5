"""Experiments: corpora × systems × topics × judgements from one TOML file to tables and plots."""

from engine.lab.experiment.conducting import Outcome, run_experiment
from engine.lab.experiment.indexes import Indexing
from engine.lab.experiment.plan import ExperimentError, Plan, read_plan

__all__ = ["ExperimentError", "Indexing", "Outcome", "Plan", "read_plan", "run_experiment"]
