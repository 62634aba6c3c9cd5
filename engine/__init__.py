"""Everything done for a query."""

from engine.engine import Engine

__all__ = ["Engine"]
