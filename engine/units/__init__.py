"""Units: the kinds of things that are ranked, one a file or folder.

A unit is a file here and a line in `_PLACES`, or a plug-in; `argsearch run --unit`,
`Engine.search` and the reference of commands follow.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module

from argsearch.engine.units.base import SearchRequest, Unit
from argsearch.ranking import plugins

_PLACES = {
    "arguments": "arguments.Arguments",
    "pairs": "pairs.unit.Pairs",
    "premises": "premises.unit.Premises",
    "counters": "counters.Counters",
}
"""The class of each unit and its place in this folder, by the unit's name."""
_PLUGGED = plugins.named("units", _PLACES)


class _Units(Mapping[str, type[Unit]]):
    """Each is loaded when it is asked for: a search needs but one."""

    def __getitem__(self, name: str) -> type[Unit]:
        found: type[Unit]
        if name in _PLUGGED:
            found = plugins.load(_PLUGGED[name])
            return found
        module, _, unit = _PLACES[name].rpartition(".")
        found = getattr(import_module(f"argsearch.engine.units.{module}"), unit)
        return found

    def __contains__(self, name: object) -> bool:
        return name in _PLACES or name in _PLUGGED

    def __iter__(self) -> Iterator[str]:
        return iter((*_PLACES, *_PLUGGED))

    def __len__(self) -> int:
        return len(_PLACES) + len(_PLUGGED)


UNITS = _Units()
"""Every unit, by name."""

__all__ = ["UNITS", "SearchRequest", "Unit"]
