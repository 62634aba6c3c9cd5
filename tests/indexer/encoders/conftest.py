"""Neural encoders run in processes of their own: two of their libraries abort each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests import in_process as process


@pytest.fixture(scope="session")
def in_process() -> Callable[..., dict[str, Any]]:
    """`tests.in_process.in_process`."""
    return process.in_process
