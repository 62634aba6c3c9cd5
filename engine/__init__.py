"""Everything done for a query."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argsearch.engine.engine import Engine

__all__ = ["Engine"]


def __getattr__(name: str) -> Any:
    """Return `Engine`, loaded when it is first asked for."""
    # The engine brings numpy and scipy with it. A command that prints its help needs only
    # `engine.parameters`, and would take several times as long.
    if name != "Engine":
        raise AttributeError(name)
    from argsearch.engine.engine import Engine

    return Engine
