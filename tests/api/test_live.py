"""An index that is replaced while its server answers: nothing is lost, nothing is mixed."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import time
import weakref
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from argsearch.api.http.app import create_app, warmed
from argsearch.api.serialise import Answer
from argsearch.api.serve import live
from argsearch.api.serve.live import Live
from argsearch.engine import Engine
from argsearch.indexer.format import manifest
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.staging import staged
from tests.api.clients import Asking, Seen
from tests.api.test_workers import Running
from tests.indexes import document, indexed
from tests.processes import eventually

ASKED = "/api/search?q=zoos&k=5&collapse=true&format=json"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two indexes, by the name that every id in them begins with and every text has."""
    folder = tmp_path_factory.mktemp("built")
    settings = IndexSettings(quality_model="none", parts=("vectors", "near_duplicates"))
    found = {}
    for name in ("old", "new"):
        documents = [
            document(
                f"{name}-{n}",
                f"Zoos should be abolished {name}",
                f"Zoos number {n // 2} keep many animals behind bars, says {name}. "
                f"Visitors of the {n // 2} zoos learn little about them, says {name}.",
                stance="PRO",
            )
            for n in range(40)
        ]
        (folder / name).mkdir()
        found[name] = indexed(folder / name, documents, settings)
    return found


@pytest.fixture
def place(built: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(built["old"], tmp_path / "index"))


def replace(place: Path, index: Path) -> None:
    """Put a copy of an index in its place, as a build does."""
    with staged(place) as folder:
        for file in index.iterdir():
            shutil.copy(file, folder / file.name)


def names(answer: dict) -> set[str]:
    return {hit["id"].partition("-")[0] for hit in answer["hits"]}


@pytest.mark.thorough
def test_a_new_index_is_taken_over_and_the_old_one_still_answers(place, built):
    old = warmed(Engine.open(place))
    following = Live(str(place), old, lambda address: warmed(Engine.open(address)))
    following.look()
    assert following.engine is old
    replace(place, built["new"])
    following.look()
    assert following.engine.info.fingerprint == manifest.read(built["new"])["fingerprint"]
    assert following.engine.search("zoos", collapse=True).hits[0].id.startswith("new")
    results = old.search("zoos", collapse=True, k=40)  # its parts were opened before they went away
    assert {hit.id.partition("-")[0] for hit in results.hits} == {"old"}
    assert old.backend.near_duplicates("old-3")


@pytest.mark.thorough
@pytest.mark.parametrize("harm", ["manifest", "array", "gone"])
def test_a_damaged_one_is_refused_until_it_is_mended(place, built, caplog, harm):
    following = Live(str(place), warmed(Engine.open(place)), lambda a: warmed(Engine.open(a)))
    following.look()
    replace(place, built["new"])
    victim = place / manifest.NAME
    if harm == "array":
        victim = max(place.glob("*.npy"), key=lambda path: path.stat().st_size)
    if harm == "gone":
        shutil.rmtree(place)
    else:
        content = bytearray(victim.read_bytes())
        content[-5] ^= 1
        victim.write_bytes(content)
    with caplog.at_level(logging.INFO, "argsearch"):
        for _ in range(3):
            following.look()
    assert names_of(following.engine) == {"old"}
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == (0 if harm == "gone" else 1), lines  # said once
    if lines:
        assert "the new index cannot be used" in lines[0]
        assert "rebuild it with" in lines[0]
        following.look(again=True)  # SIGHUP
        assert len(caplog.records) == 2
        replace(place, built["new"])
    else:
        shutil.copytree(built["new"], place)
    following.look()
    assert names_of(following.engine) == {"new"}


def names_of(engine: Engine) -> set[str]:
    return {hit.id.partition("-")[0] for hit in engine.search("zoos").hits}


def test_one_that_is_replaced_while_it_is_opened_is_opened_anew(place, built):
    opened = []

    def slowly(address: str) -> Engine:
        engine = warmed(Engine.open(address))
        opened.append(engine)
        if len(opened) == 1:
            replace(place, built["old"])
        return engine

    following = Live(str(place), warmed(Engine.open(place)), slowly)
    following.look()
    replace(place, built["new"])
    following.look()
    assert len(opened) == 2
    assert names_of(following.engine) == {"old"}


