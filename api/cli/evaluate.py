"""`argsearch evaluate`: judgements and runs in, a table of measures out."""

from __future__ import annotations

import sys
from pathlib import Path

from argsearch.api.cli import terminal
from argsearch.api.cli.options import Quiet, argument, choice, option, within
from argsearch.indexer.errors import InvalidParameter

FORMATS = ("table", "json", "csv", "markdown", "latex")


def evaluate(
    qrels: Path = argument("QRELS", "Judgements: qid 0 docid grade."),
    runs: list[Path] = argument("RUN...", "Run files; the first is the one compared with."),
    more: list[str] | None = option(
        "--qrels NAME=FILE", "Further judgements, such as quality=q.qrels; may be repeated.", None
    ),
    measures: str = option(
        "--measures NAMES",
        "Measures by ir-measures' names, and znDCG@k.",
        "nDCG@5 nDCG@10 Judged@10",
    ),
    judged_only: bool = option(
        "--judged-only", "Drop unjudged documents from the rankings first.", False
    ),
    per_topic: bool = option("--per-topic", "Show every topic's values and changes too.", False),
    all_pairs: bool = option(
        "--all-pairs", "Compare every two runs, not each with the first.", False
    ),
    depth: int = within("--diff K", 0, 1_000_000, "Top documents to compare; 0 for none.", 10),
    seed: int = option("--seed", "Seed of intervals and randomisation tests.", 0),
    form: str = choice("--format", FORMATS, "How to write the tables.", "table"),
    quiet: Quiet = False,
) -> None:
    """Evaluate run files: measures with 95 % intervals, paired tests, what changed between runs.

    Example: argsearch evaluate touche.qrels dirichlet.txt heimdall.txt.gz
    --measures 'nDCG@5 P(rel=2)@10' --judged-only --format markdown
    """
    from argsearch.lab.evaluation import Options, diff, load_qrels, load_runs, render
    from argsearch.lab.evaluation import evaluate as run_evaluation

    wanted = Options(measures, judged_only=judged_only, all_pairs=all_pairs, seed=seed)
    judged = load_qrels({"relevance": qrels, **_named(more or [])})
    ranked = load_runs(runs)
    evaluation = run_evaluation(judged, ranked, wanted)
    for remark in evaluation.remarks:
        terminal.say(f"note: {remark}", quiet=quiet)
    grades = next(iter(judged.values())).grades
    pairs = evaluation.pairs() if depth else []
    diffs = {(a, b): diff(ranked[a], ranked[b], grades, depth) for a, b in pairs}
    sys.stdout.write(render(evaluation, form, per_topic, diffs))


def _named(pairs: list[str]) -> dict[str, Path]:
    named = {}
    for pair in pairs:
        name, equals, path = pair.partition("=")
        if not (name and equals and path) or name == "relevance" or name in named:
            raise InvalidParameter("--qrels", pair, "NAME=FILE, each name once, not `relevance`")
        named[name] = Path(path)
    return named
