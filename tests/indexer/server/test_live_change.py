"""One change of an index where it lies, and who may make it, on a stand-in for a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from argsearch.indexer.server import live, schema
from argsearch.indexer.server.address import parse
from argsearch.indexer.server.client import RequestRejected, ServerAbsent
from argsearch.indexer.server.draft import WriteIncomplete
from argsearch.indexer.server.generations import Generation, IndexForeign, owner, written_here
from argsearch.indexer.server.live import CHANGING, LiveChange, is_under_way
from argsearch.indexer.server.schema import META

INDEX = "n-0123abcd-0123abcd"
ELSEWHERE = {"pid": 1, "host": "elsewhere"}
ENDED = {**owner(), "boot": "earlier"}
Document = dict[str, Any]


def manifest(fingerprint: str, documents: int = 3) -> dict[str, Any]:
    return {"fingerprint": fingerprint, "counts": {"documents": documents, "tokens": 30}}


class Node:
    """What a change asks of a server; `before` may do something else before a request."""

    def __init__(self, lock: Any = None) -> None:
        self.address = parse("http://localhost:9200/n")
        self.meta: Document = {"manifest": manifest("before"), "digests": "6"}
        self.named = [INDEX]
        self.documents: list[Document] = [
            {"id": str(i), "digest": f"{i + 1:x}", "words": 10} for i in range(3)
        ]
        self.unseen: list[Document] = []
        """Documents that no search finds before the next refresh."""
        self.lock: Document | None = None
        self.lock_changes = 0
        if lock:
            self.take(lock)
        self.before: Callable[[str, str], None] = lambda _method, _path: None

    def take(self, by: Any) -> None:
        """Let a process say that it changes the index."""
        self.lock, self.lock_changes = {"document": {"owner": by}}, self.lock_changes + 1

    def request(self, method: str, path: str, body: Any = None, **asked: Any) -> Any:
        self.before(method, path)
        if path == live._lock(INDEX):
            return self._locking(method, body, asked.get("params") or {})
        what = path.rpartition("/")[2]
        if what == "_refresh":
            self.documents, self.unseen = [*self.documents, *self.unseen], []
        elif what == "_search":
            after = body.get("search_after", [""])[0]
            found = [one for one in self.documents if one["id"] > after][: body["size"]]
            return {"hits": {"hits": [{"_source": one, "sort": [one["id"]]} for one in found]}}
        elif what == "_count":
            return {"count": len(self.documents) + 1, "_shards": {"failed": 0}}
        elif what == "_alias":
            return {index: {"aliases": {"n": {}}} for index in self.named}
        elif what == "_mapping" and method == "PUT":
            self.meta = body["_meta"][META]
        elif what == "_mapping":
            return {INDEX: {"mappings": {"_meta": {META: self.meta}}}}
        return {}

    def _locking(self, method: str, body: Any, asked: dict[str, str]) -> Any:
        if method == "PUT":
            there = self.lock is not None
            is_new = asked.get("op_type") == "create"
            other = asked.get("if_seq_no", str(self.lock_changes)) != str(self.lock_changes)
            if there if is_new else other or not there:
                raise RequestRejected("it is there", CHANGING)
            self.take(body["document"]["owner"])
        elif method == "DELETE":
            self.lock, self.lock_changes = None, self.lock_changes + 1
        elif self.lock is None:
            return None
        return {"_source": self.lock, "_seq_no": self.lock_changes, "_primary_term": 1}


def change(node: Any) -> LiveChange:
    none = np.zeros((0, 0), np.float32)
    return LiveChange(
        node, Generation(INDEX, 2000.0, 1, None, manifest("before"), none, digest="6")
    )


def nothing() -> None:
    raise AssertionError("something was sent")


def test_the_index_says_that_it_is_changed_while_it_is() -> None:
    node, seen = Node(), list[bool]()
    server: Any = node
    made, other = change(node), change(node)

    def send() -> None:
        seen.append(is_under_way(server, INDEX))
        with pytest.raises(WriteIncomplete, match="is being changed; wait"):
            other.make(nothing, manifest("other"))
        node.unseen.append({"id": "new", "digest": "10", "words": 5})

    made.add(0x10, 5)
    assert made.make(send, manifest("after", 4)) == manifest("after", 4)
    assert (seen, node.lock) == ([True], None)
    assert node.meta["manifest"]["fingerprint"] == "after"
    assert (int(node.meta["digests"], 16), made.tokens) == (0x16, 35)
    assert node.meta["changed"] is True


@pytest.mark.parametrize("by", [ELSEWHERE, None, {**owner(), "started": "0", "host": "x"}])
def test_another_process_is_left_to_finish(by: Any) -> None:
    """Also one that cannot be seen from here, and this one, which changes it just now."""
    node = Node(by or owner())
    if by is None:
        written_here.add(INDEX)
    try:
        with pytest.raises(WriteIncomplete, match=r"is being changed by another process \("):
            change(node)
    finally:
        written_here.discard(INDEX)


@pytest.mark.parametrize("left", [None, ENDED])
def test_of_two_processes_one_begins(left: Any) -> None:
    """Whether nothing was there, or both take over what was cut short."""
    node = Node(left)
    made = change(node)
    node.take(ELSEWHERE)
    with pytest.raises(WriteIncomplete, match="another process; wait until it finishes, then run"):
        made.make(nothing, manifest("after"))
    assert node.lock == {"document": {"owner": ELSEWHERE}}
    assert INDEX not in written_here


def test_an_answer_that_is_lost_when_it_has_begun_is_no_fault() -> None:
    node = Node()
    made, request = change(node), node.request

    def twice(method: str, path: str, body: Any = None, **asked: Any) -> Any:
        if method == "PUT" and path == live._lock(INDEX):
            request(method, path, body, **asked)
        return request(method, path, body, **asked)

    node.request = twice  # type: ignore[method-assign]
    made.make(lambda: None, manifest("after"))
    assert (node.lock, node.meta["manifest"]["fingerprint"]) == (None, "after")


def test_an_index_that_changed_meanwhile_is_left_alone() -> None:
    node = Node()
    made = change(node)
    node.meta["manifest"] = manifest("other")
    with pytest.raises(IndexForeign, match="was changed by someone else in the meantime"):
        made.make(nothing, manifest("after"))
    assert (node.lock, node.meta["manifest"]["fingerprint"]) == (None, "other")


@pytest.mark.parametrize(
    ("meanwhile", "error", "said"),
    [
        (lambda node: node.documents.pop(), WriteIncomplete, "3 of 4 documents arrived"),
        (lambda node: node.take(ELSEWHERE), WriteIncomplete, "changed by another process"),
        (lambda node: node.named.append("other"), IndexForeign, "by someone else"),
        (lambda node: node.named.clear(), IndexForeign, "by someone else"),
    ],
)
def test_what_is_not_whole_says_what_it_was(
    meanwhile: Callable[[Node], Any], error: type[Exception], said: str
) -> None:
    node = Node()
    with pytest.raises(error, match=said):
        change(node).make(lambda: meanwhile(node), manifest("after"))
    assert node.lock is not None
    assert node.meta == {"manifest": manifest("before"), "digests": "6"}


def test_what_was_cut_short_is_counted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "HITS_AT_ONCE", 2)
    node = Node()

    def lost() -> None:
        node.unseen += [{"id": f"new {i}", "digest": "10", "words": 5} for i in range(2)]
        raise ServerAbsent("gone")

    with pytest.raises(ServerAbsent, match="gone; the change was only partly applied"):
        change(node).make(lost, manifest("after"))
    assert node.lock is not None
    again = change(node)
    assert (again.is_left, again.documents, again.tokens, again.digest) == (True, 5, 40, 0x26)
    again.subtract(node.documents[0])
    assert (again.tokens, again.digest) == (30, 0x25)
    again.make(lambda: None, manifest("after", 5))
    assert node.lock is None
    assert not change(node).is_left
