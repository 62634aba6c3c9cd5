"""Every reader, given files that were changed 200 times (at night 2,000, `make fuzz` 100,000)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.messages import wrong
from tests.fuzz.running import fuzz, outcome
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


@pytest.mark.processes
@pytest.mark.slow
def test_no_message_is_unexpected() -> None:
    command = [sys.executable, "-m", "tests.fuzz.messages", "40", "7"]
    done = subprocess.run(
        command, cwd=HOUSE, capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("error: unexpected KeyError: 'a'", True),
        ("Traceback (most recent call last):", True),
        ("1 validation error for searchArguments", True),
        ("x" * 4000, True),
        ("error: k must be a whole number of at least 1, not 0", False),
    ],
)
def test_a_wrong_message_is_known(said: str, found: bool) -> None:
    assert (wrong(said) is not None) == found


@pytest.mark.parametrize("error", [ValueError("x"), RecursionError(), MemoryError(), SystemExit(1)])
def test_other_ends_are_told(error: BaseException, tmp_path: Path) -> None:
    def read(_path: Path) -> None:
        raise error

    assert type(error).__name__ in outcome(Target(list, read, "", ()), tmp_path)


def test_the_end_of_a_readers_process_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def read(path: Path) -> None:
        if path.read_bytes() != b"sound":
            os.kill(os.getpid(), signal.SIGKILL)

    def change(data: bytes, random: Random) -> bytes:
        return random.choice((data, data, data, b"other"))

    monkeypatch.setitem(TARGETS, "dies", Target(lambda: [b"sound"], read, ".txt", (change,)))
    done = fuzz("dies", 12, 0, tmp_path)
    assert set(done) == {"read", "failed"}
    assert done.total() == 12
    assert "its process ended with -9" in capfd.readouterr().out
    kept = list(tmp_path.iterdir())
    assert len(kept) == done["failed"]
    assert {path.read_bytes() for path in kept} == {b"other"}


@pytest.mark.parametrize(
    ("message", "said"),
    [("x" * 3000, "3000 characters"), ("", "0 char"), ("unexpected X: y", "unexpected X")],
)
def test_long_and_empty_lines_are_told(message: str, said: str, tmp_path: Path) -> None:
    from argsearch.indexer.errors import ArgsearchError

    class Unshortened(ArgsearchError):
        def __str__(self) -> str:
            return message

    def read(_path: Path) -> None:
        raise Unshortened

    assert said in outcome(Target(list, read, "", ()), tmp_path)


def test_a_message_is_one_printable_line() -> None:
    from argsearch.indexer.errors import ArgsearchError, InvalidParameter

    assert str(ArgsearchError("a\nb\x1b[31m\u202ec …")) == "a\\nb\\x1b[31m\\u202ec …"
    assert len(str(InvalidParameter("k", "9" * 5000, "less"))) < 300
