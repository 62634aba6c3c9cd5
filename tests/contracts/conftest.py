"""Real search servers for the contract suite: started when first asked for, once a session."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.indexer.server.address import parse
from argsearch.indexer.server.client import Server, connect
from argsearch.indexer.server.schema import Layout
from argsearch.indexer.server.writing import write
from tests.contracts.agreement import indices
from tests.servers.launcher import ServerUnavailableError, cluster


def _running(name: str) -> Iterator[str]:
    """A node that the environment names (ARGSEARCH_TEST_ELASTICSEARCH=URL), or one of our own."""
    if url := os.environ.get(f"ARGSEARCH_TEST_{name.upper()}"):
        yield url
        return
    try:
        server = cluster(name, heap="1g")
    except ServerUnavailableError as error:
        pytest.skip(str(error))
    with server:
        yield server.url


@pytest.fixture(scope="session")
def elasticsearch_url() -> Iterator[str]:
    """The address of a real Elasticsearch node."""
    yield from _running("elasticsearch")


@pytest.fixture(scope="session")
def opensearch_url() -> Iterator[str]:
    """The address of a real OpenSearch node."""
    yield from _running("opensearch")


@pytest.fixture(
    scope="session", params=["elasticsearch", pytest.param("opensearch", marks=pytest.mark.slow)]
)
def server_url(request: pytest.FixtureRequest) -> str:
    """The address of each real server in turn; `make test` takes the first alone."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture(scope="session")
def sample_on_server(server_url: str, sample_index: Path) -> Callable[[int], str]:
    """The address of the sample corpus on a server, spread over that many shards."""
    written: dict[int, str] = {}

    def address(shards: int) -> str:
        if shards not in written:
            written[shards] = f"{server_url}/sample-{shards}"
            write(sample_index, written[shards], Layout(shards=shards))
        return written[shards]

    return address


@pytest.fixture(scope="session")
def embedded(sample_index: Path) -> Iterator[Engine]:
    """The sample corpus in the embedded engine: what every server is held to."""
    engine = Engine.open(sample_index)
    yield engine
    engine.close()


@pytest.fixture(
    scope="session",
    params=[1, pytest.param(5, marks=pytest.mark.slow)],
    ids=["1-shard", "5-shards"],
)
def remote(
    request: pytest.FixtureRequest, sample_on_server: Callable[[int], str]
) -> Iterator[Engine]:
    """The sample corpus on each server, in one shard and in five."""
    engine = Engine.open(sample_on_server(request.param))
    yield engine
    engine.close()


@pytest.fixture
def server(server_url: str, request: pytest.FixtureRequest) -> Iterator[Server]:
    """A connection to a name of the test's own; what it leaves there is removed."""
    name = request.node.originalname.removeprefix("test_").replace("_", "-")[:60]
    server = connect(parse(f"{server_url}/{name}"))
    yield server
    for index in indices(server):
        server.request("DELETE", f"/{index}")
    server.close()
