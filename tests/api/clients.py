"""Clients in threads that ask a server without a pause until they are told to stop."""

from __future__ import annotations

import http.client
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from tests.api.test_workers import Running
from tests.processes import PATIENCE

BROKEN = (OSError, http.client.HTTPException)
"""What a client sees of a process that ends while it answers."""
Seen = tuple[str, str | None]
"""What an answer was of, and what is wrong with it."""


class Asking:
    """So many clients, each over a connection of its own, anew where it ends; they begin at once.

    `look` is given a path, the status, the content and the answer.
    """

    def __init__(
        self,
        address: str,
        paths: Sequence[str],
        clients: int,
        look: Callable[[str, int, bytes, http.client.HTTPResponse], Seen],
    ) -> None:
        self.place, self.paths, self.look = urlsplit(address), paths, look
        self.seen: Counter[str] = Counter()
        self.failed: list[int] = []
        """The clients' ports of the requests that were not answered."""
        self.wrong: list[str] = []
        self.over = threading.Event()
        self._counting = threading.Lock()
        self._pool = ThreadPoolExecutor(clients)
        self._running = [self._pool.submit(self._ask, number) for number in range(clients)]

    def _ask(self, turn: int) -> None:
        connection = http.client.HTTPConnection(
            self.place.hostname, self.place.port, timeout=PATIENCE
        )
        while not self.over.is_set():
            path = self.paths[turn % len(self.paths)]
            turn += 1
            if connection.sock is None:
                connection.connect()  # which the kernel answers: this never fails
            port = connection.sock.getsockname()[1]
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                content = answer.read()
            except BROKEN:
                connection.close()
                with self._counting:
                    self.failed.append(port)
                continue
            of, wrong = self.look(path, answer.status, content, answer)
            with self._counting:
                self.seen[of] += 1
                self.wrong += [wrong] if wrong else []
        connection.close()

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
