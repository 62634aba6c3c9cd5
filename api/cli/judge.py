"""`argsearch judge`: pairwise judgements, with designs, scores and agreement."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from argsearch.api.cli import terminal
from argsearch.api.cli.options import Quiet, argument, choice, group, option, within
from argsearch.indexer.output import write_csv

Form = Annotated[str, choice("--format", ("csv", "json"), "Output format.")]


def design(
    items: Path = argument("ITEMS", "File with one item id per line."),
    groups: int = within("--groups K", 1, None, "Number of groups; 1 to 3 select all pairs.", 8),
    seed: int = within("--seed", 0, None, "Seed for shuffling.", 0),
    form: Form = "csv",
    quiet: Quiet = False,
) -> None:
    """Choose the pairs to judge, by a cyclic grouped design.

    Example: argsearch judge design items.txt --groups 8 > pairs.csv
    """
    from argsearch.lab.judgements import comparisons as judgements

    plan = judgements.design(judgements.read_items(items), groups, seed)
    terminal.say(
        f"{plan.items:,} items in {plan.groups:,} groups: {len(plan.pairs):,} pairs,"
        f" {plan.share:.1%} of all",
        quiet=quiet,
    )
    _write(form, ("first", "second"), plan.pairs)


def fit(
    comparisons: Path = argument("PAIRS", "CSV: first, second, outcome (A, B, tie)."),
    method: str = option("--method bradley-terry|winrate|elo", "Scoring method.", "bradley-terry"),
    lam: float = within("--lambda", 1e-6, 1e6, "Bradley-Terry: the regulariser, 1e-6 to 1e6.", 0.1),
    tau: float = within("--tau", 1e-6, 10.0, "Bradley-Terry: tie threshold, 1e-6 to 10.", 0.05),
    prior: float = within(
        "--prior", 0.0, 1e6, "WinRate: number of comparisons added for shrinkage, at most 1e6.", 0.0
    ),
    k: float = within("--k", 1e-6, 1e6, "Elo: the largest step, 1e-6 to 1e6.", 32.0),
    delta: float = within("--delta", 1e-6, 1e6, "Elo: the scale of ratings, 1e-6 to 1e6.", 400.0),
    form: Form = "csv",
    quiet: Quiet = False,
) -> None:
    """Compute one score per item from pairwise judgements, best first.

    Example: argsearch judge fit judged-pairs.csv --method bradley-terry > scores.csv
    """
    from argsearch.lab.judgements import comparisons as judgements

    wanted = judgements.FitOptions(method, lam, tau, prior, k, delta)
    fitted = judgements.fit(judgements.read_comparisons(comparisons), wanted)
    if fitted.convergence:
        terminal.say(fitted.convergence, quiet=quiet)
    if fitted.components > 1:
        terminal.say(
            f"note: {fitted.components} groups of items are not connected by any comparison;"
            " compare scores only within a group (column `component`)",
            quiet=quiet,
        )
    columns = (fitted.ids, fitted.scores, fitted.wins, fitted.losses, fitted.ties, fitted.component)
    rows = sorted(zip(*columns, strict=True), key=lambda row: (-row[1], row[0]))
    _write(form, ("id", "score", "wins", "losses", "ties", "component"), rows)


def agreement(
    votes: Path = argument("VOTES", "CSV file with a header and one vote per row."),
    unit: list[str] = option("--unit COLUMN", "The items voted on; repeatable.", ...),
    label: str = option("--label COLUMN", "The vote.", ...),
    annotator: str | None = option("--annotator COLUMN", "The voter (for Cohen's kappa).", None),
    form: Form = "csv",
    quiet: Quiet = False,
) -> None:
    """Measure annotator agreement: Krippendorff's alpha, Fleiss' kappa and Cohen's kappa.

    Example: argsearch judge agreement votes.csv --unit 'Discussion ID' --unit 'Argument ID'
    --label Relevance
    """
    from argsearch.lab.judgements import comparisons as judgements

    read = judgements.read_votes(votes, unit, label, annotator)
    terminal.say(f"{len(read.labels):,} votes on {len(set(read.units)):,} units", quiet=quiet)
    _write(form, ("coefficient", "value"), list(judgements.agreement(read).items()))


def _write(form: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    # JSON has no NaN, so unknown values are null there and empty cells in CSV.
    known = [[None if value != value else value for value in row] for row in rows]
    if form == "json":
        plain = [dict(zip(header, row, strict=True)) for row in known]
        sys.stdout.write(json.dumps(plain, indent=2) + "\n")
    else:
        write_csv(sys.stdout, [header, *known])


judge = group(
    "Pairwise judgements: designs, scores from judgements, annotator agreement.",
    design,
    fit,
    agreement,
)
"""The command group."""
