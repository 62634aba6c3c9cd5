"""An answer on a terminal: one block a hit, query words marked, factors as a tree."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from argsearch.api.answer import Answer, Shown
from argsearch.api.cli.terminal import colourful, printable, say

if TYPE_CHECKING:
    from argsearch.api.counters import Counters
    from argsearch.engine.query.facets import FacetValue
    from argsearch.engine.stance.sides import Balance
    from argsearch.engine.text.snippet import Snippet
    from argsearch.ranking.explanation import Explanation

STANCES = {"PRO": ("pro", "green"), "CON": ("con", "red")}
SIDES = {"for": "green", "against": "red", "unclear": "dim"}
WIDEST = 110
"""Columns; longer lines are hard to read."""
DEPTH = 2
"""Levels below the score that `--explain` shows."""
MOST = 12
"""Parts of one value that it shows."""
VALUES = 10
"""Values of a facet that are listed."""
UNSEEN = 100
"""Columns where there is no terminal."""


def print_answer(answer: Answer, *, quiet: bool) -> None:
    """Print the hits on standard output and the summary line on standard error."""
    shown = _print_hits(answer.hits, answer.explain)
    results = answer.results
    if results.sided is not None:
        say(_balance(results.sided.so_far), quiet=quiet)
    for name, values in results.facets.items():
        say(_facet(name, values), quiet=quiet)
    total, weak = results.total, answer.weak_from
    found = f"{shown:,} of {total:,} matching arguments" if shown else "no argument matches"
    if shown and results.groups is not None:
        found += f" ({results.groups:,} without near-copies)"
    if total and not shown:
        found += f" what is asked for ({total:,} have its common words)"
    if shown and results.telling < total:
        found += f" ({results.telling:,} by the words that tell)"
    if shown and weak is not None:
        found += f", weak matches from rank {weak} on"
    say(
        f"{found}, {answer.milliseconds:.1f} ms, configuration {results.config.name}, "
        f"index {results.fingerprint[:12]}",
        quiet=quiet,
    )


def print_counters(counters: Counters, *, quiet: bool) -> None:
    """Print counter-arguments on standard output and the summary line on standard error."""
    shown, results = _print_hits(counters.hits, counters.explain), counters.results
    found = f"{shown:,} of {results.total:,} candidates" if shown else "no counter-argument"
    about = f", index {results.fingerprint[:12]}"
    say(f"{found}, {results.milliseconds:.1f} ms{about}", quiet=quiet)


def _print_hits(hits: Iterable[Shown], explain: bool) -> int:
    console = _console()
    shown = 0
    for hit in hits:
        with console.capture() as block:
            console.print(_block(hit, explain, styled=colourful()))
        print("\n".join(line.rstrip() for line in block.get().split("\n")), end="")
        shown += 1
    sys.stdout.flush()
    return shown


def _facet(name: str, values: Sequence[FacetValue]) -> str:
    """A facet in one line, its first values."""
    said = [f"{printable(str(one.value))} {one.count:,}" for one in values[:VALUES]]
    rest = [f"{len(values) - VALUES:,} more"] if len(values) > VALUES else []
    return f"{name}: {', '.join(said + rest) or 'none'}"


def _balance(balance: Balance) -> str:
    """How the best arguments stand, and what "for" means where the question does not say."""
    counts = ", ".join(f"{count} {side}" for side, count in balance.counts.items())
    claim = "" if balance.claim.directed else f"; for means: {printable(balance.claim.reading)}"
    return f"of the first {len(balance.sides)}: {counts}{claim}"


def _console() -> Console:
    if not sys.stdout.isatty():
        width = int(columns) if (columns := os.environ.get("COLUMNS", "")).isdecimal() else UNSEEN
        return Console(width=width, color_system=None, highlight=False, markup=False, emoji=False)
    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, WIDEST)
    return console


def _block(shown: Shown, explain: bool, *, styled: bool) -> RenderableType:
    stance, colour = _stand(shown)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", min_width=3, no_wrap=True)
    grid.add_column(justify="right", min_width=7, no_wrap=True)
    grid.add_column(min_width=3 if shown.side is None else 7, no_wrap=True)
    grid.add_column(ratio=1)
    grid.add_row(
        Text(str(shown.hit.rank), style="bold"),
        Text(f"{shown.hit.score:.3f}"),
        Text(stance, style=colour),
        _body(shown, explain, styled),
    )
    return Group(grid, Text(""))


def _stand(shown: Shown) -> tuple[str, str]:
    """Its side of the question where that was asked for, else its own stance; and the colour."""
    if shown.side is None:
        return STANCES.get(shown.argument.stance or "", ("", ""))
    return shown.side, SIDES[shown.side]


def _body(shown: Shown, explain: bool, styled: bool) -> RenderableType:
    conclusion = Text(printable(shown.argument.conclusion or "(no conclusion)"), style="bold")
    sentence = _marked(shown.sentence, styled) if shown.sentence.text else Text("(no premise)")
    source = shown.source
    origin = Text(printable(source.line), style="dim")
    if source.url:
        origin.append(f" <{printable(source.url)}>")
    origin.append(f" [{printable(shown.argument.id)}]" if source.line != source.id else "")
    if shown.copies:
        origin.append(f" and {len(shown.copies)} more like this")
    parts: list[RenderableType] = [conclusion, sentence, origin]
    if explain:
        parts.append(_tree(shown.hit.explanation))
    return Group(*parts)


def _marked(snippet: Snippet, styled: bool) -> Text:
    """The sentence; query words are bold on a terminal and between asterisks elsewhere."""
    text = Text()
    for piece, marked in snippet.parts():
        piece = printable(piece)
        if marked and not styled:
            text.append(f"*{piece}*")
        else:
            text.append(piece, style="bold yellow" if marked else "")
    return text


def _tree(explanation: Explanation, parent: Tree | None = None, depth: int = 0) -> Tree:
    """The factors, DEPTH levels of them; `--format json` has them all."""
    label = Text.assemble(
        (f"{explanation.value:.5g}", "cyan"), f"  {printable(explanation.description)}"
    )
    node = Tree(label, guide_style="dim") if parent is None else parent.add(label)
    if depth < DEPTH:
        for detail in explanation.details[:MOST]:
            _tree(detail, node, depth + 1)
        if len(explanation.details) > MOST:
            node.add(Text(f"and {len(explanation.details) - MOST} more"))
    return node
