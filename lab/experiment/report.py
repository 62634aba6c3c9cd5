"""Write an experiment's output files: Markdown report, LaTeX and CSV tables, and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from argsearch.lab.evaluation import render
from argsearch.lab.evaluation.tables import (
    WRITERS,
    Grid,
    csv_rows,
    csv_text,
    latex,
    markdown,
    number,
)
from argsearch.lab.experiment.evaluating import MODES, ResultGroup
from argsearch.lab.experiment.output import OutputFolder
from argsearch.lab.experiment.plan import ExperimentPlan
from argsearch.lab.experiment.sweep import Map, sweep_csv, sweep_grids

REPORT = "report.md"
TABLES = {"markdown": "tables.md", "latex": "tables.tex", "csv": "tables.csv"}
"""File name of each format."""
VALUE_FILES = ("results.csv", "results.json")
SWEEP = "sweep.csv"


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the report: a title and its tables."""

    title: str
    grids: Sequence[Grid] = ()
    details: str = ""
    """Markdown below the tables."""
    latex: str = ""
    """LaTeX versions of the tables, printed below them."""
    remarks: tuple[str, ...] = ()


def group_section(group: ResultGroup) -> Section:
    """Build the section for one corpus and topic set: first means, then intervals and tests."""
    title = " · ".join(name for name in (group.corpus, group.topics) if name)
    details, tex = (
        "\n".join(render(each, form) for each in group.evaluations.values())
        for form in ("markdown", "latex")
    )
    return Section(title, list(_summaries(group, title)), details, tex, group.remarks)


def _summaries(group: ResultGroup, title: str) -> Iterator[Grid]:
    """Yield a table for each kind of judgements. Rows are runs; columns are measures and modes.

    A group without judgements has no tables.
    """
    found = group.evaluations
    if not found:
        return
    first = next(iter(found.values()))
    for name in first.judgements:
        columns = [(mode, measure) for mode, each in found.items() for measure in each.measures]
        labels = [f"{x}, {MODES[mode]}" if len(found) > 1 else x for mode, x in columns]
        means, spread = [], []
        for run in first.runs:
            values = (found[mode].score(run, x, name).value for mode, x in columns)
            means.append((run, *map(number, values)))
            spread.append((run, *(number(group.spread[m, name, run, x]) for m, x in columns)))
        yield Grid(f"{title}: {name}", ("system", *labels), means)
        if any(group.spread.values()):
            caption = f"{title}: {name}, standard deviation over seeds"
            yield Grid(caption, ("system", *labels), spread)


def sweep_section(found: Map) -> Section:
    """Build the section for a sweep: chosen cells and best cells."""
    title = f"{found.corpus} · {found.topics}: sweep over {', '.join(found.axes)}"
    return Section(title, sweep_grids(found))


def write_report(
    plan: ExperimentPlan, out: OutputFolder, sections: Sequence[Section]
) -> list[Path]:
    """Write report.md, tables.md, and tables.tex, and return their paths."""
    setup = plan.setup
    lines = [f"# {setup.name}", "", *([setup.description, ""] if setup.description else [])]
    lines += [f"Made by `argsearch experiment {plan.path.name}`.", ""]
    for section in sections:
        lines += [f"## {section.title}", "", *_body(section)]
    tables = [grid for section in sections for grid in section.grids]
    tex = [latex(grid) for grid in tables] + [s.latex for s in sections if s.latex]
    return [
        out.write(REPORT, "\n".join(lines)),
        out.write(TABLES["markdown"], "\n".join(map(markdown, tables))),
        out.write(TABLES["latex"], "\n".join(tex)),
    ]


def _body(section: Section) -> Iterator[str]:
    for grid in section.grids:
        yield markdown(grid)
    if section.details:
        yield section.details
    if section.remarks:
        yield "Remarks:\n"
        yield from (f"* {remark}" for remark in section.remarks)
        yield ""


def write_grids(out: OutputFolder, grids: Sequence[Grid]) -> list[Path]:
    """Write only the tables, to tables.md, tables.tex, and tables.csv."""
    return [out.write(name, "\n".join(map(WRITERS[form], grids))) for form, name in TABLES.items()]


def write_values(
    out: OutputFolder, groups: Sequence[ResultGroup], maps: Sequence[Map] = ()
) -> list[Path]:
    """Write all values, to results.csv (long form), results.json, and sweep.csv (every cell)."""
    swept = [out.write(SWEEP, sweep_csv(maps))] if maps else []
    if not groups:
        return swept
    content = [
        {
            "corpus": group.corpus,
            "topics": group.topics,
            "documents": MODES[mode],
            **json.loads(render(evaluation, "json", per_topic=True)),
        }
        for group in groups
        for mode, evaluation in group.evaluations.items()
    ]
    return [
        out.write(VALUE_FILES[0], values_csv(groups)),
        out.write(VALUE_FILES[1], json.dumps(content, indent=1) + "\n"),
        *swept,
    ]


def values_csv(groups: Sequence[ResultGroup], *, per_topic: bool = True) -> str:
    """Return the values as CSV with corpus, topics, documents, and the columns of `csv_rows`."""
    rows: list[list[object]] = []
    for group in groups:
        for mode, evaluation in group.evaluations.items():
            head, *values = csv_rows(evaluation, per_topic)
            rows = rows or [["corpus", "topics", "documents", *head]]
            rows += [[group.corpus, group.topics, MODES[mode], *row] for row in values]
    return csv_text(rows)