@pytest.mark.thorough
def test_an_application_follows(place, built, monkeypatch):
    monkeypatch.setattr(live, "DIRECTORY_LOOK_SECONDS", 0.05)
    with TestClient(create_app(str(place), follow=str(place))) as client:
        before = client.get(ASKED)
        assert names(before.json()) == {"old"}
        replace(place, built["new"])
        assert eventually(lambda: names(client.get(ASKED).json()) == {"new"})
        after = client.get(ASKED, headers={"If-None-Match": before.headers["etag"]})
        assert after.status_code == 200
        assert after.headers["x-index-fingerprint"] == after.json()["fingerprint"]
        assert client.get("/ready").json()["fingerprint"] == after.json()["fingerprint"]


@pytest.mark.thorough
def test_an_index_that_was_left_is_let_go(place, built):
    following = Live(str(place), warmed(Engine.open(place)), lambda a: warmed(Engine.open(a)))
    following.look()
    left = weakref.ref(following.engine)
    answer = Answer(following.engine, following.engine.search("zoos"))
    assert answer.to_dict()["hits"]
    del answer  # which holds its engine
    replace(place, built["new"])
    following.look()
    following.look()
    assert left() is None


def replaced_while_asked(
    place: Path,
    built: dict[str, Path],
    *,
    workers: int,
    clients: int,
    times: int,
    pause: float = 0.05,
) -> None:
    server = Running(place, number=workers)
    of = {manifest.read(path)["fingerprint"]: name for name, path in built.items()}

    def look(_path: str, status: int, content: bytes, answer: HTTPResponse) -> Seen:
        if status != 200:
            return "other", f"{status} {content[:200]!r}"
        read = json.loads(content)
        name = of[read["fingerprint"]]
        header = answer.getheader("x-index-fingerprint")
        texts = [hit["sentence"]["text"] for hit in read["hits"]]
        copies = [id for hit in read["hits"] for id in hit["near_duplicates"]]
        same = header == read["fingerprint"] and names(read) == {name} and read["hits"]
        own = all(name in text for text in texts) and all(name in id for id in copies)
        return name, None if same and own else f"{header} {name} {texts} {copies}"

    asking = Asking(server.address, [ASKED], clients, look)
    try:
        for turn in range(times):
            wanted = ("new", "old")[turn % 2]
            replace(place, built[wanted])
            server.process.send_signal(signal.SIGHUP)
            seen = asking.seen.copy()
            assert eventually(lambda: asking.seen[wanted] > seen[wanted] + clients), asking.wrong  # noqa: B023
            time.sleep(pause)
    finally:
        messages = asking.end(server)
    print(f"{asking.seen.total():,} answers, {times} replacements")
    assert (asking.wrong, asking.failed) == ([], [])
    assert min(asking.seen[name] for name in built) > clients
    assert server.process.returncode == 0
    assert "Traceback" not in messages
    assert messages.count("was replaced") >= times  # one worker at least saw each


MANY = {"clients": 32, "times": 20}


@pytest.mark.processes
@pytest.mark.parametrize(
    ("workers", "how"),
    [
        pytest.param(1, {"clients": 8, "times": 3}, marks=pytest.mark.slow),
        (2, {"clients": 8, "times": 3}),
        pytest.param(2, {**MANY, "pause": 0.25}, marks=pytest.mark.slow),
        pytest.param(1, {**MANY, "pause": 3}, marks=pytest.mark.nightly),
        pytest.param(2, {**MANY, "pause": 3}, marks=pytest.mark.nightly),
    ],
)
def test_no_request_is_lost_or_mixed(place, built, workers, how):
    replaced_while_asked(place, built, workers=workers, **how)


@pytest.fixture
def running(place: Path) -> Iterator[Running]:
    server = Running(place)
    yield server
    server.end()


@pytest.mark.slow
@pytest.mark.processes
def test_a_process_that_is_replaced_begins_with_the_new_index(place, built, running):
    assert eventually(running.stands)
    killed = running.workers()
    replace(place, built["new"])
    for worker in killed:  # each: one that lives on may not have looked at it yet
        os.kill(worker, signal.SIGKILL)
    assert eventually(lambda: len(running.workers() - killed) == 2)
    for _ in range(20):
        assert names(json.loads(running.get(ASKED))) == {"new"}
