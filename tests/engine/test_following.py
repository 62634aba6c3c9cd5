"""An engine whose index is replaced on its server; the servers themselves are in the contracts."""

from __future__ import annotations

import pickle
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

from argsearch.engine import alias_follower as following
from argsearch.engine.alias_follower import again
from argsearch.engine.backends.embedded.backend import EmbeddedBackend
from argsearch.engine.backends.server import backend
from argsearch.engine.backends.server.session import IndexReplaced
from argsearch.engine.engine import FollowingEngine
from argsearch.indexer.format.manifest import read
from tests.engine.test_engine import assert_closed


class Backend(EmbeddedBackend):
    """A directory that behaves like a generation on a server: it may be gone."""

    is_local = False
    contents = None
    indexes: ClassVar[list[Path]] = []
    opened: ClassVar[list[Backend]] = []

    def __init__(self, _address: str) -> None:
        super().__init__(self.indexes[-1])
        self.info = replace(self.info, fingerprint=current(self.indexes[-1])[1])
        self.gone = False
        generation = SimpleNamespace(index=self.indexes[-1])
        self.session = SimpleNamespace(server=None, generation=generation)
        self.opened.append(self)

    def search(self, query):
        if self.gone:
            raise IndexReplaced("gone")
        return super().search(query)


def current(index: Path) -> tuple[Path, str]:
    """What a server would say that the alias stands for."""
    return index, f"{read(index)['fingerprint']} of {index.name}"


@pytest.fixture
def server(sample_index, tmp_path, monkeypatch):
    """What opens generations: the sample's index, then a copy that goes by another fingerprint."""
    other = Path(shutil.copytree(sample_index, tmp_path / "other"))
    monkeypatch.setattr(Backend, "indexes", [sample_index])
    monkeypatch.setattr(Backend, "opened", [])
    monkeypatch.setattr(backend, "ServerBackend", Backend)
    monkeypatch.setattr(following, "current", lambda _: current(Backend.indexes[-1]))

    def replace() -> None:
        Backend.indexes.append(other)
        Backend.opened[-1].gone = True

    return replace


def test_a_search_goes_over_to_the_next_generation(server):
    engine = FollowingEngine("http://localhost:9200/args")
    before = engine.search("zoos", sides=True)
    assert engine.columns
    server()
    after = engine.search("zoos", sides=True)
    assert after.fingerprint == engine.info.fingerprint != before.fingerprint
    assert after.hits.ids == before.hits.ids
    assert engine.argument(after.hits[0].id) is not None
    assert len(Backend.opened) == 2
    assert engine.search("zoos", k=3).fingerprint == after.fingerprint
    assert len(Backend.opened) == 2


def test_a_look_is_enough(server):
    engine = FollowingEngine("http://localhost:9200/args")
    before = engine.info.fingerprint
    assert not engine.look()
    server()
    assert engine.look()
    assert engine.info.fingerprint != before
    assert not engine.look()


def test_one_that_is_gone_for_good_is_told(server, monkeypatch):
    engine = FollowingEngine("http://localhost:9200/args")
    Backend.opened[-1].gone = True

    def none(address):
        raise IndexReplaced("removed")

    monkeypatch.setattr(backend, "ServerBackend", none)
    with pytest.raises(IndexReplaced, match="removed"):
        engine.search("zoos")


def test_one_that_is_closed_answers_nothing_and_looks_at_no_server(server, monkeypatch):
    engine = FollowingEngine("http://localhost:9200/args")
    assert pickle.loads(pickle.dumps(engine)).info == engine.info
    assert len(Backend.opened) == 2
    monkeypatch.setattr(following, "STALE", -1)
    monkeypatch.setattr(following, "current", None)
    engine.close()
    assert_closed(engine)
    assert len(Backend.opened) == 2


def test_work_is_done_again_once():
    turns = []

    @again
    def work(fail: int) -> str:
        turns.append(fail)
        if len(turns) <= fail:
            raise IndexReplaced("gone")
        return "done"

    assert work(1) == "done"
    assert turns == [1, 1]
    turns.clear()
    with pytest.raises(IndexReplaced):
        work(2)
