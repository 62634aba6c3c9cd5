"""Real search servers for the contract suite: started when first asked for, once a session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.launcher import ServerUnavailableError, cluster


def _running(name: str) -> Iterator[str]:
    try:
        server = cluster(name)
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


@pytest.fixture(scope="session", params=["elasticsearch", "opensearch"])
def server_url(request: pytest.FixtureRequest) -> str:
    """The address of each real server in turn."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url
