"""Units: the kinds of things that are ranked, one a file or folder.

A unit is a file here and a line in UNITS; `argsearch run --unit`, `Engine.search` and the reference
of commands follow.
"""

from argsearch.engine.units.arguments import Arguments
from argsearch.engine.units.base import SearchRequest, Unit
from argsearch.engine.units.counters import Counters
from argsearch.engine.units.pairs.unit import Pairs
from argsearch.engine.units.premises.unit import Premises

UNITS: dict[str, type[Unit]] = {unit.name: unit for unit in (Arguments, Pairs, Premises, Counters)}
"""Every unit, by name."""

__all__ = ["UNITS", "SearchRequest", "Unit"]
