"""`argsearch search`, `pairs`, `premises` and `counter`: one question, on a terminal or as data."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from argsearch.api.cli import terminal
from argsearch.api.cli.options import (
    Config,
    Index,
    Quiet,
    Settings,
    UsualConfig,
    argument,
    of,
    option,
)
from argsearch.engine import parameters as p
from argsearch.indexer.errors import InvalidParameter

if TYPE_CHECKING:
    from argsearch.api.serialise import Answer
    from argsearch.engine.results.results import Results

SEARCH_FORMATS = ("table", *p.FORMAT.choices)
OPTIONS: dict[str, tuple[Any, Any]] = {
    "where": (list[str] | None, of(p.WHERE, "--where 'COLUMN OPERATOR VALUE'", None)),
    "stance": (str | None, of(p.STANCE, "--stance", None)),
    "side": (str | None, of(p.SIDE, "--side", None)),
    "collapse": (
        bool | None,
        option(
            "--collapse/--no-collapse",
            "Show only the best of near-duplicates; on where the index has that part.",
            None,
        ),
    ),
    "spread": (
        bool | None,
        option(
            "--spread/--no-spread",
            "Show of the first five at most two of one debate, reasons before bare claims; on.",
            None,
        ),
    ),
    "discriminative": (
        bool | None,
        option(
            "--discriminative/--no-discriminative",
            "List, sort and count only what has a word that tells what is asked for (zoos, not "
            "should) or is near it by meaning; on.",
            None,
        ),
    ),
    "sort": (str | None, of(p.SORT, "--sort COLUMN|-COLUMN", None)),
    "facets": (list[str] | None, of(p.FACET, "--facet COLUMN", None)),
    "only": (list[str] | None, of(p.ONLY, "--only ID", None)),
    "explain": (bool, option("--explain", p.EXPLAIN.doc, False)),
    "form": (str, of(p.FORMAT.but(choices=SEARCH_FORMATS), "--format", "table")),
    "quiet": (Quiet, False),
}
"""The options beside question, index, k and configuration: type and default."""
ALWAYS = ("only", "explain", "form", "quiet")


@dataclass(frozen=True)
class Shown:
    """A command that shows the best things of a unit; no unit is loaded to say what it takes."""

    unit: str
    does: str
    """Its help, with an example."""
    takes: tuple[str, ...] = ("where", "stance", "side", "sort")
    """What of OPTIONS its unit takes."""
    config: str | None = "default"
    asked: tuple[str, str] = ("QUERY", "The question or its words.")
    """The name of what is asked for, and its help."""

    def command(self) -> Callable[..., None]:
        """Return the function of which typer makes the command."""

        def command(**given: Any) -> None:
            """Answer one question."""
            _answer(self, **given)

        taken: dict[str, tuple[Any, Any]] = {
            "query": (str, argument(*self.asked)),
            "index": (Index, Parameter.empty),
            "k": (int, of(p.K.but(doc=f"How many {self.unit} to show."), "-k K", p.K.default)),
            "config": (UsualConfig if self.config is None else Config, self.config),
            "settings": (Settings, None),
            **{name: OPTIONS[name] for name in (*self.takes, *ALWAYS)},
        }
        parameters = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for name, (kind, default) in taken.items()
        ]
        command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {name: kind for name, (kind, _) in taken.items()}
        command.__doc__ = self.does
        return command


UNIT_COMMANDS = {
    "search": Shown(
        "arguments",
        """Show the best arguments for a question.

        Example: argsearch search 'should teachers get tenure' --index my-index --stance con
        --explain
        """,
        takes=("where", "stance", "side", "collapse", "spread", "discriminative", "sort", "facets"),
        config=None,
    ),
    "pairs": Shown(
        "pairs",
        """Show a conclusion and its premise, two sentences a hit; needs the part `pairs`.

        Example: argsearch pairs 'should teachers get tenure' --index my-index --explain
        """,
        config="pairs-default",
    ),
    "premises": Shown(
        "premises",
        """Show the best premises of the claims that a question finds, each meaning once.

        Example: argsearch premises 'should teachers get tenure' --index my-index --stance con
        """,
    ),
    "counter": Shown(
        "counters",
        """Show the best counter-arguments to an argument or a text.

        The index needs the part counter (argsearch index --with counter).

        Example: argsearch counter S58cbb190-A4627da38 --index my-index -k 5 --explain
        """,
        takes=("where", "stance", "sort"),
        asked=("ID-OR-TEXT", "What is to be countered: the id of an argument, else a text."),
    ),
}
search, pairs, premises, counter = (one.command() for one in UNIT_COMMANDS.values())


def __getattr__(name: str) -> Callable[..., None]:
    """Return the command of any other unit, from what it says of itself."""
    from argsearch.engine.units import UNITS

    if name not in UNITS:
        raise AttributeError(name)
    unit = UNITS[name]
    takes = tuple(one for one in OPTIONS if one in unit.takes)
    example = f"argsearch {name} 'should teachers get tenure' --index my-index"
    does = f"Show {unit.doc}.\n\nExample: {example}"
    return Shown(name, does, takes, unit.config).command()


def _answer(
    shown: Shown,
    query: str,
    index: str,
    k: int,
    config: str | None,
    settings: list[str] | None,
    only: list[str] | None,
    explain: bool,
    form: str,
    quiet: bool,
    **taken: Any,
) -> None:
    from argsearch.api.serialise import WARMING, Answer
    from argsearch.engine import Engine

    # Words of a shell that are no UTF-8 come as lone surrogates, which no index can hold.
    if query.encode(errors="replace").decode() != query:
        raise InvalidParameter(shown.asked[0], query, "text in UTF-8")
    overrides = tuple(settings or ())
    begun = time.perf_counter()
    engine, loaded = Engine.open(index), None
    given = {name: value for name, value in taken.items() if value is not None}
    if shown.unit == "arguments":
        # So that the time of the search is that of searching alone. To re-rank what nobody asked
        # for would only take time.
        alone = (*overrides, "rerank.method=none", "rerank.stages=[]")
        engine.search(WARMING, k=1, config=config, overrides=alone, sides=True)
        loaded = time.perf_counter() - begun
        # A person reads the answer. Whoever says otherwise is last, so that it holds.
        given = {**p.FOR_READERS, "collapse": "near_duplicates" in engine.parts, **given}
    with engine:
        results = engine.search(
            query, unit=shown.unit, k=k, config=config, overrides=overrides, **given
        )
        for line in _told(results, loaded if form == "table" else None):
            terminal.say(line, quiet=quiet)
        show(Answer(engine, results, explain, only=tuple(only or ()) or None), form, quiet=quiet)


def _told(results: Results, loaded: float | None) -> Iterator[str]:
    """What stands above the answer: notes, a suggestion, and the seconds of loading."""
    yield from (f"note: {note}" for note in results.remarks)
    if results.suggestion:
        yield f"did you mean: {results.suggestion}"
    if loaded is not None:
        yield f"loaded in {loaded:.2f} s"


def show(answer: Answer, form: str, *, quiet: bool) -> None:
    """Write the answer to standard output in one of the SEARCH_FORMATS."""
    if form == "table":
        from argsearch.api.cli.table import print_answer

        print_answer(answer, quiet=quiet)
    elif form == "json":
        terminal.write_json(answer.to_dict())
    else:
        from argsearch.api.formats import TEXTS

        sys.stdout.write(TEXTS[form][1](answer))
