"""Run an experiment: turn one TOML file with corpora, systems, and topics into tables."""

from argsearch.lab.experiment.experiment import Outcome, run_experiment
from argsearch.lab.experiment.plan import ExperimentError, ExperimentPlan, read_plan

__all__ = ["ExperimentError", "ExperimentPlan", "Outcome", "read_plan", "run_experiment"]
