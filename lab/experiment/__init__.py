"""Run experiments: one TOML file names corpora, systems, and topics; tables and plots result."""

from argsearch.lab.experiment.experiment import Outcome, run_experiment
from argsearch.lab.experiment.plan import ExperimentError, ExperimentPlan, read_plan

__all__ = ["ExperimentError", "ExperimentPlan", "Outcome", "read_plan", "run_experiment"]
