"""Whether the process that wrote a generation has ended."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from argsearch.indexer.server.generations import ended, owner


@pytest.mark.processes
def test_a_process_that_was_killed_has_ended() -> None:
    said = "import json; from argsearch.indexer.server.generations import owner; "
    said += "print(json.dumps(owner()))"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, check=True)
    import json

    of = json.loads(done.stdout)
    assert ended(of) is True
    assert ended({**of, "pid": os.getpid()}) is True, "another process with its number"


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({"host": "elsewhere"}, None),
        ({"numbering": "pid:[1]"}, None),
        ({"boot": "earlier"}, True),
        ({"pid": "1"}, None),
        ({}, False),
    ],
)
def test_what_is_known_of_this_process_and_others(
    change: dict[str, Any], state: bool | None
) -> None:
    assert ended({**owner(), **change}) is state
    for of in (None, "me", {}, []):
        assert ended(of) is None
