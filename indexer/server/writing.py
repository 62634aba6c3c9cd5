"""Writing a finished index to an Elasticsearch or OpenSearch server.

The documents go into a generation of their own. Only when it is complete, counted and refreshed is
the name (an alias) moved to it, in one step; the generation that stood there is then removed. A
build that fails or is interrupted leaves the name as it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex
from threading import Event, Lock
from typing import Any

import numpy as np
import orjson

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import Arrays, open_arrays, open_columns
from argsearch.indexer.format.columns import Values
from argsearch.indexer.format.manifest import without_sums
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.processes import Progress
from argsearch.indexer.server import schema
from argsearch.indexer.server.address import parse
from argsearch.indexer.server.client import (
    RequestRejected,
    Server,
    ServerBusy,
    ServerError,
    connect,
    failure,
    pause,
)
from argsearch.indexer.server.generations import (
    IndexForeign,
    behind,
    clean,
    generations_of,
    owner,
    read_meta,
)
from argsearch.indexer.server.schema import Layout

EXISTS = "resource_already_exists_exception"
"""The servers' name for an index that is to be created and is there."""
WRITTEN = 409
"""The status of a document that an earlier attempt has already written."""
_PATIENCE = {"timeout": "10s"}
"""How long the server waits for a shard that has no node, before it puts its documents off."""


class WriteIncomplete(ServerError):
    """The server does not hold every document that was sent; the name was not moved."""


class DocumentRefused(ServerError):
    """The server does not take a document."""


@dataclass(frozen=True, slots=True)
class BulkOptions:
    """How documents are sent."""

    bytes: int = 4_000_000
    """Size of one request, about."""
    in_flight: int = 2
    """Requests under way at once; no further one is read or sent before one is answered."""
    attempts: int = 12
    """How often what a busy server puts off is sent (pauses grow to ten seconds)."""

    def __post_init__(self) -> None:
        ranges = {"bytes": (1_000, 90_000_000), "in_flight": (1, 64), "attempts": (1, 100)}
        for name, (low, high) in ranges.items():
            if not low <= (value := getattr(self, name)) <= high:
                allowed = f"a whole number from {low} to {high}"
                raise InvalidParameter(f"bulk {name}", value, allowed)


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What was written."""

    generation: str
    fingerprint: str
    documents: int
    retried: int
    """Requests and documents that had to be sent again."""


def write(
    folder: Path,
    address: str,
    layout: Layout = Layout(),  # noqa: B008 - frozen
    options: BulkOptions = BulkOptions(),
    progress: Progress = lambda _stage, _done: None,
) -> WriteReport:
    """Write the index directory `folder` to `http(s)://host:port/name`, and move the name to it.

    Raises what opening the directory raises, IndexForeign when the name belongs to something that
    this software did not write, WriteIncomplete, and the errors of `indexer.server.client`.
    """
    arrays, manifest = open_arrays(folder)
    columns = open_columns(folder, arrays, manifest)
    with closing(connect(parse(address))) as server:
        return _Writer(server, (arrays, columns, manifest), layout).write(options, progress)


def check_name(address: str) -> None:
    """Raise what a write would raise for a server that does not answer or a name that is taken."""
    with closing(connect(parse(address))) as server:
        generations_of(server)


class _Writer:
    """Writes one generation."""

    def __init__(
        self,
        server: Server,
        opened: tuple[Arrays, dict[str, Values], dict[str, Any]],
        layout: Layout,
    ) -> None:
        self.server, self.layout = server, layout
        self.arrays, self.columns, self.manifest = opened
        self.name = server.address.name
        self.generation = f"{self.name}-{self.manifest['fingerprint'][:8]}-{token_hex(4)}"

    def write(self, options: BulkOptions, progress: Progress) -> WriteReport:
        """The whole write; on any error the new generation is removed and the name stays."""
        old = generations_of(self.server)
        clean(self.server)
        try:
            self._create()
            bulk = Bulk(self.server, self.generation, options, partial(progress, "documents"))
            bulk.send(self._rows())
            progress("completing", 0)
            self._complete()
            self._switch(old)
        except BaseException:
            with suppress(ServerError):
                self.server.request("DELETE", f"/{self.generation}", missing=True)
            raise
        for generation in old:
            self.server.request("DELETE", f"/{generation}", missing=True)
        return WriteReport(
            generation=self.generation,
            fingerprint=self.manifest["fingerprint"],
            documents=len(self.arrays.quality),
            retried=bulk.retried + self.server.retried,
        )

    def _meta(self, complete: bool) -> dict[str, Any]:
        clusters, dimensions = self.arrays.centroids.shape
        return {
            "format": schema.SERVER_FORMAT,
            "complete": complete,
            "mu": self.layout.mu,
            "centroids": [clusters, dimensions],
            "manifest": without_sums(self.manifest),
            "owner": owner(),
        }

    def _mapping(self, complete: bool) -> dict[str, Any]:
        columns = [values.column for values in self.columns.values()]
        return schema.mapping(self._meta(complete), columns)

    def _create(self) -> None:
        body = {
            "settings": schema.settings(self.layout),
            "mappings": self._mapping(complete=False),
        }
        every_copy = {"wait_for_active_shards": "all", "timeout": "20s"}  # or as many as there are
        try:
            self.server.request("PUT", f"/{self.generation}", body, params=every_copy)
        except RequestRejected as error:
            if error.kind != EXISTS:  # a name by chance is ours: the first answer was lost
                raise

    def _rows(self) -> Iterator[bytes]:
        yield from schema.centroid_rows(self.arrays.centroids)
        store = DocumentStore(self.arrays)
        for doc in np.argsort(self.arrays.store_rows, kind="stable").tolist():
            columns = {name: values.at(doc) for name, values in self.columns.items()}
            columns["cluster"] = int(self.arrays.clusters[doc])  # the script reads it of every hit
            yield schema.row(store[doc], columns)

    def _complete(self) -> None:
        """Refresh, count, merge, forbid writing, and mark the generation as complete."""
        path = f"/{self.generation}"
        self.server.request("POST", f"{path}/_refresh")
        found = self.server.request("GET", f"{path}/_count")
        expected = len(self.arrays.quality) + schema.chunks(self.arrays.centroids.shape)
        if found["_shards"]["failed"] or found["count"] != expected:
            raise WriteIncomplete(
                f"{self.server.address}: {found['count']} of {expected} documents arrived; the "
                "name was not moved, run the same command again"
            )
        meta = self._mapping(complete=True)["_meta"]
        self.server.request("PUT", f"{path}/_mapping", {"_meta": meta})
        if not (read_meta(self.server, self.generation) or {}).get("complete"):
            raise WriteIncomplete(
                f"{self.server.address}: the new generation was replaced meanwhile"
            )
        done = {"index": {"refresh_interval": None, "blocks.write": True}}
        self.server.request("PUT", f"{path}/_settings", done)

    def _switch(self, old: list[str]) -> None:
        """Move the name, in one step; only one index can be a name's write index."""
        remove = [{"remove": {"index": index, "alias": self.name}} for index in old]
        add = {"add": {"index": self.generation, "alias": self.name, "is_write_index": True}}
        rejected: RequestRejected | None = None
        try:
            self.server.request("POST", "/_aliases", {"actions": [*remove, add]})
        except RequestRejected as error:
            rejected = error  # also where the first answer was lost, and the old name with it
        if behind(self.server) != [self.generation]:
            raise IndexForeign(  # the caller removes the new generation and its name
                f"{self.server.address} was changed by someone else during the build; the new "
                "index was removed, run the same command again"
            ) from rejected


