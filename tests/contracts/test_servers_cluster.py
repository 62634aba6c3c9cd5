"""A cluster of three processes that loses one with signal 9: nothing lost, doubled or wrong."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson
import pytest

from argsearch.engine import Engine
from argsearch.engine.results.results import Results
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.server import bulk
from argsearch.indexer.server.schema import Layout
from argsearch.indexer.server.writing import write
from tests.contracts.agreement import assert_same
from tests.processes import PATIENCE, eventually
from tests.servers.launcher import Cluster, ServerUnavailableError, cluster

pytestmark = [pytest.mark.servers, pytest.mark.slow]
DOCUMENTS = 4000
ANSWERS = int(os.environ.get("ARGSEARCH_TEST_LOAD_ANSWERS", "30"))
"""Right answers that each client has before a node is killed and after (more at night)."""
VICTIMS = [
    pytest.param((name, *victims), marks=marks, id=f"{name}-{victims[0]}-{victims[1]}")
    for name, victims, marks in (
        ("elasticsearch", (0, 2), []),
        ("opensearch", (1, 0), []),
        ("elasticsearch", (1, 0), [pytest.mark.nightly]),
        ("opensearch", (0, 2), [pytest.mark.nightly]),
    )
]
"""A product, and the nodes that are killed while documents are sent and while clients ask."""
WORDS = ("school", "teacher", "zoo", "animal", "law", "death", "tax", "music", "water", "bank")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index directory of documents that are cheap to make and all differ."""
    folder = tmp_path_factory.mktemp("cluster")
    chance = np.random.default_rng(7)
    with (folder / "corpus.jsonl").open("wb") as corpus:
        for i in range(DOCUMENTS):
            text = " ".join(chance.choice(WORDS, 40)) + f" number{i}"
            stance = "PRO" if i % 2 else "CON"
            argument = {"id": f"d{i:05}", "conclusion": f"about {WORDS[i % len(WORDS)]}"}
            premises = [{"text": text, "stance": stance}]
            corpus.write(orjson.dumps({**argument, "premises": premises, "context": {}}) + b"\n")
    out = folder / "index"
    build(BuildRequest([str(folder / "corpus.jsonl")], out), lambda *_: None)
    return out


@pytest.fixture
def three(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A running cluster of three nodes, each a process of its own."""
    try:
        made = cluster(request.param[0], nodes=3)
    except ServerUnavailableError as error:
        pytest.skip(str(error))
    with made:
        yield made
    assert not made.folder.exists()


def address(nodes: Cluster, name: str) -> str:
    hosts = ",".join(node.url.removeprefix("http://") for node in nodes.nodes)
    return f"http://{hosts}/{name}"


def kill_while_documents_are_sent(
    three: Cluster, index: Path, victim: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every document arrives once, and each answer is that of the embedded engine."""
    monkeypatch.setattr(bulk, "BULK_BYTES", 100_000)
    url = address(three, "bulk")

    def progress(stage: str, done: int, _of: int | None = None) -> None:
        if stage == "documents" and done > DOCUMENTS // 3 and three.nodes[victim].process:
            three.nodes[victim].kill()

    report = write(index, url, Layout(shards=3, replicas=1), progress)
    assert three.nodes[victim].process is None
    assert report.documents == DOCUMENTS
    with Engine.open(url) as found, Engine.open(index) as wanted:
        everything = found.search("zoos", k=DOCUMENTS + 1, config="heimdall-2021-run4")
        assert sorted(everything.hits.ids) == [f"d{i:05}" for i in range(DOCUMENTS)]
        for text in ("school teacher", "zoo animal law", "number77 water"):
            assert_same(found.search(text, k=100), wanted.search(text, k=100))


class Load(threading.Thread):
    """Asks the same questions over and over, and compares every answer."""

    def __init__(self, engine: Engine, wanted: dict[str, Results], over: threading.Event) -> None:
        super().__init__()
        self.engine, self.wanted, self.over = engine, wanted, over
        self.right = 0
        self.failed: list[str] = []
        self.wrong: list[str] = []

    def run(self) -> None:
        while not (self.over.is_set() or self.failed or self.wrong):
            for text, expected in self.wanted.items():
                try:
                    found = self.engine.search(text, k=50, config="heimdall-2021")
                except ArgsearchError as error:
                    self.failed.append(str(error))
                    continue
                try:
                    assert_same(found, expected)
                    self.right += 1
                except AssertionError as error:
                    self.wrong.append(f"{text}: {error}")


def kill_while_clients_ask(three: Cluster, index: Path, victim: int) -> None:
    """No search fails, and every answer is right: before, meanwhile and with two nodes."""
    url = address(three, "load")
    write(index, url, Layout(shards=3, replicas=1))
    three.wait(status="green")
    texts = [f"{a} {b}" for a, b in zip(WORDS, reversed(WORDS), strict=True)]
    over = threading.Event()
    with Engine.open(url) as engine, Engine.open(index) as embedded:
        wanted = {t: embedded.search(t, k=50, config="heimdall-2021") for t in texts}
        threads = [Load(engine, wanted, over) for _ in range(6)]
        for thread in threads:
            thread.start()
        try:
            for turn in ("before", "after"):
                begun = [thread.right for thread in threads]
                assert eventually(
                    lambda begun=begun: all(
                        thread.right >= ANSWERS + right or thread.failed or thread.wrong
                        for thread, right in zip(threads, begun, strict=True)
                    ),
                    seconds=10 * PATIENCE,
                )
                if turn == "before":
                    three.nodes[victim].kill()
                    three.wait(nodes=2)
        finally:
            over.set()
            for thread in threads:
                thread.join()
        retried = engine.backend.session.server.retried  # type: ignore[attr-defined]
    right = sum(thread.right for thread in threads)
    print(f"\n{right} right, {retried} retried")
    assert [line for thread in threads for line in thread.wrong] == []
    assert [line for thread in threads for line in thread.failed] == []


@pytest.mark.parametrize("three", VICTIMS, indirect=True)
def test_a_node_killed_while_documents_are_sent_or_clients_ask(
    three: Cluster,
    index: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, first, second = request.node.callspec.params["three"]
    three.wait(status="green")
    kill_while_documents_are_sent(three, index, first, monkeypatch)
    three.nodes[first].start()
    three.wait(status="green")
    kill_while_clients_ask(three, index, second)
