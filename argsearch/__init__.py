"""An argument search engine that ranks by relevance, topical cluster and argument quality."""

from typing import TYPE_CHECKING, Any

from argsearch.version import __version__

if TYPE_CHECKING:
    from argsearch.engine.engine import Engine

__all__ = ["Engine", "__version__"]


def __getattr__(name: str) -> Any:
    """Return `Engine`, imported when it is first asked for: the import alone stays quick."""
    if name == "Engine":
        from argsearch.engine.engine import Engine

        return Engine
    raise AttributeError(f"module 'argsearch' has no attribute {name!r}")
