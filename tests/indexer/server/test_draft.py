"""What becomes of a generation when its writing is cut short, on a stand-in for a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from argsearch.indexer.server import draft, generations
from argsearch.indexer.server.address import parse
from argsearch.indexer.server.client import RequestRejected, ServerAbsent
from argsearch.indexer.server.draft import Draft, WriteIncomplete
from argsearch.indexer.server.generations import owner
from argsearch.indexer.server.schema import META, Layout
from argsearch.indexer.staging import OldFilesLeft


class Node:
    """What a draft asks of a server; `fault` may raise before or after a request is carried out."""

    def __init__(self) -> None:
        self.address = parse("http://localhost:9200/n")
        self.metas: dict[str, dict[str, Any]] = {"old": {META: {}}}
        self.named = ["old"]
        self.fault: Callable[[str, str, bool], None] = lambda _method, _path, _after: None

    def request(self, method: str, path: str, body: Any = None, **_asked: Any) -> Any:
        self.fault(method, path, False)
        answer = self._answer(method, path, body)
        self.fault(method, path, True)
        return answer

    def _answer(self, method: str, path: str, body: Any) -> Any:
        index, _, what = path[1:].partition("/")
        if path == "/_aliases":
            for action in body["actions"]:
                (what, said), *_ = action.items()
                self.named = [one for one in self.named if one != said["index"]]
                self.named += [said["index"]] if what == "add" else []
        elif path == "/n/_alias":
            return {index: {"aliases": {"n": {}}} for index in self.named}
        elif path == "/n-*/_alias":
            return {index: {"aliases": {}} for index in self.metas if index not in self.named}
        elif path == "/n-*/_mapping":
            return {index: {"mappings": {"_meta": meta}} for index, meta in self.metas.items()}
        elif method == "DELETE":
            self.metas.pop(index, None)
        elif index in self.metas and not what:
            raise RequestRejected("it is there", draft.EXISTS)
        elif method == "PUT" and what in ("", "_mapping"):
            self.metas[index] = (body["mappings"] if not what else body)["_meta"]
        elif what == "_mapping":
            return {index: {"mappings": {"_meta": self.metas[index]}}}
        elif what == "_count":
            return {"count": 3, "_shards": {"failed": 0}}
        return {}

    def stop(self, method: str, path: str, *, after: bool, error: BaseException) -> None:
        """Raise the error once, at that request."""
        met: list[str] = []

        def fault(asked: str, at: str, done: bool) -> None:
            if (asked, at, done) == (method, path, after) and not met:
                met.append(at)
                raise error

        self.fault = fault


@pytest.fixture
def node() -> Node:
    return Node()


NEW = "n-0123abcd-0123abcd"


def drafted(node: Any) -> Draft:
    none = np.zeros((0, 0), np.float32)
    return Draft(node, NEW, Layout(), none, [], {}, {"parts": []})


def put(node: Node, fill: Callable[[], int] = lambda: 3) -> None:
    drafted(node).put(fill, lambda _stage, _done: None)


@pytest.mark.parametrize("after", [False, True])
def test_ctrl_c_after_the_name_has_moved_keeps_what_it_stands_for(node, after) -> None:
    node.stop("POST", "/_aliases", after=after, error=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        put(node)
    assert node.named == ([NEW] if after else ["old"])
    assert set(node.metas) == {*node.named}


def test_an_answer_that_is_lost_when_the_name_has_moved_is_no_fault(node) -> None:
    node.stop("POST", "/_aliases", after=True, error=ServerAbsent("gone"))
    put(node)
    assert (node.named, set(node.metas)) == ([NEW], {NEW})


@pytest.mark.parametrize("error", [ServerAbsent("gone"), KeyboardInterrupt()])
def test_what_may_be_named_is_not_removed(node, error) -> None:
    def fault(method: str, path: str, after: bool) -> None:
        if (path, after) == ("/_aliases", True):
            node.fault = lambda *_of: (_ for _ in ()).throw(ServerAbsent("gone"))
            raise error

    node.fault = fault
    new = drafted(node)
    with pytest.raises((WriteIncomplete, KeyboardInterrupt)) as raised:
        new.put(lambda: 3, lambda _stage, _done: None)
    assert new.stands is None
    assert isinstance(error, KeyboardInterrupt) or "check with argsearch info" in str(raised.value)
    assert (node.named, set(node.metas)) == ([NEW], {"old", NEW})


def test_where_someone_else_takes_the_name_too_the_old_one_has_it_back(node) -> None:
    def fault(method: str, path: str, after: bool) -> None:
        if (path, after, node.named) == ("/_aliases", True, [NEW]):
            node.named.append("theirs")

    node.fault = fault
    with pytest.raises(generations.IndexForeign):
        put(node)
    assert (sorted(node.named), set(node.metas)) == (["old", "theirs"], {"old"})


def test_what_stays_of_the_old_generation_is_said(node) -> None:
    node.stop("DELETE", "/old", after=False, error=ServerAbsent("gone"))
    with pytest.raises(OldFilesLeft, match="has been changed, but .* delete old there"):
        put(node)
    assert node.named == [NEW]


def test_ctrl_c_in_the_removal_of_the_old_generation_removes_it(node) -> None:
    node.stop("DELETE", "/old", after=False, error=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        put(node)
    assert (node.named, set(node.metas)) == ([NEW], {NEW})


@pytest.mark.parametrize("of", [owner(), {**owner(), "boot": "earlier"}])
def test_the_next_build_removes_what_was_left(node, of) -> None:
    """Also where this very process had to leave it: its server was away."""
    node.metas[NEW] = {META: {"complete": False, "owner": of}}
    assert generations.clean(node) == ([NEW], [])
    assert set(node.metas) == {"old"}


def test_what_another_thread_writes_is_no_leftover(node) -> None:
    def fill() -> int:
        removed, [left] = generations.clean(node)
        assert (removed, left.startswith(NEW)) == ([], True)
        return 3

    put(node, fill)
    assert node.named == [NEW]
