"""The reference parts of docs/commands.md and docs/configuration.md, from the program itself.

Run `python -m docs.reference` after a change of a command, an option or a key of
the configuration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from itertools import takewhile
from pathlib import Path
from typing import Any

from typer.main import get_command

from argsearch.api.cli.main import COMMANDS, application
from argsearch.api.cli.search import UNIT_COMMANDS as SHOWN
from argsearch.engine.config import CONFIG_SECTIONS, CONFIGS, names
from argsearch.engine.stages import STAGES
from argsearch.engine.units import UNITS
from argsearch.indexer.format.settings import allowed

DOCS = Path(__file__).resolve().parent
BEGIN, END = "<!-- begin of the reference -->", "<!-- end of the reference -->"


def leaves(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command with its name, sub-commands as `judge fit`, units by their own names last."""
    if command is None:
        known = {shown.unit for shown in SHOWN.values()}
        command = get_command(
            application(names=[*COMMANDS, *(one for one in UNITS if one not in known)])
        )
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(path), command
        return
    for name, sub in inner.items():
        yield from leaves(sub, (*path, name))


def commands() -> str:
    """A section a command: what it does, its arguments and options, an example."""
    return "\n".join(_section(name, command) for name, command in leaves())


def _section(name: str, command: Any) -> str:
    example = (command.epilog or "").removeprefix("Example: ")
    lines = [f"## `argsearch {name}`", "", _line(command.help), ""]
    lines += ["| argument or option | default | meaning |", "|---|---|---|"]
    lines += [_row(parameter) for parameter in command.params]
    return "\n".join([*lines, "", "```sh", example, "```", ""])


def _row(parameter: Any) -> str:
    metavar = parameter.metavar or ""
    if parameter.param_type_name == "argument":
        name = f"`{metavar or parameter.name.upper()}`"
    else:
        name = f"`{', '.join(parameter.opts)}{' ' if metavar else ''}{metavar}`"
    return f"| {_cell(name)} | {_cell(_default(parameter))} | {_cell(parameter.help)} |"


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    empty = parameter.default in (None, False, (), [], "")
    return "" if empty or callable(parameter.default) else f"`{parameter.default}`"


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


def _cell(text: str | None) -> str:
    return _line(text).replace("|", "\\|").replace("<", "&lt;")


def configuration() -> str:
    """The shipped configurations, then every key with default, range and meaning."""
    stages = {f"rerank.{name}": stage for name, stage in STAGES.items()}
    sections = (_keys(name, section) for name, section in {**CONFIG_SECTIONS, **stages}.items())
    return "\n".join([_systems(), *sections])


def _systems() -> str:
    lines = ["## Shipped configurations", "", "| name | what it is |", "|---|---|"]
    lines += [f"| `{name}` | {_cell(_heading(CONFIGS / f'{name}.toml'))} |" for name in names()]
    return "\n".join([*lines, ""])


def _heading(path: Path) -> str:
    """The comment that a configuration begins with."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comment = takewhile(lambda line: line.startswith("#"), lines)
    return " ".join(line.removeprefix("#").strip() for line in comment)


def _keys(name: str, section: Any) -> str:
    lines = [f"## `[{name}]`", "", "| key | default | allowed | meaning |", "|---|---|---|---|"]
    for key in fields(section):
        table = key.default == () and key.metadata["low"] is not None
        default = "{}" if table else _written(key.default)
        cells = (f"`{name}.{key.name}`", f"`{default}`", allowed(key.metadata, key.default))
        doc = str(key.metadata["doc"])
        lines.append("| " + " | ".join(map(_cell, (*cells, doc))) + " |")
    return "\n".join([*lines, ""])


def _written(default: Any) -> str:
    """A default as TOML has it."""
    if isinstance(default, tuple):
        return repr(list(default))
    return str(default).lower() if isinstance(default, bool) else str(default)


def renewed(text: str, reference: str) -> str:
    """A document with the part between its marks replaced; raises ValueError without marks."""
    pattern = re.compile(f"{BEGIN}.*{END}", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"the document has no marks {BEGIN} … {END}")
    return pattern.sub(lambda _: f"{BEGIN}\n\n{reference}\n{END}", text)


def main() -> None:
    """Write the reference into both documents."""
    for name, reference in (("commands", commands()), ("configuration", configuration())):
        path = DOCS / f"{name}.md"
        path.write_text(renewed(path.read_text(encoding="utf-8"), reference), encoding="utf-8")


if __name__ == "__main__":
    main()
