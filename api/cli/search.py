"""`argsearch search`: one query, on a terminal or as data."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli import options, terminal

if TYPE_CHECKING:
    from api.answer import Answer

FORMATS = ("table", "json", "csv", "markdown", "bibtex")

_EPILOG = (
    "Example: argsearch search 'should teachers get tenure' --index my-index --stance con --explain"
)

Stance = Annotated[
    str | None, typer.Option(metavar="pro|con", help="Only arguments of that stance.")
]
Side = Annotated[
    str | None,
    typer.Option(
        metavar="for|against|unclear",
        help="Only arguments that stand so to the question, among the first 100.",
    ),
]
Fold = Annotated[
    bool | None,
    typer.Option(
        "--fold/--no-fold",
        help="Show only the best of near-copies; on where the index has the part copies.",
    ),
]
Form = Annotated[
    str, typer.Option("--format", metavar="|".join(FORMATS), help="How to show the answer.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EPILOG)(search)


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The question or its words.")],
    index: options.Index,
    k: Annotated[int, typer.Option("-k", metavar="K", help="How many arguments to show.")] = 10,
    config: options.Config = "default",
    settings: options.Settings = None,
    stance: Stance = None,
    side: Side = None,
    fold: Fold = None,
    where: options.Where = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the factors behind every score.")
    ] = False,
    form: Form = "table",
    quiet: options.Quiet = False,
) -> None:
    """Show the best arguments for a question."""
    from api.answer import Answer
    from engine import Engine
    from indexer.errors import InvalidParameter

    if form not in FORMATS:
        raise InvalidParameter("--format", form, ", ".join(FORMATS))
    if not query.isascii() and query.encode(errors="replace").decode() != query:
        raise InvalidParameter("QUERY", query, "text in UTF-8")
    engine = Engine.open(index)
    results = engine.search(
        query,
        k=k,
        config=config,
        overrides=tuple(settings or ()),
        stance=stance,
        where=where or (),
        side=side,
        sides=True,
        fold="copies" in engine.parts if fold is None else fold,
    )
    for note in results.remarks:
        terminal.say(f"note: {note}", quiet=quiet)
    if results.suggestion:
        terminal.say(f"did you mean: {results.suggestion}", quiet=quiet)
    show(Answer(engine, results, explain), form, quiet=quiet)


def show(answer: Answer, form: str, *, quiet: bool) -> None:
    """Write the answer to standard output in one of the FORMATS."""
    if form == "table":
        from api.cli.table import print_answer

        print_answer(answer, quiet=quiet)
    elif form == "json":
        import orjson

        text = orjson.dumps(answer.to_dict(), option=orjson.OPT_INDENT_2).decode()
        sys.stdout.write(text + "\n")
    else:
        from api.formats import TEXTS

        sys.stdout.write(TEXTS[form][1](answer))
