"""What tests of the engine share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from argsearch.engine import Engine
from tests.engine.narrowing import Plain, built


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """The index of the fixture that a module names by SERVED, else the sample corpus, open."""
    index: Path = request.getfixturevalue(getattr(request.module, "SERVED", "sample_index"))
    with Engine.open(index) as opened:
        yield opened


@pytest.fixture(scope="session")
def columned_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Short documents with values in every column."""
    return built(tmp_path_factory.mktemp("columned"))


@pytest.fixture(scope="module")
def plain(engine: Engine) -> Plain:
    """The same answers by brute force."""
    return Plain(engine)
