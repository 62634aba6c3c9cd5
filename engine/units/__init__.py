"""Units: the kinds of things that are ranked, one a file or folder.

A unit is a file here and a line in UNITS, or a plug-in; `argsearch run --unit`, `Engine.search` and
the reference of commands follow.
"""

from argsearch.engine.units.base import SearchRequest, Unit
from argsearch.ranking import plugins

# places, not classes: a search needs but one unit, and each imports kernels of its own
UNITS: dict[str, type[Unit]] = plugins.Registry(
    "units",
    {
        "arguments": "argsearch.engine.units.arguments:Arguments",
        "pairs": "argsearch.engine.units.pairs.unit:Pairs",
        "premises": "argsearch.engine.units.premises.unit:Premises",
        "counters": "argsearch.engine.units.counters:Counters",
    },
)
"""Every unit, by name."""

__all__ = ["UNITS", "SearchRequest", "Unit"]
