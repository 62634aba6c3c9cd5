"""`argsearch points`: what is said on each side of a question, by how many."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from argsearch.api.cli import terminal
from argsearch.api.cli.options import (
    Configured,
    Fingerprint,
    Index,
    Quiet,
    Settings,
    UsualConfig,
    Where,
    argument,
    of,
    option,
)
from argsearch.engine import parameters as p

if TYPE_CHECKING:
    from argsearch.engine.points.key_points import KeyPoints, SidePoints

SHOWN_FORMS = ("table", "json", "markdown", "argdown", "cards")
Side = Annotated[str | None, of(p.STANCE, "--stance")]
Form = Annotated[str, of(p.FORMAT.but(choices=SHOWN_FORMS), "--format")]


def points(
    query: str = argument("QUERY", "The question or its words."),
    index: Index = ...,  # type: ignore[assignment]
    config: UsualConfig = None,
    settings: Settings = None,
    where: Where = None,
    stance: Side = None,
    collapse: bool | None = option(
        "--collapse/--no-collapse",
        "Read only the best of near-duplicates; on where the index has that part.",
        None,
    ),
    fingerprint: Fingerprint = None,
    config_sha256: Configured = None,
    explain: bool = option("--explain", "Whether quotes carry why they belong together.", False),
    form: Form = "table",
    quiet: Quiet = False,
) -> None:
    """Show the points made on each side, by how many arguments, in their words.

    Example: argsearch points 'should homework be banned' --index my-index --format markdown
    """
    from argsearch.api.points import TEXTS_OF_POINTS, to_dict
    from argsearch.engine import Engine

    with Engine.open(index) as engine:
        found = engine.key_points(
            query,
            config=config,
            overrides=tuple(settings or ()),
            where=tuple(where or ()),
            stance=stance,
            collapse=collapse,
            fingerprint=fingerprint,
            config_sha256=config_sha256,
        )
        for note in found.notes:
            terminal.say(f"note: {note}", quiet=quiet)
        if form == "json":
            terminal.write_json(to_dict(found, explain))
        elif form in TEXTS_OF_POINTS:
            sys.stdout.write(TEXTS_OF_POINTS[form][1](found))
        else:
            sys.stdout.write("\n".join(_lines(found, explain)) + "\n")


def _lines(found: KeyPoints, explain: bool) -> list[str]:
    lines = [f"the first {len(found.results.hits)} of {found.results.total} arguments were read"]
    if found.unclear:
        lines.append(f"{found.unclear} are on no clear side")
    for side in found.sides.values():
        lines += ["", *_side(side, explain)]
    return lines


def _side(side: SidePoints, explain: bool) -> list[str]:
    from argsearch.api.quotes import section_to_lines

    lines = [
        f"{side.side.upper()}: {side.grouped} of {side.total} arguments make one of these points "
        f"({side.coverage:.0%}), {len(side.ungrouped)} do not"
    ]
    for point in side.points:
        counted = f"at least {point.arguments} arguments"
        lines += [f"  {line}" for line in section_to_lines(point, counted, explain)]
    return lines
