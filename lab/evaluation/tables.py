"""Formats an evaluation as an aligned table, JSON, CSV, Markdown, or LaTeX."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from operator import attrgetter
from typing import Any, get_args

from argsearch.indexer.errors import InvalidParameter, either
from argsearch.indexer.output import write_csv
from argsearch.lab.evaluation.evaluating import Change, Comparison, Evaluation, Score, TopicDiff

FORMATS = ("table", "json", "csv", "markdown", "latex")
Diffs = Mapping[tuple[str, str], Sequence[TopicDiff]]
_IN_OUT = ("entered", "left")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of strings with a caption; all columns but the first are right-aligned."""

    caption: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def render(
    evaluation: Evaluation,
    form: str = "table",
    per_topic: bool = False,
    diffs: Diffs | None = None,
) -> str:
    """Format the evaluation in one of FORMATS, with a final newline.

    With per_topic, the value of every topic is included. diffs: differences by (first run, second
    run); JSON lists them in full, CSV omits them, and other formats show counts (per topic with
    per_topic). Raises InvalidParameter for an unknown format.
    """
    if form not in FORMATS:
        raise InvalidParameter("format", form, either(FORMATS))
    if form == "json":
        return json.dumps(_plain(evaluation, per_topic, diffs or {}), indent=2) + "\n"
    if form == "csv":
        return csv_text(csv_rows(evaluation, per_topic))
    return "\n".join(map(WRITERS[form], _grids(evaluation, per_topic, diffs or {})))


def _grids(evaluation: Evaluation, per_topic: bool, diffs: Diffs) -> list[Grid]:
    grids = []
    for name in evaluation.judgements:
        grids.append(_means(evaluation, name))
        if evaluation.comparisons:
            grids.append(_tests(evaluation, name))
        if per_topic:
            grids += [_topics(evaluation, name, measure) for measure in evaluation.measures]
    if diffs:
        grids.append(_changes(diffs))
    return grids + [_moves(pair, topics) for pair, topics in diffs.items() if per_topic]


def _means(evaluation: Evaluation, name: str) -> Grid:
    options = evaluation.options
    topics = next(len(score.topics) for score in evaluation.scores if score.judgements == name)
    only = ", judged documents only" if options.judged_only else ""
    caption = f"{name}, {topics} topics{only} [{options.level:.0%} bootstrap interval]"
    rows = [
        (run, *(_cell(evaluation.score(run, m, name)) for m in evaluation.measures))
        for run in evaluation.runs
    ]
    return Grid(caption, ("run", *evaluation.measures), rows)


def _cell(score: Score) -> str:
    if score.low is None or score.high is None:
        return number(score.value)
    return f"{number(score.value)} [{number(score.low)}, {number(score.high)}]"


def _tests(evaluation: Evaluation, name: str) -> Grid:
    header: tuple[str, ...] = ("second − first", "measure", "difference", "+/−/=")
    header += ("p (t)", "p (rand.)", "Holm (t)", "Holm (rand.)")
    rows = []
    for item in evaluation.comparisons:
        if item.judgements == name:
            counts = f"{item.better}/{item.worse}/{item.equal}"
            values = (item.p_t, item.p_randomisation, item.p_t_holm, item.p_randomisation_holm)
            row = (f"{item.second} − {item.first}", item.measure, f"{item.difference:+.4f}", counts)
            rows.append((*row, *map(_p, values)))
    return Grid(f"{name}, paired tests (two-sided)", header, rows)


def _topics(evaluation: Evaluation, name: str, measure: str) -> Grid:
    columns = [evaluation.score(run, measure, name).topics for run in evaluation.runs]
    rows = [(topic, *(number(column[topic]) for column in columns)) for topic in columns[0]]
    return Grid(f"{name}, {measure} by topic", ("topic", *evaluation.runs), rows)


def _changes(diffs: Diffs) -> Grid:
    changes = get_args(Change)
    header_grades = ("mean grade entered", "mean grade left", "unjudged entered", "unjudged left")
    rows = []
    for (first, second), topics in diffs.items():
        counts = [str(sum(t.count(c) for t in topics)) for c in changes]
        grades = [[m.grade for t in topics for m in t.moves if m.change == c] for c in _IN_OUT]
        judged = [[grade for grade in some if grade is not None] for some in grades]
        means = [number(sum(some) / len(some) if some else math.nan) for some in judged]
        unjudged = [str(some.count(None)) for some in grades]
        rows.append((f"{first} → {second}", *counts, *means, *unjudged))
    caption = f"documents that moved within the first {_depth(diffs.values())}, over all topics"
    return Grid(caption, ("from → to", *changes, *header_grades), rows)


