"""What a change of an index on a real server takes over, refuses and leaves alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from argsearch.api.http import changing as http_changing
from argsearch.api.http.access import Access
from argsearch.api.http.app import create_app
from argsearch.engine import Engine
from argsearch.indexer.building import changing_on_server
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.building.changing import add, remove
from argsearch.indexer.corpus.report import CorpusError
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.server.client import Server
from argsearch.indexer.server.generations import behind
from argsearch.indexer.server.writing import write
from tests.api.test_http_changes import Here
from tests.contracts.agreement import indices
from tests.contracts.test_servers_streaming import changed, corpus, documents

pytestmark = pytest.mark.servers


def rows(path: Path, *texts: str) -> str:
    lines = "".join(f"It is said,PRO,{text}\n" for text in texts)
    path.write_text(f"conclusion,stance,said\n{lines}", encoding="utf-8")
    return str(path)


def test_a_made_id_is_told_document_by_document(server: Server, tmp_path: Path) -> None:
    """Whatever is read with it: a made id takes no other document's place, a known one does."""
    address, own = str(server.address), documents()[:40]
    build(BuildRequest([corpus(tmp_path / "first.jsonl", own)], address))
    called: dict[str, Any] = {"columns": {"premise": "said"}}
    add(address, [rows(tmp_path / "made.csv", "Nobody said so before.")], **called)
    more = corpus(tmp_path / "more.jsonl", [changed(own[3]), {**own[4], "id": "more"}])
    made = rows(tmp_path / "made.csv", "Nobody said so before.", "Nor after.")
    report = add(address, [more, made], **called)
    assert (report.added, report.changed) == (2, 1)
    held = behind(server)
    other = rows(tmp_path / "made.csv", "Somebody said so before.")
    for sources in ([other, more], [more, other]):
        with pytest.raises(
            CorpusError, match=r"made\.csv: document 'made\.csv-1': its id was made"
        ):
            add(address, sources, **called)
    assert behind(server) == indices(server) == held


def test_clusters_of_another_model_are_not_joined(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from argsearch.indexer.encoders.wordllama import WordLlamaEncoder

    address, own, made = str(server.address), documents()[:60], WordLlamaEncoder.rows
    build(BuildRequest([corpus(tmp_path / "first.jsonl", own)], address))

    def others(self: WordLlamaEncoder, texts: list[str], tokens: int | None = None) -> Any:
        return -made(self, texts, tokens)

    monkeypatch.setattr(WordLlamaEncoder, "rows", others)
    new = [{**own[0], "id": "new", "conclusion": "What nobody has said"}]
    with pytest.raises(InvalidParameter, match="only has its name"):
        add(address, [corpus(tmp_path / "new.jsonl", new)])
    assert remove(address, [own[0]["id"]]).removed == 1


def test_an_unchanged_document_stays_in_its_cluster(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it would be in another one by now, as sums of another machine may have it."""
    address, own = str(server.address), documents()[:40]
    source = corpus(tmp_path / "first.jsonl", own)
    build(BuildRequest([source], address))
    held = behind(server)
    monkeypatch.setattr(
        changing_on_server.Joining, "of", lambda _self, some: np.zeros(len(some), np.int32)
    )
    report = add(address, [source])
    assert (report.added, report.changed, behind(server)) == (0, 0, held)


def test_an_index_of_another_version_is_built_again(
    server: Server, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generation = write(sample_index, str(server.address)).generation
    monkeypatch.setattr(changing_on_server, "__version__", "0.0.1")
    with pytest.raises(InvalidParameter, match="that this version wrote, .*; build it again"):
        remove(str(server.address), [documents()[0]["id"]])
    assert behind(server) == indices(server) == [generation]


def test_groups_stay_until_the_whole_corpus_is_loaded_again(server: Server, tmp_path: Path) -> None:
    """A new document is in no group, and no other document leaves its own."""
    own, address = documents(), str(server.address)
    copies = [{**changed(one), "id": f"{one['id']}-copy"} for one in own[:20]]
    part = IndexSettings(parts=("near_duplicates",))
    first = corpus(tmp_path / "first.jsonl", [*own[:60], *copies])
    build(BuildRequest([first], address, part))
    before = groups(server)
    assert len(before) > 30
    new = [{**changed(one), "id": f"{one['id']}-new"} for one in own[:3]]
    add(address, [corpus(tmp_path / "new.jsonl", new)])
    remove(address, [own[0]["id"], copies[1]["id"]])
    assert groups(server) == before - {own[0]["id"], copies[1]["id"]}
    with Engine.open(address) as engine:
        found = engine.search(own[5]["conclusion"], k=100, collapse=True)
        assert len({own[5]["id"], copies[5]["id"]} & set(found.hits.ids)) <= 1
    whole = corpus(tmp_path / "whole.jsonl", [*own[1:60], copies[0], *copies[2:], *new])
    build(BuildRequest([whole], address, part))
    assert {one["id"] for one in new} & groups(server)


def groups(server: Server) -> set[str]:
    """The documents that are in a group of several."""
    body = {"size": 1000, "query": {"exists": {"field": "near_duplicates"}}, "_source": ["id"]}
    hits = server.request("POST", f"/{server.address.name}/_search", body)["hits"]["hits"]
    return {hit["_source"]["id"] for hit in hits}


def test_http_changes_an_index_on_a_server(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a directory; what the server does not do is a problem."""
    monkeypatch.setattr(http_changing, "Workers", Here)
    own, address = documents(), str(server.address)
    words = {"Authorization": "Bearer a-token-of-16"}
    build(BuildRequest([corpus(tmp_path / "first.jsonl", own[:40])], address))
    app = create_app(address, Access(writers=["a-token-of-16"]), follow=address)
    with TestClient(app) as client:
        body = json.dumps({**own[0], "id": "new"})
        done = client.post("/api/add", content=body, headers=words).json()
        assert (done["added"], done["documents"]) == (1, 41)
        client.app.state.engine.look()  # it would within ten seconds
        assert client.get("/api/arguments/new").json()["id"] == "new"
        assert client.get("/api/search?q=zoo").headers["X-Index-Fingerprint"] == done["fingerprint"]
        held = behind(server)
        answer = client.post("/api/remove", json={"ids": ["nobody's"]}, headers=words)
        assert (answer.status_code, behind(server)) == (422, held)
        assert client.post("/api/remove", json={"ids": ["new"]}).status_code == 401
        answer = client.post("/api/remove", json={"where": ["words > 1"]}, headers=words)
        assert answer.status_code == 422
        answer = client.post("/api/remove", json={"ids": ["new"]}, headers=words)
        assert answer.json()["documents"] == 40
    assert behind(server) == indices(server) == held
