"""Arguments and options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from argsearch.indexer import parameters
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.parameters import Parameter


def option(declared: str, help: str, *default: Any) -> Any:
    """Return the option of typer that is declared as `--name METAVAR`, or `--name` of a flag.

    default: where it is not part of an `Annotated` type; `...` of one that has to be given.
    """
    name, _, metavar = declared.partition(" ")
    return typer.Option(*default, name, metavar=metavar or None, help=help)


def argument(metavar: str, help: str, *default: Any) -> Any:
    """Return an argument of typer; without a default it has to be given."""
    return typer.Argument(*default, metavar=metavar, help=help)


class Unreadable(ArgsearchError):
    """The value of an option is not allowed; no ValueError, which typer would tell in its words."""

    exit_code = 2


def of(parameter: Parameter, declared: str, *default: Any) -> Any:
    """Return the option of a parameter, declared as `--name METAVAR`."""
    name, _, metavar = declared.partition(" ")
    single = parameter.but(several=0, required=True)  # typer makes the list

    def read(value: Any) -> Any:
        """Return the value as it is used; raises Unreadable."""
        try:
            return single.read(value, text=True)
        except InvalidParameter as error:
            raise Unreadable(str(error)) from error

    shown = metavar or "|".join(parameter.choices) or None
    return typer.Option(*default, name, parser=read, metavar=shown, help=parameter.doc)


def choice(name: str, values: Sequence[str], help: str, *default: Any) -> Any:
    """Return an option that has one of the values."""
    return of(Parameter(name, str, help, choices=tuple(values)), name, *default)


def within(declared: str, low: float, high: float | None, help: str, *default: Any) -> Any:
    """Return an option with a number from `low` to `high`, or without an upper end."""
    name = declared.partition(" ")[0]
    return of(Parameter(name, type(low), help, low=low, high=high), declared, *default)


def named(option: str, given: list[str] | None, allowed: str, *taken: str) -> dict[str, str]:
    """Return what follows NAME= by name; raise InvalidParameter where a name is there or taken."""
    found: dict[str, str] = {}
    for one in given or []:
        name, _, value = one.partition("=")
        if not (name and value) or name in found or name in taken:
            raise InvalidParameter(option, one, allowed)
        found[name] = value
    return found


def group(help: str, *commands: Callable[..., None]) -> typer.Typer:
    """Return commands of one name, such as `train quality`."""
    made = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    for command in commands:
        add(made, command)
    example = made.registered_commands[0].epilog
    made.info.help, made.info.epilog = help, example
    return made


def add(app: typer.Typer, command: Callable[..., None], name: str | None = None) -> None:
    """Add a command whose docstring says what it does and ends with an example."""
    said, example, line = inspect.cleandoc(command.__doc__ or "").rpartition("Example: ")
    app.command(name, help=said, epilog=example + " ".join(line.split()))(command)


Index = Annotated[
    str, option("--index INDEX", "The index: a directory, or http(s)://host:port/name.")
]
Config = Annotated[str, of(parameters.CONFIG, "--config CONFIG")]
Settings = Annotated[list[str] | None, of(parameters.SETTINGS, "--set SECTION.KEY=VALUE")]
Quiet = Annotated[bool, option("--quiet", "No progress and no messages on standard error.")]
Workers = Annotated[
    int | None,
    within(
        "--workers N",
        1,
        None,
        "Processes to work with; by default chosen from the input's size and the cores.",
    ),
]
Port = Annotated[int, within("--port PORT", 0, 65535, "The port; 0 takes a free one.")]
Host = Annotated[str, option("--host HOST", "The address to listen on.")]
TokenFile = Annotated[
    Path | None,
    option("--token-file FILE", "Answer only those who send a token of this file, one a line."),
]
