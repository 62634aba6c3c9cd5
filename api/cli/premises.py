"""`argsearch premises`: the best reasons for and against, each meaning once (D20)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from argsearch.api.cli import options, terminal

if TYPE_CHECKING:
    from argsearch.engine.results.results import Hit, Results

FORMATS = ("table", "json")
WIDEST = 600
"""Characters of a premise in the table."""
DEPTH = 3
"""Levels of an explanation below the score in the table; JSON has all."""

_EPILOG = "Example: argsearch premises 'should teachers get tenure' --index my-index --stance con"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EPILOG)(premises)


def premises(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question or its words.")],
    index: options.Index,
    k: Annotated[int, typer.Option("-k", metavar="K", help="How many premises to show.")] = 10,
    config: options.Config = "default",
    settings: options.Settings = None,
    stance: Annotated[
        str | None,
        typer.Option(metavar="pro|con", help="Only premises of that stance towards their claims."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what every score follows from.")
    ] = False,
    form: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="How to show the answer.")
    ] = "table",
    quiet: options.Quiet = False,
) -> None:
    """Show the best premises of the claims that a question finds, each meaning once."""
    from argsearch.engine import Engine
    from argsearch.indexer.errors import InvalidParameter

    if form not in FORMATS:
        raise InvalidParameter("--format", form, ", ".join(FORMATS))
    engine = Engine.open(index)
    asked = {"config": config, "overrides": tuple(settings or ()), "stance": stance}
    results = engine.premises(question, k=k, **asked)
    if form == "json":
        import orjson

        from argsearch.api.http.premises import shown

        text = orjson.dumps(shown(results, explain), option=orjson.OPT_INDENT_2).decode()
        sys.stdout.write(text + "\n")
        return
    _print(results, explain, quiet)


def _print(results: Results, explain: bool, quiet: bool) -> None:
    """One block a hit on standard output, the summary on standard error."""
    for hit in results.hits:
        print("\n".join(_block(hit, explain)), end="\n\n")
    sys.stdout.flush()
    found = f"{len(results.hits):,} of {results.total:,} premises" if results.hits else "no premise"
    terminal.say(
        f"{found} of {results.details:,} claims, {results.milliseconds:.1f} ms, configuration "
        f"{results.config.name}, index {results.fingerprint[:12]}",
        quiet=quiet,
    )


def _block(hit: Hit, explain: bool) -> list[str]:
    cluster = hit.details
    stated, first = cluster.representative, cluster.claims(1)[0]
    text = " ".join(stated.text.split())
    cut = text if len(text) <= WIDEST else text[: WIDEST - 1].rstrip() + "…"
    others = f", one of {cluster.size:,} alike" if cluster.size > 1 else ""
    lines = [
        f"{hit.rank:>3}  {hit.score:.4f}  {(hit.stance or '').lower()}  {terminal.printable(cut)}",
        f"     of the claim: {terminal.printable(' '.join(first.text.split()))}",
        f"     [{terminal.printable(stated.argument)}]{others}",
    ]
    if explain:
        tree = (one for one in hit.explanation.lines() if not one.startswith("  " * (DEPTH + 1)))
        lines += [f"     {terminal.printable(line)}" for line in tree]
    return lines
