"""`argsearch search`: one query, on a terminal or as data."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from argsearch.api.cli import options, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from argsearch.api.answer import Answer
    from argsearch.engine import Engine
    from argsearch.engine.results.results import Results

FIRST = "which arguments are good"
"""What is searched for while loading."""
SIDES = ("for", "against", "unclear", "both")
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
        metavar="|".join(SIDES),
        help="Only arguments that stand so to the question, among the first 100; both: K of those "
        "for it, then K of those against it.",
    ),
]
Fold = Annotated[
    bool | None,
    typer.Option(
        "--fold/--no-fold",
        help="Show only the best of near-copies; on where the index has the part copies.",
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Show the factors behind every score.")]
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
    sort: options.Sort = None,
    facet: options.Facets = None,
    explain: Explain = False,
    form: Form = "table",
    quiet: options.Quiet = False,
) -> None:
    """Show the best arguments for a question."""
    from argsearch.api.answer import Answer

    _check(query, form, side)
    overrides, both = tuple(settings or ()), side == "both"
    engine, loaded = _opened(index, config, overrides)
    results = engine.search(
        query,
        k=k,
        config=config,
        overrides=overrides,
        stance=stance,
        where=where or (),
        side=None if both else side,
        sides=True,
        fold="copies" in engine.parts if fold is None else fold,
        sort=sort,
        facets=facet or (),
    )
    for line in _told(results, loaded if form == "table" else None):
        terminal.say(line, quiet=quiet)
    answer = Answer(engine, results, explain)
    show(answer.of_both(k, 0) if both else answer, form, quiet=quiet)


def _check(query: str, form: str, side: str | None) -> None:
    from argsearch.indexer.errors import InvalidParameter

    if side is not None and side not in SIDES:
        raise InvalidParameter("--side", side, ", ".join(SIDES))
    if form not in FORMATS:
        raise InvalidParameter("--format", form, ", ".join(FORMATS))
    if not query.isascii() and query.encode(errors="replace").decode() != query:
        raise InvalidParameter("QUERY", query, "text in UTF-8")


def _opened(index: str, config: str, overrides: tuple[str, ...]) -> tuple[Engine, float]:
    """An engine that has loaded what a search needs, and how many seconds that took."""
    from argsearch.engine import Engine

    begun = time.perf_counter()
    engine = Engine.open(index)
    load(engine, config, overrides)
    return engine, time.perf_counter() - begun


def _told(results: Results, loaded: float | None) -> Iterator[str]:
    """What stands above the answer: notes, a suggestion, and the seconds of loading."""
    yield from (f"note: {note}" for note in results.remarks)
    if results.suggestion:
        yield f"did you mean: {results.suggestion}"
    if loaded is not None:
        yield f"loaded in {loaded:.2f} s"


def load(engine: Engine, config: str, overrides: tuple[str, ...]) -> None:
    """Load what a first search would load, so that its time is that of searching alone."""
    alone = (*overrides, "rerank.method=none", "rerank.stages=[]")
    engine.search(FIRST, k=1, config=config, overrides=alone, sides=True)


def show(answer: Answer, form: str, *, quiet: bool) -> None:
    """Write the answer to standard output in one of the FORMATS."""
    if form == "table":
        from argsearch.api.cli.table import print_answer

        print_answer(answer, quiet=quiet)
    elif form == "json":
        import orjson

        text = orjson.dumps(answer.to_dict(), option=orjson.OPT_INDENT_2).decode()
        sys.stdout.write(text + "\n")
    else:
        from argsearch.api.formats import TEXTS

        sys.stdout.write(TEXTS[form][1](answer))
