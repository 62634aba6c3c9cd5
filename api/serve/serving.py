"""Configure uvicorn for one or several processes, and disconnect slow clients."""

from __future__ import annotations

import time
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from argsearch.indexer.errors import ArgsearchError

SILENT = 20.0
"""Seconds a client has to send headers or a piece of a body, or to read a piece of an answer."""
# Sizes in bytes of these pieces: of an answer, and of a request's body.
ANSWER_PIECE_BYTES = 1 << 18
BODY_PIECE_BYTES = 1 << 14
MOST_OPEN = 512
"""Maximum number of connections per process. Further connections get a 503 at once."""
GRACE = 10
"""Seconds that running requests have to finish when the server stops."""
KEEP_ALIVE = 5
"""Seconds for which an idle connection is kept open."""
_waiting: dict[Any, tuple[object, float]] = {}
"""Data that each connection of this process is waiting for, and the time when the wait began."""


class ServerFailed(ArgsearchError):
    """The server, or one of its processes, could not start."""


class Counted(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """A connection that counts the bytes it receives and is in `_waiting` while it is open."""

    received = 0

    def connection_made(self, transport: Any) -> None:
        """Register the connection."""
        super().connection_made(transport)
        _waiting[self] = (None, time.monotonic())

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection."""
        _waiting.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count and process received bytes."""
        self.received += len(data)
        super().data_received(data)


def settings() -> dict[str, Any]:
    """Return the arguments for `uvicorn.Config`, except the application and the log format."""
    return {
        "callback_notify": look,
        "timeout_notify": 0,  # at every look of uvicorn's at its clock, once a second
        "http": Counted,
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,  # `Behind` reads them
        "limit_concurrency": MOST_OPEN,
        "timeout_keep_alive": KEEP_ALIVE,
        "timeout_graceful_shutdown": GRACE,
    }


async def look() -> None:
    """Close connections that have waited more than SILENT seconds for their clients.

    The number of connections is limited. Call this in the event loop, about once a second.
    """
    now = time.monotonic()
    for one, (last, since) in list(_waiting.items()):
        owed = _owed(one)
        if owed is None or owed != last:
            _waiting[one] = (owed, now)
        elif now - since > SILENT:
            one.transport.abort()  # closing would wait until everything written is read


def _owed(connection: Any) -> object:
    """Return a value that identifies the data awaited from a connection's client, or None.

    The value changes when the client sends a request, sends another BODY_PIECE_BYTES of a body, or
    reads another ANSWER_PIECE_BYTES of an answer.
    """
    request = getattr(connection, "cycle", None)
    if unread := connection.transport.get_write_buffer_size():
        return request, unread // ANSWER_PIECE_BYTES
    if request is None or request.response_complete:
        return (request,)
    # A request that waits for earlier requests or for its answer needs nothing from its client.
    waits = getattr(connection, "pipeline", ()) or not request.more_body
    return None if waits else (request, connection.received // BODY_PIECE_BYTES)
