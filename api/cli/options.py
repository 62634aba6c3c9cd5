"""Arguments and options shared by several commands, so that they mean the same thing everywhere."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from argsearch.engine import parameters
from argsearch.engine.parameters import Parameter
from argsearch.indexer.errors import InvalidParameter, Missing


def option(declared: str, help: str, *default: Any) -> Any:
    """Return a typer option declared as `--name METAVAR`, or as `--name` for a flag.

    default: only needed without an `Annotated` type. `...` makes the option required.
    """
    name, _, metavar = declared.partition(" ")
    return typer.Option(*default, name, metavar=metavar or None, help=help)


def argument(metavar: str, help: str, *default: Any) -> Any:
    """Return a typer argument. Without a default, the argument is required."""
    return typer.Argument(*default, metavar=metavar, help=help)


def of(parameter: Parameter, declared: str, *default: Any) -> Any:
    """Return the option for a parameter, declared as `--name METAVAR`."""
    name, _, metavar = declared.partition(" ")
    single = parameter.but(name=name if name.startswith("--") else parameter.name, several=0)
    read = partial(single.but(required=True).read, text=True)
    shown = metavar or "|".join(parameter.choices) or None
    return typer.Option(*default, name, parser=read, metavar=shown, help=parameter.doc)


def choice(name: str, values: Sequence[str], help: str, *default: Any) -> Any:
    """Return an option whose value is one of the given values."""
    return of(Parameter(name, str, help, choices=tuple(values)), name, *default)


def within(declared: str, low: float, high: float | None, help: str, *default: Any) -> Any:
    """Return an option for a number from `low` to `high`. If `high` is None, there is no limit."""
    name = declared.partition(" ")[0]
    return of(Parameter(name, type(low), help, low=low, high=high), declared, *default)


def named(option: str, given: list[str] | None, allowed: str, *taken: str) -> dict[str, str]:
    """Return NAME=VALUE options as a mapping. Raise InvalidParameter if a name is repeated."""
    found: dict[str, str] = {}
    for one in given or []:
        name, _, value = one.partition("=")
        if not (name and value) or name in found or name in taken:
            raise InvalidParameter(option, one, allowed)
        found[name] = value
    return found


class _AsGiven:
    """Parameter type that keeps words as given, and parses parameters by their definitions.

    Typer reads other types with pydantic. Loading it takes a tenth of a short command's time.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of a parameter, converted to its type."""
        kind, read = param.type_descriptor.annotation, param.type_descriptor.parameter_info.parser
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if read is not None:
            return [read(one) for one in value] if param.multiple else read(value)
        if kind is str and _plain(value):
            return value
        if kind == list[str] and not isinstance(value, str) and all(map(_plain, value)):
            return list(value)
        typers = type(param).get_runtime_param(param)  # hidden by the instance's
        return typers.coerce(value, param=param, ctx=ctx)


def _plain(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable()  # text that is valid UTF-8


class _Quick:
    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, including `--help`."""
        found = super().get_params(ctx)  # type: ignore[misc]
        for parameter in found:
            if hasattr(parameter, "get_runtime_param"):
                parameter.get_runtime_param = _AsGiven
        return found


class Command(_Quick, TyperCommand):
    """A command that keeps words as they are given."""


class Group(_Quick, TyperGroup):
    """A group of commands that keep words as they are given."""


def group(help: str, *commands: Callable[..., None]) -> typer.Typer:
    """Return a group of commands, such as `train quality`."""
    made = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None)
    for command in commands:
        add(made, command)
    example = made.registered_commands[0].epilog
    made.info.help, made.info.epilog = help, example
    return made


def add(app: typer.Typer, command: Callable[..., None], name: str | None = None) -> None:
    """Add a command whose docstring is its help and ends with an example."""
    said, example, line = inspect.cleandoc(command.__doc__ or "").rpartition("Example: ")
    epilog = example + " ".join(line.split())
    app.command(name, cls=Command, help=said, epilog=epilog)(command)


AN_INDEX = "a directory, or http(s)://host:port/name"
Index = Annotated[str, option("--index INDEX", f"The index: {AN_INDEX}.")]
IndexOrFirst = Annotated[str | None, option("--index INDEX", f"The index: {AN_INDEX}.")]
FIRST = "without --index, the index comes first (in this release only)"
FirstIndex = Annotated[list[str] | None, argument("[INDEX]", f"{FIRST.capitalize()}.")]
Config = Annotated[str, of(parameters.CONFIG, "--config CONFIG")]
UsualConfig = Annotated[str | None, of(parameters.USUAL_CONFIG, "--config CONFIG")]
Settings = Annotated[list[str] | None, of(parameters.SETTINGS, "--set SECTION.KEY=VALUE")]
Where = Annotated[list[str] | None, of(parameters.WHERE, "--where 'COLUMN OPERATOR VALUE'")]
Fingerprint = Annotated[str | None, of(parameters.FINGERPRINT, "--fingerprint FINGERPRINT")]
Configured = Annotated[str | None, of(parameters.CONFIG_SHA256, "--config-sha256 DIGEST")]
Quiet = Annotated[bool, option("--quiet", "Print no progress or messages on standard error.")]
Workers = Annotated[
    int | None,
    within(
        "--workers N",
        1,
        None,
        "Number of processes; by default chosen from the input's size and the cores.",
    ),
]
Port = Annotated[int, within("--port PORT", 0, 65535, "The port; 0 picks a free one.")]
Host = Annotated[str, option("--host HOST", "The address to listen on.")]
TokenFile = Annotated[
    Path | None,
    option("--token-file FILE", "Require a token from this file (one per line) with each request."),
]
RootPath = Annotated[
    str | None,
    option(
        "--root-path PATH",
        "The path at which a proxy exposes the server, such as /args; / for none. By default, the "
        "header X-Forwarded-Prefix of a trusted proxy.",
    ),
]
OnError = Annotated[
    str,
    choice("--on-error", ("stop", "skip"), "What to do with a bad document: stop, or skip it."),
]
Columns = Annotated[
    list[str] | None,
    option(
        "--column NAME=COLUMN",
        "The CSV column with the id, conclusion, premise or stance, such as premise=text; "
        "repeatable. Without a column for ids, ids are generated.",
    ),
]


def indexed(
    index: str | None, words: Sequence[str] | None, others: bool = True
) -> tuple[str, list[str]]:
    """Return the index and the other words. Without --index, the first word is the index.

    Raises InvalidParameter if no index is given, or if words are left and `others` is False.
    """
    rest = list(words or ())
    if index is None and not rest:
        raise InvalidParameter("--index", Missing(), AN_INDEX)
    named = rest.pop(0) if index is None else index
    if rest and not others:
        problem = f"there must be a single index, given with --index; leave out {rest[0]!r}"
        raise InvalidParameter("INDEX", rest[0], problem=problem)
    return named, rest


def columns_of(given: list[str] | None) -> dict[str, str]:
    """Return the CSV column for each field in `--column`. Raises InvalidParameter."""
    from argsearch.indexer.corpus.csv_rows import MEANT, check_columns

    called = named("--column", given, f"NAME=COLUMN, NAME unused and one of {', '.join(MEANT)}")
    check_columns(called)
    return called
