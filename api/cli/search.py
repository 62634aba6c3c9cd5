"""`argsearch search`, `pairs`, `premises` and `counter`: answer a question in any format."""

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
            "Show only the best of several near-duplicates (on if the index has that part).",
            None,
        ),
    ),
    "spread": (
        bool | None,
        option(
            "--spread/--no-spread",
            f"{p.SPREAD.doc[:-1]} (on by default).",
            None,
        ),
    ),
    "discriminative": (
        bool | None,
        option(
            "--discriminative/--no-discriminative",
            f"{p.DISCRIMINATIVE.doc[:-1]} (on by default).",
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
"""Type and default of each option except question, index, k and configuration."""
ALWAYS = ("only", "explain", "form", "quiet")


@dataclass(frozen=True)
class Shown:
    """A command that shows a unit's best results. It can be created without loading the unit."""

    unit: str
    does: str
    """Help text, with an example."""
    takes: tuple[str, ...] = ("where", "stance", "side", "discriminative", "sort")
    """Keys of OPTIONS that the unit supports."""
    config: str | None = "default"
    asked: tuple[str, str] = ("QUERY", "The question, or keywords.")
    """Name and help text of the main argument."""

    def command(self) -> Callable[..., None]:
        """Return the function that typer turns into the command."""

        def command(**given: Any) -> None:
            """Answer one question."""
            _answer(self, **given)

        taken: dict[str, tuple[Any, Any]] = {
            "query": (str, argument(*self.asked)),
            "index": (Index, Parameter.empty),
            "k": (int, of(p.K.but(doc=f"Number of {self.unit} to show."), "-k K", p.K.default)),
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
        """Show conclusion–premise pairs, two sentences each; needs the part `pairs`.

        Example: argsearch pairs 'should teachers get tenure' --index my-index --explain
        """,
        config="pairs-default",
    ),
    "premises": Shown(
        "premises",
        """Show the best distinct premises of the claims found for a question.

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
        asked=("ID-OR-TEXT", "The argument to counter: an id, or else a text."),
    ),
}
search, pairs, premises, counter = (one.command() for one in UNIT_COMMANDS.values())


def __getattr__(name: str) -> Callable[..., None]:
    """Return the command of any other unit, built from the unit's description."""
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

    # Bytes from the shell that are not UTF-8 arrive as lone surrogates. No index contains those.
    if query.encode(errors="replace").decode() != query:
        raise InvalidParameter(shown.asked[0], query, "text in UTF-8")
    overrides = tuple(settings or ())
    begun = time.perf_counter()
    engine, loaded = Engine.open(index), None
    given = {name: value for name, value in taken.items() if value is not None}
    if "discriminative" in shown.takes:
        # A person reads the answer. The user's own options come last and take precedence.
        given = {n: on for n, on in p.FOR_READERS.items() if n in ("sides", *shown.takes)} | given
    if shown.unit == "arguments":
        # The loading time should not include re-ranking, which this first query does not need.
        alone = (*overrides, "rerank.method=none", "rerank.stages=[]")
        engine.search(WARMING, k=1, config=config, overrides=alone, sides=True)
        loaded = time.perf_counter() - begun
        given = {"collapse": "near_duplicates" in engine.parts, **given}
    with engine:
        results = engine.search(
            query, unit=shown.unit, k=k, config=config, overrides=overrides, **given
        )
        for line in _told(results, loaded if form == "table" else None):
            terminal.say(line, quiet=quiet)
        show(Answer(engine, results, explain, only=tuple(only or ()) or None), form, quiet=quiet)


def _told(results: Results, loaded: float | None) -> Iterator[str]:
    """Yield the lines above the answer: notes, a suggestion, and the loading time."""
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
