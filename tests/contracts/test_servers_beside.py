"""The index directory beside a real server: when it is replaced, and when it is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.format.parts import PartMissing
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.server.client import Server
from argsearch.indexer.server.draft import Draft, WriteIncomplete
from argsearch.indexer.server.generations import behind
from tests.contracts.agreement import indices
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
    held = behind(server)

    def refused(*_of: object) -> None:
        raise WriteIncomplete("no room")

    corpus(Path(source), documents()[:80])
    with monkeypatch.context() as patched, pytest.raises(WriteIncomplete):
        patched.setattr(Draft, "_complete", refused)
        build(request)
    assert behind(server) == indices(server) == held
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["beside"]
    beside.rename(away)
    with Engine.open(address) as engine:
        with pytest.raises(PartMissing, match="beside the search server's index, is gone"):
            engine.pairs("zoos", k=5)
        assert not engine.parts
        away.rename(beside)
        assert engine.parts == {"counter", "pairs"}
        assert engine.pairs("zoos", k=5).hits.ids
    (beside / "manifest.json").write_text("{", encoding="utf-8")
    with Engine.open(address) as engine, pytest.raises(PartMissing, match="cannot be read: "):
        engine.pairs("zoos", k=5)