class Bulk:
    """Sends rows (two lines each) to one index."""

    def __init__(
        self, server: Server, index: str, options: BulkOptions, sent: Callable[[int], None]
    ) -> None:
        self.server = server
        self.index = index
        self.options = options
        self.retried = 0
        self._sent = sent
        self._done = 0
        self._lock = Lock()
        self._stop = Event()

    def send(self, rows: Iterable[bytes]) -> None:
        """Send every row; raises at the first that cannot be written."""
        running: set[Future[None]] = set()
        pool = ThreadPoolExecutor(self.options.in_flight, "bulk")
        try:
            for batch in self._batches(rows):
                if len(running) >= self.options.in_flight:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()
                running.add(pool.submit(self._write, batch))
            for future in running:
                future.result()
        finally:
            self._stop.set()
            pool.shutdown(cancel_futures=True)

    def _batches(self, rows: Iterable[bytes]) -> Iterator[list[bytes]]:
        batch: list[bytes] = []
        size = 0
        for row in rows:
            if batch and size + len(row) > self.options.bytes:
                yield batch
                batch, size = [], 0
            batch.append(row)
            size += len(row)
        if batch:
            yield batch

    def _write(self, rows: list[bytes]) -> None:
        """Send one batch until every row of it is written."""
        count = len(rows)
        for attempt in range(self.options.attempts):
            if self._stop.is_set():
                return
            body = b"".join(rows)
            answer = self.server.request("POST", f"/{self.index}/_bulk", body, params=_PATIENCE)
            rows = self._put_off(rows, answer)
            if not rows:
                break
            with self._lock:
                self.retried += len(rows)
            time.sleep(pause(attempt))
        else:
            raise ServerBusy(
                f"{self.server.address.server} put off {len(rows)} documents "
                f"{self.options.attempts} times; try again when it has less to do"
            )
        with self._lock:
            self._done += count
            self._sent(self._done)

    def _put_off(self, rows: list[bytes], answer: dict[str, Any]) -> list[bytes]:
        """The rows that are to be sent again; raises for one that is refused."""
        if not answer["errors"]:
            return []
        again = []
        for row, item in zip(rows, answer["items"], strict=True):
            status = item["create"]["status"]
            if failure(item["create"]).passes(status):
                again.append(row)
            elif status >= 300 and status != WRITTEN:
                raise self._refused(row, item["create"])
        return again

    def _refused(self, row: bytes, item: dict[str, Any]) -> ServerError:
        reason = str((item.get("error") or {}).get("reason", item["status"]))
        if "read-only" in reason:
            return DocumentRefused(
                f"{self.server.address} became read-only ({reason}); free disk space on the "
                "server, then run the same command again"
            )
        id = orjson.loads(row.partition(b"\n")[0])["create"]["_id"]
        return DocumentRefused(f"{self.server.address} refuses document {id!r}: {reason[:300]}")
