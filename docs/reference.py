"""The reference parts of docs/commands.md and docs/configuration.md, from the program itself.

Run `python -m docs.reference` after a change of a command, an option or a key of
the configuration.
"""

from __future__ import annotations

import re
from collections import Counter
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
SHARED = 3
"""Commands with the same option from which on it is described once, at the top."""
PLAIN = re.compile(
    r'^a (whole )?number from |^a non-empty text$|^true or false$|(?<=^a list), such as \["name"\],'
)
"""Words on the allowed values that the default beside them makes plain."""


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
    """The options that several commands share, then every command."""
    found = list(leaves())
    options = [one for _, command in found for one in command.params if one.opts[0][0] == "-"]
    counts = Counter((one.opts[0], _meaning(one)) for one in options)
    most = dict(sorted(counts, key=counts.__getitem__))  # of a name's meanings, the most common
    shared = [line for name, line in counts if line == most[name] and counts[name, line] >= SHARED]
    lines = ["## Common options", "", *(f"* {meaning}" for meaning in shared), ""]
    return "\n".join([*lines, *(_section(name, command, shared) for name, command in found)])


def _section(name: str, command: Any, shared: list[str]) -> str:
    """A command: its help, its arguments and options, and an example."""
    own = [parameter for parameter in command.params if _meaning(parameter) not in shared]
    common = [parameter for parameter in command.params if _meaning(parameter) in shared]
    lines = [f"## `argsearch {name}`", "", _line(command.help), ""]
    lines += [f"* {_name(one)}{_default(one)}: {_cell(one.help)}" for one in own]
    if common:
        listed = (f"`{one.opts[0]}`{_default(one)}" for one in common)
        lines.append(f"* Common: {', '.join(listed)}")
    example = (command.epilog or "").removeprefix("Example: ")
    return "\n".join([*lines, "", "```sh", example, "```", ""])


def _meaning(parameter: Any) -> str:
    return f"{_name(parameter)}: {_cell(parameter.help)}"


def _name(parameter: Any) -> str:
    metavar = parameter.metavar or ""
    if parameter.param_type_name == "argument":
        return f"`{metavar or parameter.name.upper()}`"
    return f"`{', '.join(parameter.opts)}{' ' if metavar else ''}{metavar}`"


def _default(parameter: Any) -> str:
    if parameter.required:
        return " (required)"
    empty = parameter.default in (None, False, (), [], "")
    return "" if empty or callable(parameter.default) else f" (`{parameter.default}`)"


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


def _cell(text: str | None) -> str:
    return _line(text).replace("<", "&lt;")


def configuration() -> str:
    """The shipped configurations, then every key with default, range and meaning."""
    stages = {f"rerank.{name}": stage for name, stage in STAGES.items()}
    sections = (_keys(name, section) for name, section in {**CONFIG_SECTIONS, **stages}.items())
    return "\n".join([_systems(), *sections])


def _systems() -> str:
    lines = ["## Shipped configurations", ""]
    lines += [f"* `{name}`: {_cell(_heading(CONFIGS / f'{name}.toml'))}" for name in names()]
    return "\n".join([*lines, ""])


def _heading(path: Path) -> str:
    """The comment that a configuration begins with."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comment = takewhile(lambda line: line.startswith("#"), lines)
    return " ".join(line.removeprefix("#").strip() for line in comment)


def _keys(name: str, section: Any) -> str:
    lines = [f"## `[{name}]`", ""]
    for key in fields(section):
        table = key.default == () and key.metadata["low"] is not None
        default = "{}" if table else _written(key.default)
        values = PLAIN.sub("", allowed(key.metadata, key.default)).replace(" or ", ", ")
        given = f"`{default}`; {values}" if values else f"`{default}`"
        lines.append(f"* `{key.name}` ({_cell(given)}): {_cell(str(key.metadata['doc']))}")
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
