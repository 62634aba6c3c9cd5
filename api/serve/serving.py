"""The server of one process: uvicorn's, with signs of life from its event loop."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any

import uvicorn

from argsearch.api.serve.workers import BEAT

SILENT = 20.0
"""Seconds that a connection may take to send a whole request's head."""


class HttpServer(uvicorn.Server):
    """Calls `beat` from its event loop, from when it answers until it has ended.

    What runs in threads does not hold the beats up, however long it takes; an event loop that is
    held up does not beat. Connections that ask nothing, or too slowly, are closed after SILENT
    seconds: there are only so many.
    """

    def __init__(self, config: uvicorn.Config, beat: Callable[[], None]) -> None:
        super().__init__(config)
        self._beat = beat
        self._waiting: dict[Any, tuple[Any, float]] = {}
        """Connections without a request in hand: after which one, and since when."""

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
                self._close_silent()
            await asyncio.sleep(BEAT)

    def _close_silent(self) -> None:
        now, before = time.monotonic(), self._waiting
        self._waiting = {}
        for one in list(self.server_state.connections):
            request = getattr(one, "cycle", None)
            if request is not None and not request.response_complete:
                continue
            last, since = before.get(one, (request, now))
            self._waiting[one] = (request, since if last is request else now)
            if now - self._waiting[one][1] > SILENT and one.transport is not None:
                one.transport.close()
