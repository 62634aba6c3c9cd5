"""Lucene itself, where Java and Maven are there."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.golden import lucene_referee
from tests.servers.launcher import ServerUnavailableError


@pytest.fixture(scope="session")
def lucene() -> ModuleType:
    """The referee, built; the test is skipped where it cannot be."""
    try:
        lucene_referee.classpath()
    except ServerUnavailableError as missing:
        pytest.skip(str(missing))
    return lucene_referee
