"""Every reader, given files that were changed 200 times (at night 2,000, `make fuzz` 100,000)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.running import outcome
from tests.fuzz.targets import TARGETS, Target

HOUSE = Path(__file__).parent.parent.parent


@pytest.mark.slow
@pytest.mark.parametrize("count", [200, pytest.param(2000, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", TARGETS)
def test_no_changed_file_ends_otherwise(name: str, count: int) -> None:
    command = [sys.executable, "-m", "tests.fuzz.running", name, str(count)]
    done = subprocess.run(
        command, cwd=HOUSE, capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "'refused'" in done.stdout, "some changes matter"
    assert "'read'" in done.stdout, "and some do not"


@pytest.mark.parametrize("error", [ValueError("x"), RecursionError(), MemoryError(), SystemExit(1)])
def test_other_ends_are_told(error: BaseException, tmp_path: Path) -> None:
    def read(_path: Path) -> None:
        raise error

    assert type(error).__name__ in outcome(Target(list, read, "", ()), tmp_path)


@pytest.mark.parametrize(("message", "said"), [("x" * 3000, "3000 characters"), ("", "0 char")])
def test_long_and_empty_lines_are_told(message: str, said: str, tmp_path: Path) -> None:
    from argsearch.indexer.errors import ArgsearchError

    def read(_path: Path) -> None:
        raise ArgsearchError(message)

    assert said in outcome(Target(list, read, "", ()), tmp_path)


def test_a_message_is_one_printable_line() -> None:
    from argsearch.indexer.errors import ArgsearchError, InvalidParameter

    assert str(ArgsearchError("a\nb\x1b[31m\u202ec …")) == "a\\nb\\x1b[31m\\u202ec …"
    assert len(str(InvalidParameter("k", "9" * 5000, "less"))) < 300
