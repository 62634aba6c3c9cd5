"""Experiments: corpora × systems × topics × judgements from one TOML file to tables and plots."""

from engine.experiment.indexes import Indexing
from engine.experiment.lab import Outcome, run_experiment
from engine.experiment.plan import ExperimentError, Plan, read_plan

__all__ = ["ExperimentError", "Indexing", "Outcome", "Plan", "read_plan", "run_experiment"]
