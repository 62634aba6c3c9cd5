"""`POST /api/add` and `/api/remove`: an index that is served is changed by who has a token."""

from __future__ import annotations

import json
import shutil
import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from threading import Event

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from argsearch.api.http import app as application
from argsearch.api.http import changing
from argsearch.api.http.access import Access
from argsearch.api.http.app import create_app
from argsearch.api.http.several import Several
from argsearch.api.serve import changes
from argsearch.engine import Engine
from argsearch.indexer import staging
from argsearch.indexer.building import changing as indexing
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.processes import WorkerEnded
from argsearch.indexer.staging import BuildFailed, staged

TOKEN, READER = "a-token-of-a-writer", "a-token-of-a-reader"
WRITES = {"Authorization": f"Bearer {TOKEN}"}
ADD, REMOVE = "/api/add", "/api/remove"


@pytest.fixture
def client(index: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A server of the index, whose changes are made in this process."""
    monkeypatch.setattr(changing, "Workers", Here)
    app = create_app(str(index), Access(writers=[TOKEN]), follow=str(index))
    with TestClient(app) as client:
        yield client


class Here:
    """Does the work of a process in this one."""

    def do(self, work, *given):
        return work(*given)

    def kill(self):
        pass

    def close(self):
        pass


def argument(id: str, text: str) -> dict[str, object]:
    premises = [{"text": text, "stance": "PRO"}]
    return {"id": id, "conclusion": "A claim", "premises": premises, "context": {}}


def posted(*documents: dict[str, object]) -> bytes:
    return b"\n".join(json.dumps(one).encode() for one in documents)


def found(client: TestClient, word: str) -> list[str]:
    answer = client.get(f"/api/search?q={word}&config=dirichlet").json()
    return [hit["id"] for hit in answer["hits"]]


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> SimpleQueue[str]:
    """The fingerprint of each index that a server comes to answer from."""
    queue, take = SimpleQueue[str](), application._take

    def noted(app: FastAPI, engine: Engine) -> None:
        take(app, engine)
        queue.put(engine.info.fingerprint)

    monkeypatch.setattr(application, "_take", noted)
    return queue


@pytest.mark.thorough
def test_a_process_adds_what_is_posted_and_removes_it(index: Path, taken: SimpleQueue[str]) -> None:
    app = create_app(str(index), Access(writers=[TOKEN]), follow=str(index))
    with TestClient(app) as client:
        taken.get(timeout=60)
        body = posted(argument("new", "xyzzyplugh is one"), argument("other", "plughxyzzy"))
        answer = client.post(ADD, content=body, headers=WRITES)
        done = answer.json()
        assert answer.status_code == 200
        assert (done["added"], done["changed"], done["documents"]) == (2, 0, 323)
        assert answer.headers["X-Index-Fingerprint"] == done["fingerprint"]
        assert manifests.verify(index)["fingerprint"] == done["fingerprint"]
        assert manifests.read(index)["corpus"]["sources"][-1]["name"] == changes.SOURCE
        assert taken.get(timeout=60) == done["fingerprint"]
        assert found(client, "xyzzyplugh") == ["new"]
        answer = client.post(REMOVE, json={"ids": ["new"]}, headers=WRITES)
        assert answer.json()["removed"] == 1
        assert taken.get(timeout=60) == answer.json()["fingerprint"]
        assert found(client, "xyzzyplugh") == []


@pytest.mark.parametrize("place", ["address", "body"])
def test_a_dry_run_counts_and_removes_nothing(client, index, place):
    documents = [
        argument("a", "one") | {"context": {"sourceDomain": "Guardian, London"}},
        argument("b", "two") | {"context": {"sourceDomain": "Guardian"}},
    ]
    assert client.post(ADD, content=posted(*documents), headers=WRITES).status_code == 200
    before = manifests.read(index)["fingerprint"]
    wrong = client.post(f"{REMOVE}?dry_run=x", json={"where": ["words > 1"]}, headers=WRITES)
    assert wrong.json()["detail"] == "dry_run must be true or false, not 'x'"
    address, body = (
        (f"{REMOVE}?dry_run=true", {}) if place == "address" else (REMOVE, {"dry_run": True})
    )
    asked = {"where": ["source = Guardian, London", "words < 100"], **body}
    answer = client.post(address, json=asked, headers=WRITES)
    assert answer.status_code == 200
    assert answer.json() == {
        "dry_run": True,
        "matched": 1,
        "documents": 323,
        "where": ['source is "Guardian, London"', "words < 100"],
    }
    assert manifests.read(index)["fingerprint"] == before
    assert client.post(address, json=asked).status_code == 401
    wrong = client.post(address, json={"where": ["magic = 1"], **body}, headers=WRITES)
    assert (wrong.status_code, wrong.json()["parameter"]) == (422, "where")
    for query in ("dryrun=true", "dry_run=true&dry_run=false", "dry_run=maybe", "DRY_RUN=true"):
        odd = client.post(f"{REMOVE}?{query}", json={"where": ["words < 100"]}, headers=WRITES)
        assert odd.status_code == 422
    ids = client.post(address, json={"ids": ["a"], **body}, headers=WRITES)
    assert (ids.status_code, ids.json()["parameter"]) == (422, "dry_run")
    assert manifests.read(index)["fingerprint"] == before


def test_http_python_and_the_command_line_make_the_same_index(client, index, tmp_path, argsearch):
    others = [Path(shutil.copytree(index, tmp_path / name)) for name in ("python", "command")]
    body = posted(argument("new", "xyzzyplugh is one"))
    (tmp_path / "new.jsonl").write_bytes(body)
    done = client.post(ADD, content=body, headers=WRITES).json()
    indexing.add(others[0], [tmp_path / "new.jsonl"])
    assert argsearch("add", others[1], tmp_path / "new.jsonl")[0] == 0
    assert {manifests.read(one)["fingerprint"] for one in others} == {done["fingerprint"]}


def test_one_of_a_known_id_takes_its_place_and_a_column_tells_what_goes(client):
    wrapped = json.dumps({"arguments": [argument("new", "one")]}).encode()
    assert client.post(ADD, content=wrapped, headers=WRITES).json()["added"] == 1
    other = argument("new", "another") | {"context": {"sourceDomain": "here.org"}}
    listed = BOM_UTF8 + json.dumps([other]).encode()
    assert client.post(ADD, content=listed, headers=WRITES).json()["changed"] == 1
    answer = client.post(REMOVE, json={"where": ["source = here.org"]}, headers=WRITES)
    assert answer.json()["removed"] == 1


@pytest.mark.parametrize("path", [ADD, REMOVE])
@pytest.mark.parametrize(
    "header", [None, "Bearer", "Bearer wrong", "Bearer ©", f"Basic {TOKEN}", f"Bearer {READER}"]
)
def test_without_a_writers_token_nothing_is_changed(client, index, path, header):
    before = manifests.read(index)["fingerprint"]
    headers = {} if header is None else {"Authorization": header.encode()}
    answer = client.post(path, content=posted(argument("new", "one")), headers=headers)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert manifests.read(index)["fingerprint"] == before


def test_without_tokens_there_is_no_route(index):
    with TestClient(create_app(str(index), follow=str(index))) as client:
        assert client.post(ADD, content=b"{}", headers=WRITES).status_code in (404, 405)
        assert ADD not in client.get("/openapi.json").json()["paths"]


def test_a_reader_reads_and_a_writer_does_both(index):
    access = Access(tokens=[READER], writers=[TOKEN])
    with TestClient(create_app(str(index), access, follow=str(index))) as client:
        for token, reads, writes in ((READER, 200, 401), (TOKEN, 200, 422), ("x" * 20, 401, 401)):
            headers = {"Authorization": f"Bearer {token}"}
            assert client.get("/api/search?q=zoos", headers=headers).status_code == reads
            assert client.post(ADD, content=b"no", headers=headers).status_code == writes
        paths = client.get("/openapi.json", headers=WRITES).json()["paths"]
        assert paths[ADD]["post"]["security"] == [{"bearer": []}]


BAD = [
    (ADD, b"", "JSON or JSON Lines, not ''"),
    (ADD, b"id,text\n1,a", "JSON or JSON Lines"),
    (ADD, b"{", "body"),
    (ADD, b'{"id": "a"}', "premises"),
    (ADD, b'{"arguments": []}', "has no documents"),
    (ADD, posted(argument("a", "x"), {"id": 3}), "document 2"),
    (ADD, b'[{"id": "a", "premises": [', "cut off"),
    (ADD, b"{\xff", "body"),
    (REMOVE, b"", "body"),
    (REMOVE, b"[]", "body"),
    (REMOVE, b"{}", "either ids or where"),
    (REMOVE, b'{"ids": [], "where": []}', "either ids or where"),
    (REMOVE, b'{"ids": ["a"], "where": ["words > 1"]}', "either ids or where"),
    (REMOVE, b'{"ids": "a"}', "ids"),
    (REMOVE, b'{"ids": [1]}', "ids"),
    (REMOVE, b'{"ids": ["none"]}', "none"),
    (REMOVE, b'{"where": ["words"]}', "where"),
    (REMOVE, b'{"where": ["words >= 0"]}', "empty"),
    (REMOVE, b'{"id": ["a"]}', "id"),
    (REMOVE, b"{" * 100_000, "body"),
]


@pytest.mark.parametrize(("path", "body", "said"), BAD)
def test_a_body_that_cannot_be_read_changes_nothing(client, index, path, body, said):
    before = manifests.read(index)["fingerprint"]
    answer = client.post(path, content=body, headers=WRITES)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    assert "/" not in answer.json()["detail"].replace("args.me", "")
    assert manifests.read(index)["fingerprint"] == before


@pytest.mark.parametrize("path", [ADD, REMOVE])
def test_a_body_that_is_too_long_is_refused(client, path, monkeypatch):
    monkeypatch.setattr(changing, "MOST_CHANGE_BYTES", 1000)
    answer = client.post(path, content=b"[" * 1001, headers=WRITES)
    assert answer.status_code == 413


def test_a_second_change_is_told_to_come_back(client, index):
    with staged(index, into_place=False):
        answer = client.post(ADD, content=posted(argument("new", "one")), headers=WRITES)
    assert (answer.status_code, answer.headers["Retry-After"]) == (409, str(changing.NEXT_CHANGE))


def test_one_change_at_a_time_is_made(client, monkeypatch):
    begun, go = Event(), Event()

    class Slow(Here):
        def do(self, work, *given):
            begun.set()
            assert go.wait(60)
            return super().do(work, *given)

    monkeypatch.setattr(changing, "Workers", Slow)
    with ThreadPoolExecutor(1) as pool:
        body = posted(argument("new", "one"))
        first = pool.submit(client.post, ADD, content=body, headers=WRITES)
        assert begun.wait(60)
        assert client.post(REMOVE, json={"ids": ["new"]}, headers=WRITES).status_code == 409
        go.set()
        assert first.result(60).status_code == 200


def test_a_change_that_fails_is_told_without_its_reason(client, index, monkeypatch):
    def fail(*_given, **_more):
        raise BuildFailed("the build of /secret/place stopped")

    monkeypatch.setattr(indexing, "add", fail)
    answer = client.post(ADD, content=posted(argument("new", "one")), headers=WRITES)
    assert answer.status_code == 503
    assert "secret" not in answer.text


def test_of_several_indexes_each_is_changed_under_its_name(index, tmp_path, monkeypatch):
    monkeypatch.setattr(changing, "Workers", Here)
    other = Path(shutil.copytree(index, tmp_path / "other"))
    named = {"one": index, "other": other}
    access, before = Access(writers=[TOKEN]), manifests.read(index)["fingerprint"]
    apps = {name: create_app(str(at), access, follow=str(at)) for name, at in named.items()}
    with TestClient(Several(apps)) as client:
        body = posted(argument("new", "one"))
        answer = client.post("/api/other/add", content=body, headers=WRITES)
    assert answer.json()["fingerprint"] == manifests.read(other)["fingerprint"] != before
    assert manifests.read(index)["fingerprint"] == before


def test_old_files_that_stay_are_told_as_a_change(client, index, monkeypatch, caplog):
    remove = staging._remove
    monkeypatch.setattr(
        staging,
        "_remove",
        lambda at, own=(): None if at.name == ".index.building" else remove(at, own),
    )
    before = manifests.read(index)["counts"]["documents"]
    answer = client.post(ADD, content=posted(argument("new", "one")), headers=WRITES)
    assert (answer.status_code, answer.json()["title"]) == (500, "Changed")
    assert str(index.parent) not in answer.text
    assert str(index.with_name(".index.building")) in caplog.text
    assert manifests.read(index)["counts"]["documents"] == before + 1


@pytest.mark.parametrize(("done", "status"), [(True, 500), (False, 503)])
def test_a_process_that_ends_is_told_by_what_it_did(client, index, monkeypatch, done, status):
    class Ended(Here):
        def do(self, work, *given):
            if done:
                work(*given)
            raise WorkerEnded("a process ended")

    monkeypatch.setattr(changing, "Workers", Ended)
    before = manifests.read(index)["fingerprint"]
    answer = client.post(ADD, content=posted(argument("new", "one")), headers=WRITES)
    assert (answer.status_code, manifests.read(index)["fingerprint"] != before) == (status, done)


def test_a_server_that_stops_leaves_nothing_of_a_change(client, index, tmp_path, monkeypatch):
    begun, killed, room = Event(), Event(), tmp_path / "temporary"
    room.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(room))

    class Endless(Here):
        def do(self, *_given):
            begun.set()
            assert killed.wait(60)
            raise WorkerEnded("a process was killed")

        def kill(self):
            killed.set()

    monkeypatch.setattr(changing, "Workers", Endless)
    before, body = manifests.read(index)["fingerprint"], posted(argument("new", "one"))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.post, ADD, content=body, headers=WRITES)
        assert begun.wait(60)
        assert [path.read_bytes() for path in room.rglob(changes.SOURCE)] == [body]
        client.app.state.changes.stop()
        assert [*room.iterdir()] == []
        assert first.result(60).status_code == 503
    monkeypatch.setattr(changing, "Workers", Here)  # one that came to be while the server stopped
    assert client.post(ADD, content=body, headers=WRITES).status_code == 503
    assert manifests.read(index)["fingerprint"] == before


def test_an_open_engine_is_never_changed(index):
    with Engine.open(index) as engine, TestClient(create_app(engine, Access(writers=[TOKEN]))) as c:
        assert c.post(ADD, content=b"{}", headers=WRITES).status_code in (404, 405)
