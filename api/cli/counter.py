"""`argsearch counter`: what answers an argument, on a terminal or as data."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from argsearch.api.cli import options, terminal

FORMATS = ("table", "json")

_EPILOG = "Example: argsearch counter S58cbb190-A4627da38 --index my-index -k 5 --explain"

Asked = Annotated[
    str,
    typer.Argument(
        metavar="ID-OR-TEXT",
        help="What is to be countered: the id of an argument of the index, else a text.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EPILOG)(counter)


def counter(
    asked: Asked,
    index: options.Index,
    k: Annotated[int, typer.Option("-k", metavar="K", help="How many arguments to show.")] = 10,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the features behind every score.")
    ] = False,
    form: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="How to show the answer.")
    ] = "table",
    quiet: options.Quiet = False,
) -> None:
    """Show the best counter-arguments to an argument or a text.

    The index needs the part counter (argsearch index --with counter).
    """
    from argsearch.api.counters import Counters
    from argsearch.engine import Engine
    from argsearch.indexer.errors import InvalidParameter

    if form not in FORMATS:
        raise InvalidParameter("--format", form, ", ".join(FORMATS))
    if not asked.isascii() and asked.encode(errors="replace").decode() != asked:
        raise InvalidParameter("ID-OR-TEXT", asked, "text in UTF-8")
    with Engine.open(index) as engine:
        results = engine.counter(asked, k)
        for note in results.notes:
            terminal.say(f"note: {note}", quiet=quiet)
        counters = Counters(engine, results, explain)
        if form == "table":
            from argsearch.api.cli.table import print_counters

            print_counters(counters, quiet=quiet)
            return
        import orjson

        text = orjson.dumps(counters.to_dict(), option=orjson.OPT_INDENT_2).decode()
        sys.stdout.write(text + "\n")
