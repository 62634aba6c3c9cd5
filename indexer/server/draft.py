"""A generation that is being written; it is invisible until it is complete.

When all documents are refreshed and counted, the name (an alias) moves to the generation in one
step. Then the old generation is removed. If an earlier step fails, the name stays unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.columns import Column
from argsearch.indexer.format.manifest import without_sums
from argsearch.indexer.processes import Progress
from argsearch.indexer.server import schema
from argsearch.indexer.server.client import RequestRejected, Server, ServerError
from argsearch.indexer.server.generations import (
    IndexForeign,
    behind,
    clean,
    generations_of,
    owner,
    read_meta,
    written_here,
)
from argsearch.indexer.server.schema import Layout
from argsearch.indexer.staging import OldFilesLeft

EXISTS = "resource_already_exists_exception"
"""Error type for an index that already exists."""


class WriteIncomplete(ServerError):
    """The server lacks some of the documents that were sent, so the name was not moved."""


@dataclass
class Draft:
    """A generation that is being written."""

    server: Server
    index: str
    """Name of the generation itself."""
    layout: Layout
    centroids: NDArray[np.float32]
    columns: Sequence[Column]
    manifest: dict[str, Any]
    """Manifest of the index, as far as it is known."""
    said: dict[str, Any] = field(default_factory=dict)
    """Further metadata: `parts` on the server, `digests` of documents, the directory `beside`."""
    stands: bool | None = False
    """True if the name points to this generation; None if that is unknown."""
    created: bool = False
    """True if this process created the generation on the server."""

    def put(self, fill: Callable[[], int], progress: Progress, of: str | None = None) -> None:
        """Create and fill the generation, move the name to it, and remove the old one.

        `fill` sends the documents, completes `manifest` and `said`, and returns the number of
        documents. `of` is the generation that the new one was made from, if any; the name must
        still point to it. After an error the new generation is removed and the name stays. If the
        name has already moved, the change is completed, and Ctrl-C is raised once the old
        generation is gone. Raises OldFilesLeft if the old generation cannot be removed.
        """
        old = generations_of(self.server)
        if of is not None and old != [of]:
            raise self._foreign()
        clean(self.server)
        written_here.add(self.index)
        try:
            self._create()
            documents = fill()
            progress("completing", 0)
            self._complete(documents)
            self._switch(old)
        except BaseException as error:
            if not self._is_named(error, old):
                self._remove()
                raise
            if not isinstance(error, ServerError):
                self._drop(old)
                raise
        finally:
            written_here.discard(self.index)
        try:
            self._drop(old)
        # Ctrl-C came during the removal; the old texts must be removed all the same.
        except KeyboardInterrupt:
            self._drop(old)
            raise

    def _is_named(self, error: BaseException, old: list[str]) -> bool:
        """Return True if the name points to the generation despite an error during the move.

        Raises an error if the name's target is unknown, because a named index must not be removed.
        If the name also points to someone else's index, the move is undone.
        """
        name = self.server.address.name
        try:
            found = behind(self.server) if self.stands is not False else []
        except ServerError:
            if not isinstance(error, ServerError):
                raise error from None
            raise WriteIncomplete(
                f"{error}; check with argsearch info whether {self.server.address} points to the "
                f"new index ({self.index})"
            ) from error
        if self.index in found and found != [self.index]:
            back = [{"add": {"index": index, "alias": name}} for index in old]
            off = {"remove": {"index": self.index, "alias": name}}
            self.server.request("POST", "/_aliases", {"actions": [off, *back]})
            found = old
        self.stands = self.index in found
        return self.stands

    def _remove(self) -> None:
        """Remove the generation if this process made it and the server can be reached."""
        with suppress(ServerError):
            if self._is_own():
                self.server.request("DELETE", f"/{self.index}", missing=True)

    def _drop(self, old: list[str]) -> None:
        """Remove the generations that the name pointed to before."""
        for generation in old:
            try:
                self.server.request("DELETE", f"/{generation}", missing=True)
            except ServerError as error:
                raise OldFilesLeft(
                    f"{self.server.address} has been changed, but its old index, with everything "
                    f"that was removed, still exists ({error}); delete {generation} there"
                ) from error

    def _is_own(self) -> bool:
        """Return True if this process created the generation.

        An index with this name that has no metadata and existed before belongs to another program.
        """
        meta = read_meta(self.server, self.index)
        return self.created if meta is None else meta.get("owner") == owner()

    def _mapping(self, complete: bool) -> dict[str, Any]:
        meta = {
            "format": schema.SERVER_FORMAT,
            "complete": complete,
            "mu": self.layout.mu,
            "centroids": list(self.centroids.shape),
            "manifest": without_sums(self.manifest),
            "owner": owner(),
            **self.said,
        }
        return schema.mapping(meta, self.columns)

    def _create(self) -> None:
        mapping = self._mapping(complete=False)
        body = {"settings": schema.settings(self.layout), "mappings": mapping}
        # After the timeout, the copies that exist are enough.
        every_copy = {"wait_for_active_shards": "all", "timeout": "20s"}
        try:
            self.server.request("PUT", f"/{self.index}", body, params=every_copy)
        except RequestRejected as error:
            # The index is our own if the first answer was lost and the request was repeated.
            if error.kind != EXISTS or not self._is_own():
                raise
        self.created = True

    def _complete(self, documents: int) -> None:
        """Refresh, count, and mark the generation as complete."""
        path = f"/{self.index}"
        self.server.request("POST", f"{path}/_refresh")
        found = self.server.request("GET", f"{path}/_count")
        expected = documents + schema.chunks(self.centroids.shape)
        # A count that lacks a shard is invalid, even if the number is right.
        if found["_shards"]["failed"] or found["count"] != expected:
            raise WriteIncomplete(
                f"{self.server.address}: only {found['count']} of {expected} documents arrived, so "
                "the name still points to the old index; run the same command again"
            )
        meta = self._mapping(complete=True)["_meta"]
        self.server.request("PUT", f"{path}/_mapping", {"_meta": meta})
        self.server.request("PUT", f"{path}/_settings", {"index": {"refresh_interval": None}})

    def _switch(self, old: list[str]) -> None:
        """Move the name in one step; a name has only one write index."""
        name = self.server.address.name
        remove = [{"remove": {"index": index, "alias": name}} for index in old]
        add = {"add": {"index": self.index, "alias": name, "is_write_index": True}}
        rejected: RequestRejected | None = None
        try:
            now = generations_of(self.server)
        # The name is taken, or the old index got another name meanwhile.
        except IndexForeign as error:
            raise self._foreign() from error
        if now != old:
            raise self._foreign()
        self.stands = None
        try:
            self.server.request("POST", "/_aliases", {"actions": [*remove, add]})
        except RequestRejected as error:
            # Perhaps only the first answer was lost, and the name has already moved.
            rejected = error
        if behind(self.server) != [self.index]:
            raise self._foreign() from rejected  # the new generation and its name are removed
        self.stands = True

    def _foreign(self) -> IndexForeign:
        return IndexForeign(
            f"{self.server.address} was changed by someone else during the build; the new "
            "index was removed; run the same command again"
        )
