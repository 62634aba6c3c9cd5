"""An argument search engine that ranks by relevance, topical cluster and argument quality."""

from importlib import import_module
from typing import TYPE_CHECKING

from argsearch.version import __version__

if TYPE_CHECKING:
    from argsearch.engine.challenge.challenge import Challenge
    from argsearch.engine.config import Config, load_config
    from argsearch.engine.engine import Engine, EngineClosed
    from argsearch.engine.parameters import (
        FormatName,
        HitSide,
        SideFilter,
        SideName,
        StanceName,
        UnitName,
    )
    from argsearch.engine.points.key_points import KeyPoints
    from argsearch.engine.results.results import Hit, Hits, Results
    from argsearch.engine.stance.model import Side
    from argsearch.engine.stance.sides import Balance
    from argsearch.indexer.corpus.argument import Argument, Premise, Stance
    from argsearch.indexer.errors import InvalidParameter, MissingExtra
    from argsearch.indexer.format.manifest import (
        IndexDamaged,
        IndexFormatUnsupported,
        IndexMissing,
    )
    from argsearch.indexer.format.parts import PartMissing
    from argsearch.indexer.server.client import ServerError
    from argsearch.ranking.errors import ArgsearchError
    from argsearch.ranking.explanation import Explanation
else:

    def __getattr__(name: str) -> object:
        """Import and return a public name on first use, so that importing the package stays fast.

        Type checkers do not see this function; otherwise, they would accept every name.
        """
        if name not in _PLACES:
            raise AttributeError(f"module 'argsearch' has no attribute {name!r}")
        return getattr(import_module(f"argsearch.{_PLACES[name]}"), name)


_PLACES = {
    "ArgsearchError": "ranking.errors",
    "Argument": "indexer.corpus.argument",
    "Balance": "engine.stance.sides",
    "Challenge": "engine.challenge.challenge",
    "Config": "engine.config",
    "Engine": "engine.engine",
    "EngineClosed": "engine.engine",
    "Explanation": "ranking.explanation",
    "FormatName": "engine.parameters",
    "Hit": "engine.results.results",
    "HitSide": "engine.parameters",
    "Hits": "engine.results.results",
    "IndexDamaged": "indexer.format.manifest",
    "IndexFormatUnsupported": "indexer.format.manifest",
    "IndexMissing": "indexer.format.manifest",
    "InvalidParameter": "indexer.errors",
    "KeyPoints": "engine.points.key_points",
    "MissingExtra": "indexer.errors",
    "PartMissing": "indexer.format.parts",
    "Premise": "indexer.corpus.argument",
    "Results": "engine.results.results",
    "ServerError": "indexer.server.client",
    "Side": "engine.stance.model",
    "SideFilter": "engine.parameters",
    "SideName": "engine.parameters",
    "Stance": "indexer.corpus.argument",
    "StanceName": "engine.parameters",
    "UnitName": "engine.parameters",
    "load_config": "engine.config",
}
"""The module that defines each public name."""

__all__ = [
    "ArgsearchError",
    "Argument",
    "Balance",
    "Challenge",
    "Config",
    "Engine",
    "EngineClosed",
    "Explanation",
    "FormatName",
    "Hit",
    "HitSide",
    "Hits",
    "IndexDamaged",
    "IndexFormatUnsupported",
    "IndexMissing",
    "InvalidParameter",
    "KeyPoints",
    "MissingExtra",
    "PartMissing",
    "Premise",
    "Results",
    "ServerError",
    "Side",
    "SideFilter",
    "SideName",
    "Stance",
    "StanceName",
    "UnitName",
    "__version__",
    "load_config",
]


def __dir__() -> list[str]:
    """Return the public names, also those that are imported on first use."""
    return sorted({*globals(), *__all__})
