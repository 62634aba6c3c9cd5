"""A generation while it is written: nobody sees it before it is complete and the name is moved.

Only when every document is counted and refreshed is the name (an alias) moved to it, in one step;
the generation that stood there is then removed. What fails before leaves the name as it was.
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
"""The servers' name for an index that is to be created and is there."""


class WriteIncomplete(ServerError):
    """The server does not hold every document that was sent; the name was not moved."""


@dataclass
class Draft:
    """One generation that is written."""

    server: Server
    index: str
    """Its own name."""
    layout: Layout
    centroids: NDArray[np.float32]
    columns: Sequence[Column]
    manifest: dict[str, Any]
    """As far as it is known."""
    said: dict[str, Any] = field(default_factory=dict)
    """What else its metadata say: `parts` on the server, `digests` of its documents, and the
    directory `beside` it."""
    stands: bool | None = False
    """Whether the name stands for it; None where it may."""
    created: bool = False
    """Whether this process made it on the server."""

    def put(self, fill: Callable[[], int], progress: Progress, of: str | None = None) -> None:
        """Create it, fill it, complete it, and move the name to it; remove what was left before.

        fill: sends the documents, completes `manifest` and `said`, and returns how many they are;
        of: the generation that it is made of, which the name must stand for until then; None: any.
        On an error it is removed, and the name stays. Where the name stands for it all the same,
        that is the end of it: Ctrl-C is raised when the old generation is gone. Raises OldFilesLeft
        where that cannot be removed.
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
        # It came in the middle: texts that are to be removed go all the same.
        except KeyboardInterrupt:
            self._drop(old)
            raise

    def _is_named(self, error: BaseException, old: list[str]) -> bool:
        """Whether the name stands for it, in spite of an error after the name was to be moved.

        Raises where nobody can tell: what may be named is not removed. Where someone else's index
        has the name too, it is taken back.
        """
        name = self.server.address.name
        try:
            found = behind(self.server) if self.stands is not False else []
        except ServerError:
            if not isinstance(error, ServerError):
                raise error from None
            raise WriteIncomplete(
                f"{error}; whether {self.server.address} stands for the new index ({self.index}) "
                "is not known: look with argsearch info"
            ) from error
        if self.index in found and found != [self.index]:
            back = [{"add": {"index": index, "alias": name}} for index in old]
            off = {"remove": {"index": self.index, "alias": name}}
            self.server.request("POST", "/_aliases", {"actions": [off, *back]})
            found = old
        self.stands = self.index in found
        return self.stands

    def _remove(self) -> None:
        """Remove it where it is this process's; the next build does where the server is away."""
        with suppress(ServerError):
            if self._is_own():
                self.server.request("DELETE", f"/{self.index}", missing=True)

    def _drop(self, old: list[str]) -> None:
        """Remove what the name stood for before."""
        for generation in old:
            try:
                self.server.request("DELETE", f"/{generation}", missing=True)
            except ServerError as error:
                raise OldFilesLeft(
                    f"{self.server.address} is changed, but the index that it was before, with all "
                    f"that was removed, is still there ({error}): delete {generation} there"
                ) from error

    def _is_own(self) -> bool:
        """Whether this process made it; without metadata its own documents did.

        An index of that name without metadata that was there before is another program's.
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
        # After the time that is given, as many copies as there are will do.
        every_copy = {"wait_for_active_shards": "all", "timeout": "20s"}
        try:
            self.server.request("PUT", f"/{self.index}", body, params=every_copy)
        except RequestRejected as error:
            # One of ours is there where the first answer was lost and the request sent again.
            if error.kind != EXISTS or not self._is_own():
                raise
        self.created = True

    def _complete(self, documents: int) -> None:
        """Refresh, count, and mark the generation as complete."""
        path = f"/{self.index}"
        self.server.request("POST", f"{path}/_refresh")
        found = self.server.request("GET", f"{path}/_count")
        expected = documents + schema.chunks(self.centroids.shape)
        # A count that lacks a shard is no count, even where the number fits.
        if found["_shards"]["failed"] or found["count"] != expected:
            raise WriteIncomplete(
                f"{self.server.address}: {found['count']} of {expected} documents arrived; the "
                "name was not moved, run the same command again"
            )
        meta = self._mapping(complete=True)["_meta"]
        self.server.request("PUT", f"{path}/_mapping", {"_meta": meta})
        self.server.request("PUT", f"{path}/_settings", {"index": {"refresh_interval": None}})

    def _switch(self, old: list[str]) -> None:
        """Move the name, in one step; only one index can be a name's write index."""
        name = self.server.address.name
        remove = [{"remove": {"index": index, "alias": name}} for index in old]
        add = {"add": {"index": self.index, "alias": name, "is_write_index": True}}
        rejected: RequestRejected | None = None
        try:
            now = generations_of(self.server)
        # The name is taken, or the old index has got another one meanwhile.
        except IndexForeign as error:
            raise self._foreign() from error
        if now != old:
            raise self._foreign()
        self.stands = None
        try:
            self.server.request("POST", "/_aliases", {"actions": [*remove, add]})
        except RequestRejected as error:
            # It may be that the first answer was lost, and the old name is gone already: look.
            rejected = error
        if behind(self.server) != [self.index]:
            raise self._foreign() from rejected  # the new generation and its name are removed
        self.stands = True

    def _foreign(self) -> IndexForeign:
        return IndexForeign(
            f"{self.server.address} was changed by someone else during the build; the new "
            "index was removed, run the same command again"
        )
