"""Clients in threads that ask a server without a pause until they are told to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.api.test_workers import Running
from tests.processes import PATIENCE


class Clients:
    """So many calls of `ask`, each given its number; each asks until `over` is set."""

    def __init__(self, number: int, ask: Callable[[int], None]) -> None:
        self.over = threading.Event()
        self._pool = ThreadPoolExecutor(number)
        self._ask, self._number = ask, number

    def begin(self) -> None:
        """Let all of them ask."""
        self._running = [self._pool.submit(self._ask, i) for i in range(self._number)]

    def end(self, server: Running) -> str:
        """Stop them and the server; its messages. Raises what any client raised."""
        self.over.set()
        try:
            for one in self._running:
                one.result()
            self._pool.shutdown()
        finally:
            server.process.terminate()
        return server.process.communicate(timeout=PATIENCE)[1]
