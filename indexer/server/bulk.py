"""Sends rows to an index on a search server in bulk requests, each row exactly once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Lock
from typing import Any

from argsearch.indexer.server.client import Server, ServerBusy, ServerError, failure, pause

BULK_BYTES = 4_000_000
"""Approximate size of a request in bytes."""
IN_FLIGHT = 2
"""Number of concurrent requests; more rows are read only after a request has been answered."""
BULK_ATTEMPTS = 12
"""Maximum number of attempts to send rows to a busy server; the delay grows to ten seconds."""
DONE = {"create": 409, "delete": 404}
"""Status of an action that an earlier attempt has already completed."""
_PATIENCE = {"timeout": "10s"}
"""Time that the server waits for a shard without a node before it postpones documents."""


class DocumentRefused(ServerError):
    """The server rejected a document."""


class Bulk:
    """Sends rows to one index; a row contains the lines of one action."""

    def __init__(self, server: Server, index: str, sent: Callable[[int], None]) -> None:
        """Prepare to send; `sent` is called with the number of rows written so far."""
        self.server = server
        self.index = index
        self.retried = 0
        self._sent = sent
        self._done = 0
        self._lock = Lock()
        self._stop = Event()

    def send(self, rows: Iterable[bytes]) -> None:
        """Send all rows; raise an error for the first row that cannot be written."""
        running: deque[Future[None]] = deque()
        pool = ThreadPoolExecutor(IN_FLIGHT, "bulk")
        try:
            for batch in self._batches(rows):
                # The pool would queue every batch at once and keep the whole corpus in memory.
                if len(running) == IN_FLIGHT:
                    running.popleft().result()
                running.append(pool.submit(self._write, batch))
            for future in running:
                future.result()
        finally:
            # A failure also ends the other requests, which may be in long pauses.
            self._stop.set()
            pool.shutdown(cancel_futures=True)

    def _batches(self, rows: Iterable[bytes]) -> Iterator[list[bytes]]:
        batch: list[bytes] = []
        size = 0
        for row in rows:
            if batch and size + len(row) > BULK_BYTES:
                yield batch
                batch, size = [], 0
            batch.append(row)
            size += len(row)
        if batch:
            yield batch

    def _write(self, rows: list[bytes]) -> None:
        """Send one batch, and send its postponed rows again until all are written."""
        count = len(rows)
        for attempt in range(BULK_ATTEMPTS):
            body = b"".join(rows)
            answer = self.server.request("POST", f"/{self.index}/_bulk", body, params=_PATIENCE)
            rows = self._put_off(rows, answer)
            if not rows:
                break
            with self._lock:
                self.retried += len(rows)
            if self._stop.wait(pause(attempt)):
                return
        else:
            raise ServerBusy(
                f"{self.server.address.server} postponed {len(rows)} documents "
                f"{BULK_ATTEMPTS} times; try again when it is less busy"
            )
        with self._lock:
            self._done += count
            self._sent(self._done)

    def _put_off(self, rows: list[bytes], answer: dict[str, Any]) -> list[bytes]:
        """Return the rows to send again; raise an error if the server rejected a row."""
        if not answer["errors"]:
            return []
        again = []
        for row, item in zip(rows, answer["items"], strict=True):
            [(action, told)] = item.items()
            status = told["status"]
            if failure(told).passes(status):
                again.append(row)
            elif status >= 300 and status != DONE.get(action):
                raise self._refused(told)
        return again

    def _refused(self, item: dict[str, Any]) -> ServerError:
        reason = str((item.get("error") or {}).get("reason", item["status"]))
        if "read-only" in reason:
            return DocumentRefused(
                f"{self.server.address} became read-only ({reason}); free disk space on the "
                "server, then run the same command again"
            )
        id = item.get("_id")
        return DocumentRefused(f"{self.server.address} rejected document {id!r}: {reason[:300]}")
