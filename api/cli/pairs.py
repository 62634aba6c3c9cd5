"""`argsearch pairs`: a conclusion and the premise that carries it, two sentences a hit (W22)."""

from __future__ import annotations

from typing import Annotated

import typer

from argsearch.api.cli import options

_EPILOG = "Example: argsearch pairs 'should teachers get tenure' --index my-index --explain"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EPILOG)(pairs)


def pairs(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question or its words.")],
    index: options.Index,
    k: Annotated[int, typer.Option("-k", metavar="K", help="How many pairs to show.")] = 10,
    config: options.Config = "pairs-default",
    settings: options.Settings = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what makes every score.")
    ] = False,
    form: Annotated[
        str, typer.Option("--format", metavar="table|json", help="How to show the answer.")
    ] = "table",
    quiet: options.Quiet = False,
) -> None:
    """Show a conclusion and its premise, two sentences a hit; needs the part `pairs`."""
    from argsearch.api.cli.units import Asked, show

    given = tuple(settings or ())
    show(Asked("pairs", question, index, k, config, given, form, explain, quiet))
