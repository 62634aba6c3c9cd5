"""Writing to a real server: the name moves when all is complete, and never otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argsearch.engine import Engine
from argsearch.engine.backends.server.session import IndexReplaced
from argsearch.engine.engine import FollowingEngine
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format.manifest import IndexDamaged, IndexFormatUnsupported, IndexMissing
from argsearch.indexer.server import bulk
from argsearch.indexer.server.bulk import DocumentRefused
from argsearch.indexer.server.client import Server
from argsearch.indexer.server.draft import WriteIncomplete
from argsearch.indexer.server.generations import IndexForeign, behind
from argsearch.indexer.server.writing import write
from tests.contracts.agreement import indices
from tests.servers.proxy import Answer, Proxy

pytestmark = pytest.mark.servers
SAMPLE = Path(__file__).resolve().parents[2] / "indexer" / "sample" / "arguments.json"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests of some documents each."""
    monkeypatch.setattr(bulk, "BULK_BYTES", 20_000)


def during(stage: str, action: Callable[[], Any]) -> Callable[[str, int], None]:
    """A progress that does something once, when a stage begins."""
    waiting = [action]

    def progress(name: str, _done: int, _of: int | None = None) -> None:
        if name == stage and waiting:
            waiting.pop()()

    return progress


def said(error: pytest.ExceptionInfo[ArgsearchError]) -> str:
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_new_generation_replaces_the_old_one(
    server: Server, sample_index: Path, embedded: Engine
) -> None:
    first = write(sample_index, str(server.address))
    assert first.documents == embedded.info.documents
    assert first.fingerprint == embedded.info.fingerprint
    opened = Engine.open(str(server.address))
    early = opened.search("zoos", config="dirichlet").hits  # whose texts are not read yet
    wanted = opened.search("zoos").hits.ids
    answers = []

    def search() -> None:
        engine = Engine.open(str(server.address))
        answers.append((behind(server), engine.search("zoos").hits.ids))
        engine.close()

    second = write(sample_index, str(server.address), progress=during("completing", search))
    assert answers == [([first.generation], wanted)]
    assert behind(server) == [second.generation] == indices(server)
    with pytest.raises(IndexReplaced, match="search again"):
        assert early[0].argument
    assert opened.search("zoos").hits.ids == wanted  # it follows
    assert opened.search("zoos").hits[0].argument.id == wanted[0]
    assert opened.argument(wanted[0]) is not None
    assert isinstance(opened, FollowingEngine)
    assert not opened.look()
    third = write(sample_index, str(server.address))
    assert opened.look()
    assert not opened.look()
    assert behind(server) == [third.generation]
    opened.close()
    again = Engine.open(str(server.address))
    assert again.search("zoos").hits.ids == wanted
    again.close()


