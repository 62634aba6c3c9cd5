"""An in-place change to the index that a name points to.

A document in the index records that a process is changing it; only one process can create this
document. After an interruption this document stays, and the next change counts all documents again.
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
"""Error type for a document that already exists."""


def is_under_way(server: Server, index: str) -> bool:
    """Return True if a change to the index is in progress or was interrupted."""
    return server.request("GET", _lock(index), missing=True) is not None


def _lock(index: str) -> str:
    """Return the path of the document that records a change."""
    return f"/{index}/_doc/{schema.CHANGE_ROW.replace(':', '%3A')}"


class LiveChange:
    """A change, and the resulting sums over the index's documents."""

    def __init__(self, server: Server, old: Generation) -> None:
        """Prepare a change; raise WriteIncomplete if another process changes the index."""
        self.server, self.old = server, old
        self._lock = _lock(old.index)
        self._left = server.request("GET", self._lock, missing=True)
        """The document that an interrupted change left behind, if any."""
        self.digest = int(old.digest, 16)
        self.tokens, self.documents = (
            int(old.manifest["counts"][name]) for name in ("tokens", "documents")
        )
        if self.is_left:
            self._check_ended(self._left["_source"]["document"]["owner"])
            self._count()

    @property
    def is_left(self) -> bool:
        """True if an earlier change was interrupted and may have been partly applied."""
        return self._left is not None

    def _check_ended(self, of: Any) -> None:
        if not is_left(self.old.index, of):
            by = f"process {of['pid']} of {of['host']}" if isinstance(of, Mapping) else "unknown"
            raise WriteIncomplete(
                f"{self.server.address} is being changed by another process ({by}); wait until it "
                "finishes. If it ended on another machine, rebuild the index with argsearch index"
            )

    def _count(self) -> None:
        """Compute the sums over the documents in the index."""
        self.digest = self.tokens = self.documents = 0
        self.server.request("POST", f"/{self.old.index}/_refresh")
        whole = {"allow_partial_search_results": "false"}
        ask = partial(self.server.request, "POST", f"/{self.old.index}/_search", params=whole)
        for hit in every_hit(ask, {"exists": {"field": "id"}}, ["digest", "words"]):
            self.add(int(hit["_source"]["digest"], 16), int(hit["_source"]["words"]))
            self.documents += 1

    def add(self, digest: int, tokens: int) -> None:
        """Add documents to the sums of digests and tokens."""
        self.digest += digest
        self.tokens += tokens

    def subtract(self, known: Mapping[str, Any]) -> None:
        """Subtract an indexed document from the sums."""
        self.add(-int(known["digest"], 16), -int(known["words"]))

    def make(self, send: Callable[[], None], manifest: dict[str, Any]) -> dict[str, Any]:
        """Send the change, update the index's metadata, and return the manifest.

        send: sends all requests. If it is interrupted, repeat the same change to finish it. Raises
        WriteIncomplete, IndexForeign and the same errors as `send` and `Server.request`.
        """
        index = self.old.index
        if index in written_here:
            raise WriteIncomplete(f"{self.server.address} is being changed; wait until it is done")
        written_here.add(index)
        try:
            self._begin()
            send()
            self._end(manifest)
        except (ServerAbsent, ServerBusy) as error:
            said = f"{error}; the change was only partly applied; run the command again to finish"
            raise type(error)(said) from error
        finally:
            written_here.discard(index)
        return manifest

    def _begin(self) -> None:
        """Record that the index is being changed, before the first change."""
        index, asked = self.old.index, {"op_type": "create"}
        # Only one process can replace the document that it saw and so take over the change.
        if self._left:
            names = "seq_no", "primary_term"
            asked = {f"if_{name}": str(self._left[f"_{name}"]) for name in names}
        # An older version made the index read-only.
        self._set({"blocks.write": None})
        try:
            self.server.request("PUT", self._lock, {"document": {"owner": owner()}}, params=asked)
        except RequestRejected as error:
            if error.kind != CHANGING:
                raise
            # The document is our own if the first attempt's answer was lost.
            self._check_own(error)
        now = read_meta(self.server, index) or {}
        if now.get("manifest", {}).get("fingerprint") != self.old.manifest["fingerprint"]:
            self.server.request("DELETE", self._lock, missing=True)
            raise changed_meanwhile(self.server)
        # Searches should see the change as a whole, as far as the server supports this.
        self._set({"refresh_interval": "-1"})

    def _set(self, settings: dict[str, Any]) -> None:
        self.server.request("PUT", f"/{self.old.index}/_settings", {"index": settings})

    def _end(self, manifest: dict[str, Any]) -> None:
        """Refresh, count, and update the index's metadata."""
        index = self.old.index
        self.server.request("POST", f"/{index}/_refresh")
        found = self.server.request("GET", f"/{index}/_count")
        expected = manifest["counts"]["documents"] + schema.chunks(self.old.centroids.shape) + 1
        if found["_shards"]["failed"] or found["count"] != expected:
            raise WriteIncomplete(
                f"{self.server.address}: only {found['count']} of {expected} documents arrived; "
                "run the same command again"
            )
        self._check_own()
        meta = read_meta(self.server, index)
        if meta is None or behind(self.server) != [index]:
            raise changed_meanwhile(self.server)
        digests = schema.digest_text(self.digest)
        meta |= {"manifest": without_sums(manifest), "digests": digests, "changed": True}
        self.server.request("PUT", f"/{index}/_mapping", {"_meta": {schema.META: meta}})
        # Do this before the lock is removed, because then the next change may begin.
        self._set({"refresh_interval": None})
        self.server.request("DELETE", self._lock, missing=True)

    def _check_own(self, error: Exception | None = None) -> None:
        found = self.server.request("GET", self._lock, missing=True)
        if found is None or found["_source"]["document"]["owner"] != owner():
            raise WriteIncomplete(
                f"{self.server.address} is being changed by another process; wait until it "
                "finishes, then run the same command again"
            ) from error
