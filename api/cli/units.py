"""Units other than whole arguments on a terminal or as data: pairs, and what comes like them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from argsearch.api.cli import terminal

if TYPE_CHECKING:
    from argsearch.engine.results.results import Hit, Results

FORMATS = ("table", "json")
WIDTH = 100
"""Columns of the table."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command was asked for."""

    unit: str
    question: str
    index: str
    k: int
    config: str
    settings: Sequence[str]
    form: str
    explain: bool
    quiet: bool


def show(asked: Asked) -> None:
    """Rank the things of a unit and print them; raises what `Engine.rank` raises."""
    from argsearch.engine import Engine
    from argsearch.indexer.errors import InvalidParameter

    if asked.form not in FORMATS:
        raise InvalidParameter("--format", asked.form, ", ".join(FORMATS))
    if asked.question.encode(errors="replace").decode() != asked.question:
        raise InvalidParameter("QUESTION", asked.question, "text in UTF-8")
    with Engine.open(asked.index) as engine:
        results = engine.rank(
            asked.question,
            unit=asked.unit,
            k=asked.k,
            config=asked.config,
            overrides=tuple(asked.settings),
        )
        for note in results.notes:
            terminal.say(f"note: {note}", quiet=asked.quiet)
        if asked.form == "json":
            _print_json(results, asked)
        else:
            _print_table(results, asked)


def _print_json(results: Results, asked: Asked) -> None:
    import orjson

    from argsearch.api.ranked import to_dict

    document = to_dict(results, asked.config, asked.explain)
    sys.stdout.write(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n")


def _print_table(results: Results, asked: Asked) -> None:
    for hit in results.hits:
        print("\n".join(_block(hit, asked.explain)))
    sys.stdout.flush()
    terminal.say(
        f"{len(results.hits):,} of {results.total:,} {asked.unit}, "
        f"{results.milliseconds:.1f} ms, configuration {asked.config}, "
        f"index {results.fingerprint[:12]}",
        quiet=asked.quiet,
    )


def _block(hit: Hit, explain: bool) -> list[str]:
    """The lines of one hit: its first text, the others below, where it comes from."""
    import textwrap

    first, *others = (terminal.printable(text) for text in hit.texts)
    head = f"{hit.rank:>3}  {hit.score:>7.3f}  {(hit.stance or '').lower():<3}  "
    blank = " " * len(head)
    lines = textwrap.wrap(first, WIDTH, initial_indent=head, subsequent_indent=blank)
    for text in others:
        lines += textwrap.wrap(text, WIDTH, initial_indent=blank, subsequent_indent=blank)
    lines.append(blank + terminal.printable(hit.id))
    if explain:
        lines += [blank + terminal.printable(line) for line in hit.explanation.lines()]
    return [*lines, ""]
