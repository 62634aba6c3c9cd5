"""`argsearch experiment`: corpora × systems × topics × judgements from one file to tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from argsearch.api.cli import terminal
from argsearch.api.cli.options import Quiet, Workers, argument, choice, option

FORMATS = ("table", "markdown", "latex", "csv")


def experiment(
    file: str = argument("FILE.toml", "The experiment, or a shipped one's name."),
    out: Path | None = option(
        "--out DIR", "Folder of the results; experiments/NAME by default.", None
    ),
    cache: Path = option(
        "--cache DIR",
        "Folder of indexes and runs that are used again.",
        Path(".cache/experiments"),
    ),
    fresh: bool = option("--fresh", "Compute everything anew, use nothing of the cache.", False),
    form: str = choice("--format", FORMATS, "How the tables are printed.", "table"),
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Run an experiment: indexes, runs, evaluations, tables and plots, from one TOML file.

    Example: argsearch experiment configs/experiments/sample.toml --out results
    """
    from argsearch.lab.experiment import read_plan, run_experiment
    from argsearch.lab.experiment.cache import Cache
    from argsearch.lab.experiment.plan import find
    from argsearch.lab.experiment.report import SHOW, values_csv, write_grids
    from argsearch.lab.experiment.sweep import sweep_csv
    from argsearch.lab.reproduction import is_reproduction, reproduce

    path = find(file)
    files: Sequence[Path]
    if is_reproduction(path):  # published tables made again; files only where they are asked for
        grids = list(reproduce(path))
        files = write_grids(out, grids) if out else []
    else:
        kept = Cache(cache, fresh=fresh)
        with terminal.Progress("done", quiet=quiet) as progress:
            outcome = run_experiment(
                read_plan(path), out=out, cache=kept, workers=workers, observer=progress
            )
        grids = [grid for section in outcome.sections for grid in section.grids]
        files = outcome.files
    if form == "csv" and not is_reproduction(path):
        shown = values_csv(outcome.groups, per_topic=False) or sweep_csv(outcome.maps)
    else:
        shown = "\n".join(map(SHOW[form], grids))
    terminal.say("\n".join(f"wrote {written}" for written in files), quiet=quiet or not files)
    sys.stdout.write(shown)