def test_an_interrupted_build_leaves_the_name_as_it_was(server: Server, sample_index: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(sample_index, str(server.address), progress=during("documents", interrupt))
    assert indices(server) == []
    with pytest.raises(IndexMissing):
        Engine.open(str(server.address))
    whole = write(sample_index, str(server.address))
    with pytest.raises(KeyboardInterrupt):
        write(sample_index, str(server.address), progress=during("completing", interrupt))
    assert behind(server) == [whole.generation] == indices(server)


def test_a_build_whose_first_answers_are_all_lost(
    server: Server, sample_index: Path, embedded: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("argsearch.indexer.server.client.LONGEST_PAUSE", 0.01)
    old = write(sample_index, str(server.address)).generation
    done: dict[tuple[str, str, bytes], int] = {}
    lines = {"content-type": "application/x-ndjson"}
    plain = {"content-type": "application/json"}

    def lost(method: str, path: str, body: bytes) -> Answer | None:
        """The server does what it is asked; only the answer never comes back."""
        if method == "GET" or (method, path, body) in done:
            return None
        headers = lines if "_bulk" in path else plain
        done[method, path, body] = proxy.forward(method, path, body, headers)[0]
        return 504, "text/plain", b"the gateway gave up"

    with Proxy(server.address.server) as proxy:
        proxy.fault = lost
        written = write(sample_index, f"{proxy.url}/{server.address.name}")
    assert {method for method, _, _ in done} == {"PUT", "POST", "DELETE"}
    assert set(done.values()) == {200}
    assert indices(server) == [written.generation] != [old]
    assert behind(server) == [written.generation]
    found = Engine.open(str(server.address))
    assert found.info.documents == embedded.info.documents
    assert found.search("zoos").hits.ids == embedded.search("zoos").hits.ids
    found.close()


def test_an_index_and_an_alias_of_someone_else_are_left_alone(
    server: Server, sample_index: Path
) -> None:
    name = server.address.name
    theirs = {"mappings": {"properties": {"title": {"type": "text"}}}}
    server.request("PUT", f"/{name}", theirs)
    for act in (
        lambda: write(sample_index, str(server.address)),
        lambda: Engine.open(str(server.address)),
    ):
        with pytest.raises(IndexForeign) as error:
            act()
        assert "is not an argsearch index" in said(error)
    assert indices(server) == [name]
    mapping = server.request("GET", f"/{name}/_mapping")[name]["mappings"]
    assert mapping == theirs["mappings"]
    server.request("DELETE", f"/{name}")
    server.request("PUT", f"/{name}-theirs", {"aliases": {name: {}}})
    with pytest.raises(IndexForeign):
        write(sample_index, str(server.address))
    assert indices(server) == [f"{name}-theirs"]


@pytest.mark.parametrize("writes", [True, False])
def test_a_name_that_someone_takes_during_the_build_is_left_alone(
    server: Server, sample_index: Path, writes: bool
) -> None:
    name = server.address.name
    taken = {"aliases": {name: {"is_write_index": True} if writes else {}}}
    progress = during("completing", lambda: server.request("PUT", f"/{name}-b", taken))
    with pytest.raises(IndexForeign, match="changed by someone else during the build"):
        write(sample_index, str(server.address), progress=progress)
    assert indices(server) == [f"{name}-b"]


def test_a_document_that_vanishes_is_noticed(server: Server, sample_index: Path) -> None:
    def lose() -> None:
        path = f"/{indices(server)[0]}"
        server.request("POST", f"{path}/_refresh")
        found = server.request("GET", f"{path}/_search")["hits"]["hits"][0]
        server.request("DELETE", f"{path}/_doc/{found['_id'].replace(':', '%3A')}")

    with pytest.raises(WriteIncomplete) as error:
        write(sample_index, str(server.address), progress=during("completing", lose))
    assert "documents arrived, so the name still points to the old index" in said(error)
    assert indices(server) == []


def test_a_generation_that_is_removed_during_the_build_is_noticed(
    server: Server, sample_index: Path
) -> None:
    def remove() -> None:
        for index in indices(server):
            server.request("DELETE", f"/{index}")

    with pytest.raises(ArgsearchError) as error:
        write(sample_index, str(server.address), progress=during("documents", remove))
    said(error)
    assert indices(server) == []


def test_a_read_only_index_is_one_clear_line(server: Server, sample_index: Path) -> None:
    name = server.address.name
    blocked = {
        "index_patterns": [f"{name}-*"],
        "settings": {"index.blocks.read_only_allow_delete": True},
    }
    server.request("PUT", f"/_template/{name}", blocked)
    try:
        with pytest.raises(DocumentRefused) as error:
            write(sample_index, str(server.address))
    finally:
        server.request("DELETE", f"/_template/{name}")
    assert "read-only" in said(error)
    assert "free disk space" in said(error)
    assert indices(server) == []


UNREADABLE: tuple[tuple[dict[str, object], type[ArgsearchError], str], ...] = (
    ({"format": 3}, IndexFormatUnsupported, "has format 3, but this software reads format 2"),
    ({"format": "x"}, IndexDamaged, "rebuild it"),
    ({"complete": False}, IndexDamaged, "is not complete; rebuild it"),
    ({"centroids": [1, 2]}, IndexDamaged, "metadata is damaged"),
    ({"manifest": None}, IndexDamaged, "metadata is damaged"),
    ({"manifest": {"fingerprint": "0"}}, IndexDamaged, "match its fingerprint"),
)


def test_an_index_that_this_software_cannot_read(server: Server, sample_index: Path) -> None:
    generation = write(sample_index, str(server.address)).generation
    path = f"/{generation}/_mapping"
    meta = server.request("GET", path)[generation]["mappings"]["_meta"]
    for change, kind, words in UNREADABLE:
        changed = {**meta, "argsearch": {**meta["argsearch"], **change}}
        server.request("PUT", path, {"_meta": changed})
        with pytest.raises(kind) as error:
            Engine.open(str(server.address))
        assert words in said(error)
        assert str(server.address) in said(error)
