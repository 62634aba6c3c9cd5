"""The server of one process: uvicorn's, with signs of life from its event loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import uvicorn

from api.workers import BEAT


class Server(uvicorn.Server):
    """Calls `beat` from its event loop, from when it answers until it has ended.

    What runs in threads does not hold the beats up, however long it takes; an event loop that is
    held up does not beat.
    """

    def __init__(self, config: uvicorn.Config, beat: Callable[[], None]) -> None:
        super().__init__(config)
        self._beat = beat

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
            await asyncio.sleep(BEAT)
