"""Everything done for a query."""

from argsearch.engine.engine import Engine

__all__ = ["Engine"]
