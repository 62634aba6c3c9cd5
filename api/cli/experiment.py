"""`argsearch experiment`: corpora × systems × topics × judgements from one file to tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from argsearch.api.cli import options, terminal

FORMATS = ("table", "markdown", "latex", "csv")
_EPILOG = "Example: argsearch experiment configs/experiments/sample.toml --out results"
_Format = Annotated[
    str, typer.Option("--format", metavar="|".join(FORMATS), help="How the tables are printed.")
]


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
        Path,
        typer.Option(
            "--cache", metavar="DIR", help="Folder of indexes and runs that are used again."
        ),
    ] = Path(".cache/experiments"),
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute everything anew, use nothing of the cache.")
    ] = False,
    form: _Format = "table",
    workers: options.Workers = None,
    quiet: options.Quiet = False,
) -> None:
    """Run an experiment: indexes, runs, evaluations, tables and plots, from one TOML file."""
    from argsearch.indexer.errors import InvalidParameter
    from argsearch.lab.experiment.plan import find
    from argsearch.lab.reproduction import is_reproduction

    if form not in FORMATS:
        raise InvalidParameter("--format", form, ", ".join(FORMATS))
    if workers is not None and workers < 1:
        raise InvalidParameter("--workers", workers, "a whole number from 1")
    path = find(file)
    request = _Request(path, out, cache, fresh, workers, quiet)
    shown, files = (_reproduced if is_reproduction(path) else _ran)(request, form)
    terminal.say("\n".join(f"wrote {written}" for written in files), quiet=quiet or not files)
    sys.stdout.write(shown)


@dataclass(frozen=True)
class _Request:
    """What the command line asks for."""

    path: Path
    out: Path | None
    cache: Path
    fresh: bool
    workers: int | None
    quiet: bool


def _ran(request: _Request, form: str) -> tuple[str, Sequence[Path]]:
    """The tables of an experiment, and the files it wrote."""
    from argsearch.lab.experiment import read_plan, run_experiment
    from argsearch.lab.experiment.cache import Cache
    from argsearch.lab.experiment.report import SHOW, values_csv
    from argsearch.lab.experiment.sweep_tables import sweep_csv

    with terminal.Progress("done", quiet=request.quiet) as progress:
        outcome = run_experiment(
            read_plan(request.path),
            out=request.out,
            cache=Cache(request.cache, fresh=request.fresh),
            workers=request.workers,
            observer=progress,
        )
    if form == "csv":
        shown = values_csv(outcome.groups, per_topic=False) or sweep_csv(outcome.maps)
    else:
        shown = "\n".join(SHOW[form](grid) for s in outcome.sections for grid in s.grids)
    return shown, outcome.files


def _reproduced(request: _Request, form: str) -> tuple[str, Sequence[Path]]:
    """Published tables made again; files only where --out asks for them."""
    from argsearch.lab.experiment.report import SHOW, write_grids
    from argsearch.lab.reproduction import reproduce

    grids = reproduce(request.path)
    files = write_grids(request.out, grids) if request.out else []
    return "\n".join(map(SHOW[form], grids)), files
