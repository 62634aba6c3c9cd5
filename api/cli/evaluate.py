"""`argsearch evaluate` and `experiment`: tables of measures from judgements and runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from argsearch.api.cli import terminal
from argsearch.api.cli.options import Quiet, Workers, argument, choice, named, option, within

FORMATS = ("table", "json", "csv", "markdown", "latex")


def evaluate(
    qrels: Path = argument("QRELS", "Judgements: qid 0 docid grade."),
    runs: list[Path] = argument("RUN...", "Run files; the others are compared with the first."),
    more: list[str] | None = option(
        "--qrels NAME=FILE", "Further judgements, such as quality=q.qrels; repeatable.", None
    ),
    in_corpus: str | None = option(
        "--in-corpus INDEX", "Ignore judgements of documents that this index lacks.", None
    ),
    measures: str = option(
        "--measures NAMES",
        "Measures: names from ir-measures, or znDCG@k.",
        "nDCG@5 nDCG@10 Judged@10",
    ),
    judged_only: bool = option(
        "--judged-only", "First remove unjudged documents from the rankings.", False
    ),
    per_topic: bool = option("--per-topic", "Also show values and changes for each topic.", False),
    all_pairs: bool = option(
        "--all-pairs", "Compare every pair of runs, not each run with the first.", False
    ),
    depth: int = within("--diff K", 0, 1_000_000, "Compare the first K documents; 0 for none.", 10),
    seed: int = within("--seed", 0, None, "Seed of intervals and randomisation tests.", 0),
    form: str = choice("--format", FORMATS, "Format of the tables.", "table"),
    quiet: Quiet = False,
) -> None:
    """Evaluate run files: measures with 95 % intervals, paired tests, and changes between runs.

    Example: argsearch evaluate touche.qrels dirichlet.txt heimdall.txt.gz
    --measures 'nDCG@5 P(rel=2)@10' --judged-only --format markdown
    """
    from argsearch.engine import Engine
    from argsearch.lab.evaluation import Options, diff, judged_name, load_qrels, load_runs, render
    from argsearch.lab.evaluation import evaluate as run_evaluation

    wanted = Options(measures, judged_only=judged_only, all_pairs=all_pairs, seed=seed)
    first = judged_name(qrels)
    others = named("--qrels", more, f"NAME=FILE with an unused NAME; `{first}` is taken", first)
    files = {first: qrels, **{name: Path(file) for name, file in others.items()}}
    with ExitStack() as stack:
        index = stack.enter_context(Engine.open(in_corpus)) if in_corpus else None
        judged = load_qrels(files, index)
    ranked = load_runs(runs)
    evaluation = run_evaluation(judged, ranked, wanted)
    for remark in evaluation.remarks:
        terminal.say(f"note: {remark}", quiet=quiet)
    grades = next(iter(judged.values())).grades
    pairs = wanted.pairs(evaluation.runs) if depth else []
    diffs = {(a, b): diff(ranked[a], ranked[b], grades, depth) for a, b in pairs}
    sys.stdout.write(render(evaluation, form, per_topic, diffs))


def experiment(
    file: str = argument("FILE.toml", "The experiment: a file, or the name of a shipped one."),
    out: Path | None = option(
        "--out DIR", "Folder for the results; experiments/NAME by default.", None
    ),
    cache: Path = option(
        "--cache DIR", "Folder of indexes and runs to reuse.", Path(".cache/experiments")
    ),
    fresh: bool = option("--fresh", "Compute everything again and ignore the cache.", False),
    form: str = choice(
        "--format", ("table", "markdown", "latex", "csv"), "Format of the tables.", "table"
    ),
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Run an experiment from one TOML file: indexes, runs, evaluations, and tables.

    Example: argsearch experiment configs/experiments/sample.toml --out results
    """
    from argsearch.lab.evaluation.tables import WRITERS
    from argsearch.lab.experiment import read_plan, run_experiment
    from argsearch.lab.experiment.cache import Cache
    from argsearch.lab.experiment.output import OutputFolder
    from argsearch.lab.experiment.plan import find, read_toml
    from argsearch.lab.experiment.report import values_csv, write_grids
    from argsearch.lab.experiment.sweep import sweep_csv
    from argsearch.lab.reproduction import reproduce

    path, shown = find(file), ""
    files: Sequence[Path]
    # A reproduction is read, not run: it writes files only if a folder is given.
    if "reproduction" in (content := read_toml(path)):
        grids = reproduce(path, content)
        files = write_grids(OutputFolder(out), grids) if out else []
    else:
        kept = Cache(cache, fresh=fresh)
        with terminal.Progress("done", quiet=quiet) as progress:
            outcome = run_experiment(
                read_plan(path), out=out, cache=kept, workers=workers, observer=progress
            )
        grids = [grid for section in outcome.sections for grid in section.grids]
        files = outcome.files
        if form == "csv":
            shown = values_csv(outcome.groups, per_topic=False) or sweep_csv(outcome.maps)
    shown = shown or "\n".join(map(WRITERS[form], grids))
    terminal.say("\n".join(f"wrote {written}" for written in files), quiet=quiet or not files)
    sys.stdout.write(shown)
