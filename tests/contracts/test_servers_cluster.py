"""A cluster of three processes that loses one with signal 9: nothing lost, doubled or wrong."""

from __future__ import annotations

import os
import threading
import time
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
from tests.servers.launcher import Cluster, ServerUnavailableError, cluster

pytestmark = [pytest.mark.servers, pytest.mark.slow]
DOCUMENTS = 4000
LOAD_SECONDS = float(os.environ.get("ARGSEARCH_TEST_LOAD_SECONDS", "20"))
"""Length of the query load (60 s where there is time)."""
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


@pytest.fixture(scope="module", params=["elasticsearch", "opensearch"])
def three(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A running cluster of three nodes, each a process of its own."""
    try:
        made = cluster(request.param, nodes=3)
    except ServerUnavailableError as error:
        pytest.skip(str(error))
    with made:
        yield made


@pytest.fixture
def whole(three: Cluster) -> Iterator[Cluster]:
    """The same with all nodes up and every shard and copy in its place."""
    three.wait(status="green")
    yield three
    for node in three.nodes:
        if node.process is None:
            node.start()
    three.wait(status="green")


def address(nodes: Cluster, name: str) -> str:
    hosts = ",".join(node.url.removeprefix("http://") for node in nodes.nodes)
    return f"http://{hosts}/{name}"


@pytest.mark.parametrize("victim", [0, 1])
def test_a_node_killed_during_bulk_indexing(
    whole: Cluster, index: Path, victim: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "BULK_BYTES", 100_000)
    url = address(whole, "bulk")

    def progress(stage: str, done: int, _of: int | None = None) -> None:
        if stage == "documents" and done > DOCUMENTS // 3 and whole.nodes[victim].process:
            whole.nodes[victim].kill()

    report = write(index, url, Layout(shards=3, replicas=1), progress)
    assert whole.nodes[victim].process is None
    assert report.documents == DOCUMENTS
    found, wanted = Engine.open(url), Engine.open(index)
    everything = found.search("zoos", k=DOCUMENTS + 1, config="heimdall-2021-run4")
    assert sorted(everything.hits.ids) == [f"d{i:05}" for i in range(DOCUMENTS)]
    for text in ("school teacher", "zoo animal law", "number77 water"):
        assert_same(found.search(text, k=100), wanted.search(text, k=100))
    found.close()
    wanted.close()


class Load(threading.Thread):
    """Asks the same questions over and over, and compares every answer."""

    def __init__(self, engine: Engine, wanted: dict[str, Results], until: float) -> None:
        super().__init__()
        self.engine = engine
        self.wanted = wanted
        self.until = until
        self.right = 0
        self.failed: list[str] = []
        self.wrong: list[str] = []

    def run(self) -> None:
        while time.monotonic() < self.until or not (self.right > 9 or self.failed or self.wrong):
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


@pytest.mark.parametrize("victim", [0, 2])
def test_a_node_killed_under_a_load_of_queries(whole: Cluster, index: Path, victim: int) -> None:
    url = address(whole, "load")
    write(index, url, Layout(shards=3, replicas=1))
    whole.wait(status="green")
    engine, embedded = Engine.open(url), Engine.open(index)
    texts = [f"{a} {b}" for a, b in zip(WORDS, reversed(WORDS), strict=True)]
    wanted = {t: embedded.search(t, k=50, config="heimdall-2021") for t in texts}
    begun = time.monotonic()
    threads = [Load(engine, wanted, begun + LOAD_SECONDS) for _ in range(6)]
    for thread in threads:
        thread.start()
    time.sleep(LOAD_SECONDS / 3)
    whole.nodes[victim].kill()
    for thread in threads:
        thread.join()
    right = sum(thread.right for thread in threads)
    failed = [line for thread in threads for line in thread.failed]
    wrong = [line for thread in threads for line in thread.wrong]
    retried = engine.backend.session.server.retried  # type: ignore[attr-defined]
    print(f"\n{right} right, {len(failed)} failed, {len(wrong)} wrong, {retried} retried")
    engine.close()
    assert wrong == []
    assert failed == []
    assert right > 50
