"""What an import brings: counts of modules, since a clock tells of the machine."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"numba", "llvmlite", "scipy", "sklearn", "fastapi", "pydantic", "ot", "tokenizers", "rich"}
BUDGETS = {
    "import argsearch": (100, {"numpy", "typer", *HEAVY}),
    "from argsearch import Engine": (350, {"typer", *HEAVY}),
    "import argsearch.api.cli.main": (190, {"numpy", *HEAVY}),
    "from argsearch.api.cli.main import run; run(['--help'])": (260, {"numpy", "uvicorn", *HEAVY}),
    "from argsearch.api.cli.main import run; run(['search', 'zoos', '-k3', '--index', 'none'])": (
        810,
        {
            "pydantic",
            "fastapi",
            "scipy.linalg",
            "sklearn",
            "numba.np.arrayobj",
            "rich",
            "argsearch.ranking.counters",
        },
    ),
}
"""The most modules, a fourth above those of the day that it was set, and what is not among them."""


@pytest.mark.processes
@pytest.mark.parametrize("code", BUDGETS)
def test_an_import_stays_small(code: str) -> None:
    most, heavy = BUDGETS[code]
    command = [sys.executable, "-c", f"{code}; import json, sys; print(json.dumps([*sys.modules]))"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = json.loads(done.stdout.splitlines()[-1])
    assert heavy & set(modules) == set()
    assert len(modules) <= most
