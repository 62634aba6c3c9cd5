"""Units: the kinds of things that are ranked, one a file or folder.

A unit is a file here and a line in `_PLACES`; `argsearch run --unit`, `Engine.search` and the
reference of commands follow.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module

from argsearch.engine.units.base import SearchRequest, Unit

_PLACES = {
    "arguments": "arguments.Arguments",
    "pairs": "pairs.unit.Pairs",
    "premises": "premises.unit.Premises",
    "counters": "counters.Counters",
}
"""The class of each unit and its place in this folder, by the unit's name."""


class _Units(Mapping[str, type[Unit]]):
    """Each is loaded when it is asked for: a search needs but one."""

    def __getitem__(self, name: str) -> type[Unit]:
        module, _, unit = _PLACES[name].rpartition(".")
        found: type[Unit] = getattr(import_module(f"argsearch.engine.units.{module}"), unit)
        return found

    def __contains__(self, name: object) -> bool:
        return name in _PLACES

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


UNITS = _Units()
"""Every unit, by name."""

__all__ = ["UNITS", "SearchRequest", "Unit"]
