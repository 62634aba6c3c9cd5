"""The search engine: everything that is done to answer a query."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argsearch.engine.engine import Engine
else:

    def __getattr__(name: str) -> object:
        """Return `Engine`, which is loaded on first use."""
        # The engine brings numpy and scipy with it. A command that prints its help needs only
        # `engine.parameters`, and would take several times as long.
        if name != "Engine":
            raise AttributeError(f"module 'argsearch.engine' has no attribute {name!r}")
        from argsearch.engine.engine import Engine

        return Engine


__all__ = ["Engine"]
