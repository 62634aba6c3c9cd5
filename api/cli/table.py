"""Print an answer on a terminal: a block per hit, with query words marked and factors as a tree."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from argsearch.api.cli.terminal import colourful, printable, say
from argsearch.api.serialise import Answer, ShownHit
from argsearch.engine.text.snippet import BEGINNING_NOTE
from argsearch.engine.units import UNITS

if TYPE_CHECKING:
    from argsearch.engine.query.facets import FacetValue
    from argsearch.engine.stance.sides import Balance
    from argsearch.engine.text.snippet import Snippet
    from argsearch.ranking.explanation import Explanation

STANCE_MARKS = {"PRO": ("pro", "green"), "CON": ("con", "red")}
SIDE_COLOURS = {"for": "green", "supports": "green", "against": "red", "unclear": "dim"}
WIDEST = 110
"""Maximum line width in columns. Longer lines are hard to read."""
EXPLAIN_LEVELS = 2
"""Number of levels that `--explain` shows below the score."""
MOST_SHOWN = 12
"""Maximum number of factors that `--explain` shows for each value."""
VALUES = 10
"""Maximum number of values shown for a facet."""
FALLBACK = 100
"""Width in columns if there is no terminal."""
TABLE_TEXT_CHARACTERS = 600
"""Maximum number of characters shown of a text."""
POOL_NAMES = {"counters": "candidates"}
"""Name for the results that a unit chooses from, where it differs from the unit's name."""


def print_answer(answer: Answer, *, quiet: bool) -> None:
    """Print the hits on standard output and the summary on standard error."""
    console, hits, results = _console(), answer.hits, answer.results
    for hit in hits:
        with console.capture() as block:
            console.print(_block(hit, answer.explain, styled=colourful()))
        text = "\n".join(line.rstrip() for line in block.get().split("\n"))
        getattr(sys.stdout, "styled", sys.stdout.write)(text)
    sys.stdout.flush()
    if results.sided is not None:
        say(_balance(results.sided.so_far), quiet=quiet)
    for name, values in results.facets.items():
        say(_facet(name, values), quiet=quiet)
    say(
        f"{_found(answer, len(hits))}, {answer.milliseconds:.1f} ms, configuration "
        f"{results.config.name}, index {results.fingerprint[:12]}",
        quiet=quiet,
    )


def _found(answer: Answer, shown: int) -> str:
    """Return the number of hits shown and found, and how well they match."""
    results, total = answer.results, answer.results.total
    if results.unit != "arguments":
        found = f"{shown:,} of {total:,} {POOL_NAMES.get(results.unit, results.unit)}"
        found = found if shown else f"no {UNITS[results.unit].singular}"
        return f"{found} of {results.details:,} claims" if results.unit == "premises" else found
    if not shown:
        lost = f" the question ({total:,} share only its common words)" if total else ""
        return f"no argument matches{lost}"
    more = results.by_meaning or 0
    found = f"{shown:,} of {total:,} matching arguments"
    if results.by_meaning is not None:
        found = f"{shown:,} of {total - more:,} by words, {more:,} more by meaning"
    if results.groups is not None:
        found += f" ({results.groups:,} without near-duplicates)"
    if results.discriminative < total - more:
        found += f" ({results.discriminative:,} by specific words)"
    if results.common:
        found += f"; {results.common:,} more share only common words (--no-discriminative)"
    weak = answer.first_weak_rank
    return found if weak is None else f"{found}, weak matches from rank {weak} on"


def _facet(name: str, values: Sequence[FacetValue]) -> str:
    """Return the first values of a facet on one line."""
    said = [f"{printable(str(one.value))} {one.count:,}" for one in values[:VALUES]]
    rest = [f"{len(values) - VALUES:,} more"] if len(values) > VALUES else []
    return f"{name}: {', '.join(said + rest) or 'none'}"


def _balance(balance: Balance) -> str:
    """Return the sides of the top arguments, and the meaning of "for" if it is not obvious."""
    counts = ", ".join(f"{count} {side}" for side, count in balance.counts.items())
    # If the question has no sides, a note says so already.
    said = balance.claim.directed or not balance.claim.sided
    claim = "" if said else f"; for means: {printable(balance.claim.reading)}"
    return f"of the first {len(balance.sides)}: {counts}{claim}"


def _console() -> Console:
    if not sys.stdout.isatty():
        # Without a terminal, rich would assume 80 columns.
        width = int(columns) if (columns := os.environ.get("COLUMNS", "")).isdecimal() else FALLBACK
        return Console(width=width, color_system=None, highlight=False, markup=False, emoji=False)
    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, WIDEST)
    return console


def _block(shown: ShownHit, explain: bool, *, styled: bool) -> RenderableType:
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


def _stand(shown: ShownHit) -> tuple[str, str]:
    """Return the hit's side of the question, or else its own stance, and the color of that text."""
    side = shown.hit.side
    if side is None:
        return STANCE_MARKS.get(shown.hit.stance or "", ("", ""))
    told = shown.hit.unit == "counters" and side.value != "unclear"
    sure = f" {side.probability:.0%}" if told else ""
    return f"{side.value}{sure}", SIDE_COLOURS[side.value]


def _body(shown: ShownHit, explain: bool, styled: bool) -> RenderableType:
    conclusion = Text(printable(shown.argument.conclusion or "(no conclusion)"), style="bold")
    sentence = _marked(shown.sentence, styled) if shown.sentence.text else Text("(no premise)")
    source, id = shown.source, shown.hit.id
    origin = Text(printable(source.line), style="dim")
    if source.url:
        origin.append(f" <{printable(source.url)}>")
    origin.append(f" [{printable(id)}]" if source.line != source.id or id != source.id else "")
    alike = (
        shown.hit.details.size - 1 if shown.hit.unit == "premises" else len(shown.near_duplicates)
    )
    if alike:
        origin.append(f" and {alike:,} more like this")
    if shown.sentence.beginning:
        sentence.append(f" {BEGINNING_NOTE}", style="dim")
    parts: list[RenderableType] = [conclusion, sentence, origin]
    if explain:
        parts.append(_tree(shown.hit.explanation))
        if shown.hit.unit == "counters" and shown.hit.side is not None:
            parts.append(_tree(shown.hit.side.explanation))
    return Group(*parts)


def _marked(snippet: Snippet, styled: bool) -> Text:
    """Return the sentence with query words in bold (if styled) or between asterisks."""
    text = Text()
    for piece, marked in snippet.parts():
        piece = printable(piece)
        # A premise without a full stop is one sentence and may fill screens.
        if len(text) + len(piece) > TABLE_TEXT_CHARACTERS:
            text.append(piece[: TABLE_TEXT_CHARACTERS - len(text)].rstrip() + "…")
            break
        if marked and not styled:
            text.append(f"*{piece}*")
        else:
            text.append(piece, style="bold yellow" if marked else "")
    return text


def _tree(explanation: Explanation, parent: Tree | None = None, depth: int = 0) -> Tree:
    """Return EXPLAIN_LEVELS levels of factors as a tree. `--format json` shows all levels."""
    label = Text.assemble(
        (f"{explanation.value:.5g}", "cyan"), f"  {printable(explanation.description)}"
    )
    node = Tree(label, guide_style="dim") if parent is None else parent.add(label)
    if depth < EXPLAIN_LEVELS:
        for detail in explanation.details[:MOST_SHOWN]:
            _tree(detail, node, depth + 1)
        if len(explanation.details) > MOST_SHOWN:
            node.add(Text(f"and {len(explanation.details) - MOST_SHOWN} more"))
    return node
