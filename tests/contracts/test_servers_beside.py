"""The index directory beside a real server: when it is replaced, and when it is found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.building.changing import add, remove
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.parts import PartMissing
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.adding import add_parts
from argsearch.indexer.server.client import Server, ServerAbsent
from argsearch.indexer.server.draft import Draft, WriteIncomplete
from argsearch.indexer.server.generations import behind
from argsearch.indexer.staging import OldFilesLeft, building_place
from tests.contracts.agreement import assert_same, indices
from tests.contracts.test_servers_streaming import corpus, documents

pytestmark = pytest.mark.servers


def test_a_build_that_the_server_does_not_take_leaves_both(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a directory that is away for a while is found again by the engine that is open."""
    address, beside, away = str(server.address), tmp_path / "beside", tmp_path / "away"
    source, settings = str(tmp_path / "some.jsonl"), IndexSettings(parts=("counter", "pairs"))
    request = BuildRequest([source], address, settings, beside=beside)
    corpus(Path(source), documents()[:60])
    build(request)
    add_parts(beside, ["near_duplicates"])
    held, state = behind(server), manifests.read(beside)

    def refused(*_of: object) -> None:
        raise WriteIncomplete("no room")

    for count in (60, 80):  # the same again, which the old generation is of too, and another
        corpus(Path(source), documents()[:count])
        with monkeypatch.context() as patched, pytest.raises(WriteIncomplete):
            patched.setattr(Draft, "_complete", refused)
            build(request)
        assert behind(server) == indices(server) == held
        assert manifests.verify(beside) == state
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["beside"]
    beside.rename(away)
    with Engine.open(address) as engine:
        with pytest.raises(PartMissing, match="beside the search server's index, no longer exists"):
            engine.pairs("zoos", k=5)
        assert not engine.parts
        away.rename(beside)
        assert engine.parts >= {"counter", "pairs"}
        assert engine.pairs("zoos", k=5).hits.ids
    (beside / "manifest.json").write_text("{", encoding="utf-8")
    with Engine.open(address) as engine, pytest.raises(PartMissing, match="cannot be read: "):
        engine.pairs("zoos", k=5)


@pytest.mark.parametrize("last", ["POST /_aliases", "DELETE /"])
def test_a_server_that_goes_away_when_the_name_has_moved_loses_no_directory(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    """Its answer is lost, and what it stands for now cannot be asked: neither is thrown away."""
    address, beside, own = str(server.address), tmp_path / "beside", documents()
    first, more = (corpus(tmp_path / f"{i}.jsonl", own[i : i + 40]) for i in (0, 30))
    build(BuildRequest([first], address, IndexSettings(parts=("counter",)), beside=beside))
    request, met = Server.request, []

    def lost(server: Server, method: str, path: str, *of: object, **asked: object) -> object:
        answer = None if met else request(server, method, path, *of, **asked)
        if met or f"{method} {path}".startswith(last):
            met.append(path)
            raise ServerAbsent("gone")
        return answer

    with monkeypatch.context() as patched, pytest.raises((WriteIncomplete, OldFilesLeft)):
        patched.setattr(Server, "request", lost)
        add(address, [more])
    assert (last == "DELETE /") != building_place(beside).exists()
    report = remove(address, [own[3]["id"]])
    assert report.counts["documents"] == 69
    assert not building_place(beside).exists()
    with Engine.open(address) as engine:
        assert engine.counter(own[65]["id"], k=5)


def test_a_change_is_that_of_the_directory(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are changed or neither is; where a kill came between them, the next change ends it."""
    address, beside, other = str(server.address), tmp_path / "beside", tmp_path / "other"
    own, settings = documents(), IndexSettings(parts=("near_duplicates", "counter"))
    first, more = (corpus(tmp_path / f"{i}.jsonl", own[i : i + 40]) for i in (0, 30))
    build(BuildRequest([first], address, settings, beside=beside))
    shutil.copytree(beside, other)
    held, state = behind(server), manifests.read(beside)

    def refused(*_of: object) -> None:
        raise WriteIncomplete("no room")

    with monkeypatch.context() as patched, pytest.raises(WriteIncomplete):
        patched.setattr(Draft, "_complete", refused)
        add(address, [more])
    assert (behind(server), manifests.verify(beside)) == (held, state)

    dropped = Draft._drop

    def interrupted(draft: Draft, old: list[str]) -> None:
        monkeypatch.setattr(Draft, "_drop", dropped)
        raise KeyboardInterrupt

    monkeypatch.setattr(Draft, "_drop", interrupted)
    with pytest.raises(KeyboardInterrupt):
        add(address, [more])
    before = Path(shutil.copytree(beside, tmp_path / "before"))
    report = remove(address, [own[3]["id"], own[65]["id"]])
    add(other, [more])
    assert remove(other, [own[3]["id"], own[65]["id"]]).fingerprint == report.fingerprint
    assert manifests.verify(beside) == manifests.verify(other)
    with Engine.open(address) as remote, Engine.open(other) as embedded:
        assert remote.argument(own[3]["id"]) is None
        for ask in (
            lambda engine: engine.counter(own[5]["id"], k=5),
            lambda engine: engine.search("zoos", collapse=True),
        ):
            assert_same(ask(remote), ask(embedded))

    beside.rename(building_place(beside))
    before.rename(beside)
    with (
        Engine.open(address) as remote,
        pytest.raises(PartMissing, match="belongs to another index"),
    ):
        remote.counter(own[5]["id"])
    again = remove(address, [own[4]["id"]])
    assert again.fingerprint == remove(other, [own[4]["id"]]).fingerprint
    assert manifests.verify(beside) == manifests.verify(other)
    assert behind(server) == indices(server)
    assert not building_place(beside).exists()
    beside.rename(tmp_path / "away")
    with pytest.raises(InvalidParameter, match="an index that matches .*; build it again with"):
        add(address, [more])
