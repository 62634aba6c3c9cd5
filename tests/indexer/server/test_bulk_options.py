"""How documents are sent: each number within its range."""

from __future__ import annotations

import pytest

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.server.bulk import BulkOptions


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("bytes", 999, "1000 to 90000000"),
        ("in_flight", 0, "1 to 64"),
        ("attempts", 0, "1 to 100"),
        ("attempts", 101, "1 to 100"),
    ],
)
def test_a_number_outside_its_range_is_named(name: str, value: int, allowed: str) -> None:
    with pytest.raises(InvalidParameter, match=rf"bulk {name} is {value}; .*from {allowed}$"):
        BulkOptions(**{name: value})
