"""Every reader, given files that were changed 2,000 times (`make fuzz`: 100,000 times)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

COUNT = 2000
FEW = 40
"""In the default tier, of the quick readers."""


def _run(name: str, count: int, folder: Path) -> str:
    house = Path(__file__).parent.parent.parent
    command = [sys.executable, "-m", "tests.fuzz.running", name, str(count)]
    done = subprocess.run(
        command, cwd=house, capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_no_changed_file_ends_otherwise(name: str, tmp_path: Path) -> None:
    said = _run(name, COUNT, tmp_path)
    assert "'refused'" in said, "some changes matter"
