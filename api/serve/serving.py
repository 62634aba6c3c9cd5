"""The server of one process: uvicorn's, with signs of life from its event loop."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from argsearch.api.serve.workers import BEAT

SILENT = 20.0
"""Seconds that a client may take for what it owes: a request's head, the next PIECE_SENT of its
body, or reading the next PIECE of the answer."""
PIECE, PIECE_SENT = 1 << 18, 1 << 14
"""Bytes of an answer, and of a body, that are more than a client may take SILENT seconds for."""


class Counted(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """A connection that counts the bytes that it received."""

    received = 0

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        self.received += len(data)
        super().data_received(data)


class HttpServer(uvicorn.Server):
    """Calls `beat` from its event loop, from when it answers until it has ended.

    What runs in threads does not hold the beats up, however long it takes; an event loop that is
    held up does not beat. Connections that wait for their client for longer than SILENT seconds are
    ended: there are only so many.
    """

    def __init__(self, config: uvicorn.Config, beat: Callable[[], None]) -> None:
        super().__init__(config)
        self._beat = beat
        self._waiting: dict[Any, tuple[object, float]] = {}
        """Connections that wait for their client: for what, and since when."""

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer, and beat beside it."""
        beating = asyncio.create_task(self._beats())
        try:
            await super().serve(sockets)
        finally:
            beating.cancel()

    async def _beats(self) -> None:
        while True:
            if self.started:
                self._beat()
                self._end_silent()
            await asyncio.sleep(BEAT)

    def _end_silent(self) -> None:
        now, before = time.monotonic(), self._waiting
        self._waiting = {}
        for one in list(self.server_state.connections):
            owed = _owed(one)
            if owed is None:
                continue
            last, since = before.get(one, (owed, now))
            self._waiting[one] = (owed, since if last == owed else now)
            if now - self._waiting[one][1] > SILENT:
                one.transport.abort()  # to close it would wait until what is written is read


def _owed(connection: Any) -> object:
    """Return what a connection waits for from its client, None where it does not.

    It stays equal while the client does too little for it: the head that follows a request, a
    PIECE_SENT more of its body, or that a PIECE more of an answer is read.
    """
    request = getattr(connection, "cycle", None)
    if unread := connection.transport.get_write_buffer_size():
        return request, unread // PIECE
    if request is None or request.response_complete:
        return (request,)
    # A request that waits for those before it, or for its answer, owes nothing.
    waits = getattr(connection, "pipeline", ()) or not request.more_body
    return None if waits else (request, connection.received // PIECE_SENT)
