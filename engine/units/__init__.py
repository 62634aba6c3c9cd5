"""Units: the kinds of results that can be ranked, one per file or folder.

To add a unit, add a file here and a line in UNITS, or write a plug-in. `argsearch run --unit`,
`Engine.search` and the command reference then include it.
"""

from argsearch.engine.units.base import SearchRequest, Unit
from argsearch.ranking import plugins

# Paths instead of classes, since a search needs only one unit and each imports its own kernels.
UNITS: dict[str, type[Unit]] = plugins.Registry(
    "units",
    {
        "arguments": "argsearch.engine.units.arguments:Arguments",
        "pairs": "argsearch.engine.units.pairs.unit:Pairs",
        "premises": "argsearch.engine.units.premises.unit:Premises",
        "counters": "argsearch.engine.units.counters:Counters",
    },
)
"""All units by name."""

__all__ = ["UNITS", "SearchRequest", "Unit"]
