"""A change of the index that a name stands for, where it lies.

A document of the index says that a change is under way, and whose: two processes cannot create it
both. Where one was cut short it stays, and the next change counts anew what the index holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from argsearch.indexer.format.manifest import without_sums
from argsearch.indexer.server import schema
from argsearch.indexer.server.client import (
    RequestRejected,
    Server,
    ServerAbsent,
    ServerBusy,
)
from argsearch.indexer.server.draft import WriteIncomplete
from argsearch.indexer.server.generations import (
    Generation,
    behind,
    changed_meanwhile,
    every_hit,
    is_left,
    owner,
    read_meta,
    written_here,
)

CHANGING = "version_conflict_engine_exception"
"""The servers' name for a document that is to be created and is there."""


def is_under_way(server: Server, index: str) -> bool:
    """Whether an index is being changed, or a change of it was cut short."""
    return server.request("GET", _lock(index), missing=True) is not None


def _lock(index: str) -> str:
    """The path of the document that says so."""
    return f"/{index}/_doc/{schema.CHANGE_ROW.replace(':', '%3A')}"


class LiveChange:
    """One change, and what the documents of the index sum up to with it."""

    def __init__(self, server: Server, old: Generation) -> None:
        """Raises WriteIncomplete where another process changes the index."""
        self.server, self.old = server, old
        self._lock = _lock(old.index)
        self._left = server.request("GET", self._lock, missing=True)
        """The document that a change was cut short by, as it was found."""
        self.digest = int(old.digest, 16)
        self.tokens, self.documents = (
            int(old.manifest["counts"][name]) for name in ("tokens", "documents")
        )
        if self.is_left:
            self._check_ended(self._left["_source"]["document"]["owner"])
            self._count()

    @property
    def is_left(self) -> bool:
        """Whether a change was cut short: some of it is done."""
        return self._left is not None

    def _check_ended(self, of: Any) -> None:
        if not is_left(self.old.index, of):
            by = f"process {of['pid']} of {of['host']}" if isinstance(of, Mapping) else "unknown"
            raise WriteIncomplete(
                f"{self.server.address} is changed by another process ({by}); wait for its end. If "
                "it has ended on another machine, build the index again with argsearch index"
            )

    def _count(self) -> None:
        """Sum up the documents that are there."""
        self.digest = self.tokens = self.documents = 0
        self.server.request("POST", f"/{self.old.index}/_refresh")
        whole = {"allow_partial_search_results": "false"}
        ask = partial(self.server.request, "POST", f"/{self.old.index}/_search", params=whole)
        for hit in every_hit(ask, {"exists": {"field": "id"}}, ["digest", "words"]):
            self.add(int(hit["_source"]["digest"], 16), int(hit["_source"]["words"]))
            self.documents += 1

    def add(self, digest: int, tokens: int) -> None:
        """Count documents in, by the sums of their digests and tokens."""
        self.digest += digest
        self.tokens += tokens

    def subtract(self, known: Mapping[str, Any]) -> None:
        """Leave a document of the index out of the sums."""
        self.add(-int(known["digest"], 16), -int(known["words"]))

    def make(self, send: Callable[[], None], manifest: dict[str, Any]) -> dict[str, Any]:
        """Send the change, and say what the index is by now; returns the manifest.

        send: sends every request. What is cut short, by an error too, is finished by the same
        change made again. Raises WriteIncomplete, IndexForeign and what `send` and
        `Server.request` raise.
        """
        index = self.old.index
        if index in written_here:
            raise WriteIncomplete(f"{self.server.address} is changed already; wait for the end")
        written_here.add(index)
        try:
            self._begin()
            send()
            self._end(manifest)
        except (ServerAbsent, ServerBusy) as error:
            said = f"{error}; a part of the change is made, the same command finishes it"
            raise type(error)(said) from error
        finally:
            written_here.discard(index)
        return manifest

    def _begin(self) -> None:
        """Say that the index is changed, before anything of it is."""
        index, asked = self.old.index, {"op_type": "create"}
        # Only one process can replace the document that it saw, so one takes the change over.
        if self._left:
            names = "seq_no", "primary_term"
            asked = {f"if_{name}": str(self._left[f"_{name}"]) for name in names}
        # An older version forbade writing.
        self._set({"blocks.write": None})
        try:
            self.server.request("PUT", self._lock, {"document": {"owner": owner()}}, params=asked)
        except RequestRejected as error:
            if error.kind != CHANGING:
                raise
            # That of the first attempt, whose answer was lost, is our own.
            self._check_own(error)
        now = read_meta(self.server, index) or {}
        if now.get("manifest", {}).get("fingerprint") != self.old.manifest["fingerprint"]:
            self.server.request("DELETE", self._lock, missing=True)
            raise changed_meanwhile(self.server)
        # Searches see the change as a whole, as far as the server can do that.
        self._set({"refresh_interval": "-1"})

    def _set(self, settings: dict[str, Any]) -> None:
        self.server.request("PUT", f"/{self.old.index}/_settings", {"index": settings})

    def _end(self, manifest: dict[str, Any]) -> None:
        """Refresh, count, and say what the index is."""
        index = self.old.index
        self.server.request("POST", f"/{index}/_refresh")
        found = self.server.request("GET", f"/{index}/_count")
        expected = manifest["counts"]["documents"] + schema.chunks(self.old.centroids.shape) + 1
        if found["_shards"]["failed"] or found["count"] != expected:
            raise WriteIncomplete(
                f"{self.server.address}: {found['count']} of {expected} documents are there; run "
                "the same command again"
            )
        self._check_own()
        meta = read_meta(self.server, index)
        if meta is None or behind(self.server) != [index]:
            raise changed_meanwhile(self.server)
        digests = schema.digest_text(self.digest)
        meta |= {"manifest": without_sums(manifest), "digests": digests, "changed": True}
        self.server.request("PUT", f"/{index}/_mapping", {"_meta": {schema.META: meta}})
        # While the lock is there: the next change may begin as soon as it is gone.
        self._set({"refresh_interval": None})
        self.server.request("DELETE", self._lock, missing=True)

    def _check_own(self, error: Exception | None = None) -> None:
        found = self.server.request("GET", self._lock, missing=True)
        if found is None or found["_source"]["document"]["owner"] != owner():
            raise WriteIncomplete(
                f"{self.server.address} is changed by another process; wait for its end, then run "
                "the same command again"
            ) from error
