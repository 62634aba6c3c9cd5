"""Plug-ins: classes that other packages register or that a configuration names by import path.

An installed package registers entry points in the groups `argsearch.similarities`, `.signals`,
`.stages`, `.encoders`, `.units`, and `.readers`. `module:Class` names an unregistered class.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Container, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from argsearch.ranking.errors import ArgsearchError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PLACE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
"""Pattern of an import path, `module:Class`."""


class PluginUnavailable(ArgsearchError, ValueError):
    """A plug-in cannot be used. The message gives its name, its package and the reason."""


@cache
def _registered() -> Any:
    """Return all registered entry points, or None if no package names one of our groups.

    Reading all entry points adds 30 ms to each start, and searching for the group name only 3 ms.
    """
    if not _named_somewhere():
        return None
    from importlib.metadata import entry_points

    return entry_points()


def _named_somewhere() -> bool:
    """Return True if an entry-points file on the path may name one of our groups."""
    if any(hasattr(one, "find_distributions") for one in sys.meta_path if one is not PathFinder):
        return True
    for folder in sys.path:
        try:
            with os.scandir(folder or ".") as inside:
                infos = [one.path for one in inside if one.name.lower().endswith("-info")]
        except NotADirectoryError:  # a zipped package, which only Python can search
            return True
        except OSError:
            continue
        for info in infos:
            with suppress(OSError):  # without an entry-points file it registers nothing
                if b"[argsearch." in Path(info, "entry_points.txt").read_bytes():
                    return True
    return False


def named(group: str, taken: Container[str] = ()) -> dict[str, EntryPoint]:
    """Return the entry points registered in `argsearch.{group}`, by name, without loading them.

    Raises PluginUnavailable if a name is already taken.
    """
    found: dict[str, EntryPoint] = {}
    points = all_.select(group=f"argsearch.{group}") if (all_ := _registered()) else ()
    for point in sorted(points, key=lambda one: one.name):
        if point.name in taken or point.name in found:
            raise PluginUnavailable(f"{_described(point)}: its name is already used; uninstall one")
        found[point.name] = point
    return found


def loaded(group: str, taken: Container[str] = ()) -> dict[str, Any]:
    """Return the objects that packages register in `argsearch.{group}`, by name.

    Raises PluginUnavailable if a name is already taken or an object cannot be loaded.
    """
    return {name: load(point) for name, point in named(group, taken).items()}


def load(point: EntryPoint) -> Any:
    """Load the object of an entry point, or raise PluginUnavailable if that fails."""
    try:
        return point.load()
    except Exception as error:
        raise PluginUnavailable(f"{_described(point)} failed ({error}); uninstall it") from error


def _described(point: EntryPoint) -> str:
    package = point.dist.name if point.dist else "?"
    return f"plug-in {point.name} ({point.value}, from package {package})"


def at(place: str, base: type) -> Any:
    """Return the class at `module:Class`; raise PluginUnavailable if it is missing or unfit.

    The module is imported from the usual path, which PYTHONPATH extends.
    """
    module, _, name = place.partition(":")
    try:
        found = getattr(import_module(module), name)
    except Exception as error:
        advice = "install its module, or add the module's folder to PYTHONPATH"
        raise PluginUnavailable(f"plug-in {place} cannot be loaded ({error}); {advice}") from error
    missing = sorted(one for one in _promised(base) if not hasattr(found, one))
    if not isinstance(found, type) or missing:
        lacks = f"; it lacks {', '.join(missing)}" if isinstance(found, type) else ""
        raise PluginUnavailable(f"plug-in {place} is not a {base.__name__}{lacks}")
    return found


def _promised(base: type) -> set[str]:
    """Return the names of the public methods of a protocol or class."""
    return {name for name, one in vars(base).items() if callable(one) and name[0] != "_"}


class Registry(dict[str, Any]):
    """Classes by name, built-in or from plug-ins. Plug-ins are loaded on first access."""

    def __init__(self, group: str, own: Mapping[str, Any]) -> None:
        """Register classes. own: built-in ones, or `module:Class` strings to import on demand."""
        super().__init__(own)
        self.update(named(group, own))

    def __getitem__(self, name: str) -> Any:
        """Return a class, or raise PluginUnavailable if a plug-in cannot be loaded."""
        found = super().__getitem__(name)
        if isinstance(found, str):
            self[name] = found = resolve_name(found)
        elif not isinstance(found, type):  # an entry point
            self[name] = found = load(found)
        return found

    def values(self) -> Any:
        """Return all classes after loading them."""
        return [self[name] for name in self]

    def items(self) -> Any:
        """Return (name, class) pairs after loading all classes."""
        return [(name, self[name]) for name in self]


class Names(Collection[str]):
    """Live view of some names followed by those in a table. Iteration skips names with a colon."""

    def __init__(self, table: Mapping[str, Any], *more: str) -> None:
        self._table, self._more = table, more

    def __iter__(self) -> Iterator[str]:
        yield from self._more
        yield from (name for name in self._table if ":" not in name)

    def __contains__(self, name: object) -> bool:
        return name in self._more or name in self._table

    def __len__(self) -> int:
        return sum(1 for _ in self)