def _depth(diffs: Iterable[Sequence[TopicDiff]]) -> int:
    moves = (move for topics in diffs for topic in topics for move in topic.moves)
    return max((rank or 0 for move in moves for rank in (move.before, move.after)), default=0)


def _moves(pair: tuple[str, str], topics: Sequence[TopicDiff]) -> Grid:
    header = ("topic", "rose", "fell", "entered", "left", "entered with grades", "left with grades")
    rows = []
    for topic in topics:
        counts = [str(topic.count(c)) for c in ("rose", "fell", "entered", "left")]
        grades = [_grades(topic, change) for change in _IN_OUT]
        rows.append((topic.query_id, *counts, *grades))
    return Grid(f"from {pair[0]} to {pair[1]}: the first {_depth([topics])}", header, rows)


def _grades(topic: TopicDiff, change: str) -> str:
    grades = [move.grade for move in topic.moves if move.change == change]
    return " ".join("?" if grade is None else str(grade) for grade in grades) or "–"


def number(value: float) -> str:
    """Format a number with four decimals, a whole number above 1 with none, and NaN as a dash."""
    if math.isnan(value):
        return "–"
    # A count such as NumRet has no decimals.
    return f"{value:.0f}" if value > 1 and value.is_integer() else f"{value:.4f}"


def _p(value: float) -> str:
    return "<.0001" if value < 0.0001 else number(value)


def text(grid: Grid) -> str:
    """Format a table for a terminal, with aligned columns."""
    widths = [max(map(len, column)) for column in zip(grid.header, *grid.rows, strict=True)]
    lines = [grid.caption]
    for row in (grid.header, tuple("-" * width for width in widths), *grid.rows):
        first = row[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([first, *rest]).rstrip())
    return "\n".join(lines) + "\n"


def markdown(grid: Grid) -> str:
    """Format a Markdown table below its caption."""
    rows = [grid.header, ("---", *("---:" for _ in grid.header[1:])), *grid.rows]
    body = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([f"**{grid.caption}**", "", *body]) + "\n"


_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "_%&#${}"}
    | {"−": "$-$", "–": "--", "→": r"$\rightarrow$", "<": "$<$", "\\": r"\textbackslash{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def latex(grid: Grid) -> str:
    """Format a LaTeX table with booktabs rules."""
    header, *rows = (
        " & ".join(cell.translate(_LATEX) for cell in row) + r" \\"
        for row in (grid.header, *grid.rows)
    )
    columns = "l" + "r" * (len(grid.header) - 1)
    head = [r"\begin{table}", rf"\caption{{{grid.caption.translate(_LATEX)}}}"]
    head += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", header, r"\midrule"]
    foot = [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    return "\n".join([*head, *rows, *foot])


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV in which formulas are made harmless."""
    stream = io.StringIO(newline="")
    write_csv(stream, rows)
    return stream.getvalue()


def comma_separated(grid: Grid) -> str:
    """Format a table as CSV with header and rows, but without the caption."""
    return csv_text([grid.header, *grid.rows])


WRITERS = {"table": text, "markdown": markdown, "latex": latex, "csv": comma_separated}
"""Functions that format a table, with a final newline."""


def csv_rows(evaluation: Evaluation, per_topic: bool) -> list[list[object]]:
    """Return a header and the rows of exact values; a run has a row for each of its comparisons."""
    key = attrgetter("judgements", "second", "measure")
    tested = ("first", *(field.name for field in fields(Comparison)[4:]))
    names = ("judgements", "run", "measure", "topic", "value", "low", "high")
    rows: list[list[object]] = [[*names, *tested]]
    blank = (None,) * len(tested)
    for score in evaluation.scores:
        of = (score.judgements, score.run, score.measure)
        tests = [attrgetter(*tested)(one) for one in evaluation.comparisons if key(one) == of]
        rows += [[*of, "all", score.value, score.low, score.high, *t] for t in tests or [blank]]
        if per_topic:
            rows += [[*of, q, value, None, None, *blank] for q, value in score.topics.items()]
    # csv writes enough digits to read back the same number; NaN becomes an empty cell.
    return [[value if value == value else None for value in row] for row in rows]


def _plain(evaluation: Evaluation, per_topic: bool, diffs: Diffs) -> Any:
    content = asdict(evaluation)
    for score in () if per_topic else content["scores"]:
        del score["topics"]
    if diffs:
        content["diffs"] = [
            {
                "first": first,
                "second": second,
                "topics": {
                    topic.query_id: [{**asdict(m), "change": m.change} for m in topic.moves]
                    for topic in topics
                },
            }
            for (first, second), topics in diffs.items()
        ]
    # JSON cannot represent values that are not finite, so replace them by null.
    return json.loads(json.dumps(content), parse_constant=lambda _: None)
