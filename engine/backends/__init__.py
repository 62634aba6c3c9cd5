"""Backends, which hold an index and answer queries."""

from __future__ import annotations

from pathlib import Path

from argsearch.engine.backends.base import Backend
from argsearch.indexer.server.address import is_address


def open_backend(address: str | Path) -> Backend:
    """Return the backend of an index: a directory, or `http(s)://host:port/name` on a server."""
    if is_address(address):
        from argsearch.engine.backends.server.backend import ServerBackend

        return ServerBackend(str(address))
    from argsearch.engine.backends.embedded.backend import EmbeddedBackend

    return EmbeddedBackend(Path(address))
