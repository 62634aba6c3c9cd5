"""`argsearch experiment`: corpora × systems × topics × judgements from one file to tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli import options, terminal

if TYPE_CHECKING:
    from engine.experiment import Outcome

FORMATS = ("table", "markdown", "latex", "csv")
_EPILOG = "Example: argsearch experiment configs/experiments/sample.toml --out results"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EPILOG)(experiment)


def experiment(
    file: Annotated[
        str, typer.Argument(metavar="FILE.toml", help="The experiment, or a shipped one's name.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder of the results; experiments/NAME by default."
        ),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache",
            metavar="DIR",
            help="Folder of indexes and runs that are used again; .cache/experiments by default.",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute everything anew, use nothing of the cache.")
    ] = False,
    form: Annotated[
        str,
        typer.Option("--format", metavar="|".join(FORMATS), help="How the tables are printed."),
    ] = "table",
    workers: options.Workers = None,
    quiet: options.Quiet = False,
) -> None:
    """Run an experiment: indexes, runs, evaluations, tables and plots, from one TOML file."""
    from api.experiment import run_experiment
    from indexer.errors import InvalidParameter

    if form not in FORMATS:
        raise InvalidParameter("--format", form, ", ".join(FORMATS))
    with terminal.Progress("done", quiet=quiet) as progress:
        outcome = run_experiment(
            file, out=out, cache=cache, fresh=fresh, workers=workers or 1, observer=progress
        )
    for path in outcome.files:
        terminal.say(f"wrote {path}", quiet=quiet)
    sys.stdout.write(_tables(outcome, form))


def _tables(outcome: Outcome, form: str) -> str:
    from engine.experiment.report import SHOW, values_csv
    from engine.experiment.sweep_tables import sweep_csv

    if form == "csv":
        return values_csv(outcome.groups, per_topic=False) or sweep_csv(outcome.maps)
    return "\n".join(SHOW[form](grid) for s in outcome.sections for grid in s.grids)
