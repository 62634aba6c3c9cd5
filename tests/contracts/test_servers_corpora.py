"""Real corpora on real servers, in one shard and in five: the embedded engine's answers."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.server.schema import Layout
from argsearch.indexer.server.writing import write
from argsearch.lab.runs.topics import read_topics
from tests.contracts.agreement import assert_same
from tests.indexes import Built

pytestmark = [pytest.mark.servers, pytest.mark.data, pytest.mark.slow]
FORUM = 100_000


@pytest.fixture(
    scope="module", params=["argsme", "arguana", pytest.param("forum", marks=pytest.mark.nightly)]
)
def index(
    request: pytest.FixtureRequest,
    data_dir: Path,
    built: Built,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The index directory of a real corpus."""
    forum = tmp_path_factory.getbasetemp() / "forum.jsonl"
    source = {
        "argsme": data_dir / "argsme-subset" / "args-me-subset.json.xz",
        "arguana": next((data_dir / "arguana").glob("*.json.xz")),
        "forum": forum,
    }[request.param]
    if request.param == "forum":
        posts = data_dir / "forum" / "forum-posts.jsonl.xz"
        with lzma.open(posts, "rb") as every, forum.open("wb") as some:
            some.writelines(islice(every, FORUM))
    return built(source, IndexSettings())


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((name, shards), marks=marks, id=f"{name}-{shards}")
        for name, shards, marks in (
            ("elasticsearch", 1, []),
            ("elasticsearch", 5, [pytest.mark.nightly]),
            ("opensearch", 1, [pytest.mark.nightly]),
            ("opensearch", 5, []),
        )
    ],
)
def engines(request: pytest.FixtureRequest, index: Path) -> Iterator[tuple[Engine, Engine]]:
    """The corpus on a server and in the embedded engine."""
    name, shards = request.param
    url = request.getfixturevalue(f"{name}_url")
    address = f"{url}/corpus-{index.parent.name}"
    write(index, address, Layout(shards=shards))
    remote, embedded = Engine.open(address), Engine.open(index)
    yield remote, embedded
    remote.close()
    embedded.close()


@pytest.fixture(scope="module")
def titles(data_dir: Path) -> list[str]:
    """Every second question of Touché 2020."""
    topics = next((data_dir / "touche").glob("*all50.xml"))
    return [topic.title for topic in read_topics(topics)][::2]


@pytest.mark.parametrize("config", ["dirichlet", "heimdall-2021", "default"])
def test_real_corpora_give_the_same_rankings(
    engines: tuple[Engine, Engine], titles: list[str], config: str
) -> None:
    remote, embedded = engines
    for title in titles:
        found = remote.search(title, k=100, config=config)
        assert_same(found, embedded.search(title, k=100, config=config))


def test_beyond_ten_thousand_hits(engines: tuple[Engine, Engine], titles: list[str]) -> None:
    remote, embedded = engines
    text = max(titles, key=len)
    found = remote.search(text, k=25_000, config="heimdall-2021")
    assert_same(found, embedded.search(text, k=25_000, config="heimdall-2021"))
    assert len(found.hits) == min(25_000, found.total)
    page = remote.search(text, k=50, offset=12_345, config="heimdall-2021")
    assert page.hits.ids == found.hits.ids[12_345:12_395]
