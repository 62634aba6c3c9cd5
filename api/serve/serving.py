"""What uvicorn is told, in one process and in several: slow clients do not keep connections."""

from __future__ import annotations

import time
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from argsearch.indexer.errors import ArgsearchError

SILENT = 20.0
"""Seconds that a client may take for what it owes: a request's head, the next BODY_PIECE_BYTES of
its body, or reading the next ANSWER_PIECE_BYTES of the answer."""
# Bytes of an answer, and of a body, that are more than a client may take SILENT seconds for.
ANSWER_PIECE_BYTES = 1 << 18
BODY_PIECE_BYTES = 1 << 14
MOST_OPEN = 512
"""Connections of one process at a time; one more is answered with 503 at once."""
GRACE = 10
"""Seconds that requests have to end when the server stops."""
KEEP_ALIVE = 5
"""Seconds for which a connection without a request is kept."""
_waiting: dict[Any, tuple[object, float]] = {}
"""The connections of this process: what each waits for from its client, and since when."""


class ServerFailed(ArgsearchError):
    """The server, or one of its processes, could not start."""


class Counted(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """A connection that counts the bytes that it received, and is known while it is open."""

    received = 0

    def connection_made(self, transport: Any) -> None:
        """Note the connection."""
        super().connection_made(transport)
        _waiting[self] = (None, time.monotonic())

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        _waiting.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        self.received += len(data)
        super().data_received(data)


def settings() -> dict[str, Any]:
    """Return arguments of `uvicorn.Config`, without the application and the form of its log."""
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
    """End connections that wait for their client for longer than SILENT seconds.

    There are only so many. To be called in the event loop, every second or so.
    """
    now = time.monotonic()
    for one, (last, since) in list(_waiting.items()):
        owed = _owed(one)
        if owed is None or owed != last:
            _waiting[one] = (owed, now)
        elif now - since > SILENT:
            one.transport.abort()  # to close it would wait until what is written is read


def _owed(connection: Any) -> object:
    """Return what a connection waits for from its client, None where it does not.

    It stays equal while the client does too little for it: the head that follows a request, a
    BODY_PIECE_BYTES more of its body, or that a ANSWER_PIECE_BYTES more of an answer is read.
    """
    request = getattr(connection, "cycle", None)
    if unread := connection.transport.get_write_buffer_size():
        return request, unread // ANSWER_PIECE_BYTES
    if request is None or request.response_complete:
        return (request,)
    # A request that waits for those before it, or for its answer, owes nothing.
    waits = getattr(connection, "pipeline", ()) or not request.more_body
    return None if waits else (request, connection.received // BODY_PIECE_BYTES)
