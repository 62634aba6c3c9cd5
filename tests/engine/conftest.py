"""What tests of the engine share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from argsearch.engine import Engine


@pytest.fixture(scope="module")
def engine(sample_index: Path) -> Iterator[Engine]:
    """The sample corpus, open."""
    with Engine.open(sample_index) as opened:
        yield opened
