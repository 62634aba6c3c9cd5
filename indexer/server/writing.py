"""Writing a finished index to an Elasticsearch or OpenSearch server.

The documents go into a generation of their own. Only when it is complete, counted and refreshed is
the name (an alias) moved to it, in one step; the generation that stood there is then removed. A
build that fails or is interrupted leaves the name as it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np

from argsearch.indexer.format.arrays import Arrays, open_arrays, open_columns
from argsearch.indexer.format.columns import Values
from argsearch.indexer.format.manifest import without_sums
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.server import schema
from argsearch.indexer.server.address import parse
from argsearch.indexer.server.bulk import Bulk, BulkOptions
from argsearch.indexer.server.client import RequestRejected, Server, ServerError, connect
from argsearch.indexer.server.generations import IndexForeign, behind, generations_of, read_meta
from argsearch.indexer.server.leftovers import clean, owner
from argsearch.indexer.server.schema import Layout

Progress = Callable[[str, int], None]
"""Told of each stage by name, and of how many documents are done in it."""

EXISTS = "resource_already_exists_exception"
"""The servers' name for an index that is to be created and is there."""


class WriteIncomplete(ServerError):
    """The server does not hold every document that was sent; the name was not moved."""


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What was written."""

    address: str
    generation: str
    fingerprint: str
    documents: int
    retried: int
    """Requests and documents that had to be sent again."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Time of each stage."""


def write(
    folder: Path,
    address: str,
    layout: Layout = Layout(),  # noqa: B008 - frozen
    options: BulkOptions = BulkOptions(),  # noqa: B008 - frozen
    progress: Progress = lambda _stage, _done: None,
) -> WriteReport:
    """Write the index directory `folder` to `http(s)://host:port/name`, and move the name to it.

    Raises what opening the directory raises, IndexForeign when the name belongs to something that
    this software did not write, WriteIncomplete, and the errors of `indexer.server.client`.
    """
    arrays, manifest = open_arrays(folder)
    columns = open_columns(folder, arrays, manifest)
    server = connect(parse(address))
    try:
        return _Writer(server, (arrays, columns, manifest), layout).write(options, progress)
    finally:
        server.close()


def check_name(address: str) -> None:
    """Raise what a write would raise for a server that does not answer or a name that is taken."""
    server = connect(parse(address))
    try:
        generations_of(server)
    finally:
        server.close()


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
        self._seconds: dict[str, float] = {}

    def write(self, options: BulkOptions, progress: Progress) -> WriteReport:
        """The whole write; on any error the new generation is removed and the name stays."""
        old = generations_of(self.server)
        clean(self.server)
        try:
            self._create()
            retried = self._timed("documents", lambda: self._send(options, progress))
            progress("completing", 0)
            self._timed("completing", self._complete)
            self._switch(old)
        except BaseException:
            with suppress(ServerError):
                self.server.request("DELETE", f"/{self.generation}", missing=True)
            raise
        for generation in old:
            self.server.request("DELETE", f"/{generation}", missing=True)
        return WriteReport(
            address=str(self.server.address),
            generation=self.generation,
            fingerprint=self.manifest["fingerprint"],
            documents=len(self.arrays.quality),
            retried=retried + self.server.retried,
            seconds=self._seconds,
        )

    def _timed(self, stage: str, work: Callable[[], Any]) -> Any:
        begun = time.perf_counter()
        result = work()
        self._seconds[stage] = time.perf_counter() - begun
        return result

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

    def _send(self, options: BulkOptions, progress: Progress) -> int:
        bulk = Bulk(self.server, self.generation, options, lambda n: progress("documents", n))
        bulk.send(self._rows())
        return bulk.retried

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
            raise self._taken() from rejected  # the caller removes the new generation and its name

    def _taken(self) -> IndexForeign:
        return IndexForeign(
            f"{self.server.address} was changed by someone else during the build; the new index "
            "was removed, run the same command again"
        )
