"""Folders for the time of one process: own kind and dead owner only are removed."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from argsearch.indexer.staging import scratch_folder

HOLD = """
import os, sys
from pathlib import Path
from argsearch.indexer.staging import scratch_folder
with scratch_folder("argsearch-[test]-", Path(sys.argv[1])) as folder:
    (folder / "counts").mkdir()
    (folder / "counts" / "one.db").write_text("1")
    print(folder.name, flush=True)
    sys.stdin.read()
    if len(sys.argv) > 2:
        os.kill(os.getpid(), 9)
"""


def holding(parent: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(parent), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def names(parent: Path) -> set[str]:
    return {path.name for path in parent.iterdir()}


def test_it_is_there_and_then_gone(tmp_path: Path) -> None:
    with scratch_folder("argsearch-[test]-", tmp_path) as folder:
        assert names(tmp_path) == {folder.name}
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "file").write_text("content")
    assert names(tmp_path) == set()
    with pytest.raises(ValueError, match="stop"), scratch_folder("argsearch-[test]-", tmp_path):
        raise ValueError("stop")
    assert names(tmp_path) == set()


@pytest.mark.thorough
def test_a_killed_ones_is_removed_and_a_living_ones_is_not(tmp_path: Path) -> None:
    with holding(tmp_path) as living, holding(tmp_path, "be killed") as killed:
        assert living.stdout
        assert killed.stdout
        mine, left = living.stdout.readline().strip(), killed.stdout.readline().strip()
        killed.communicate(timeout=60)
        assert names(tmp_path) == {mine, left}
        with scratch_folder("argsearch-[test]-", tmp_path) as folder:
            assert names(tmp_path) == {mine, folder.name}
        living.communicate(timeout=60)
    assert names(tmp_path) == set()


def test_only_the_own_kind_of_the_own_user_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [
        "argsearch-[test]-mine",
        "argsearch-[test]-0123456789abcdef.old",
        "argsearch-other-0123456789abcdef",
    ]
    for name in others:
        (tmp_path / name).mkdir()
    (tmp_path / "argsearch-[test]-aaaaaaaaaaaaaaaa").write_text("a file")
    (tmp_path / "argsearch-[test]-bbbbbbbbbbbbbbbb").symlink_to(tmp_path / others[0])
    before = names(tmp_path)
    with scratch_folder("argsearch-[test]-", tmp_path):
        pass
    assert names(tmp_path) == before
    strangers = tmp_path / "argsearch-[test]-cccccccccccccccc"
    strangers.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: strangers.stat().st_uid + 1)
    with scratch_folder("argsearch-[test]-", tmp_path):
        pass
    assert names(tmp_path) == {*before, strangers.name}


def test_a_file_system_without_locks_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    (tmp_path / "argsearch-[test]-0123456789abcdef").mkdir()
    monkeypatch.setattr(fcntl, "flock", refuse)
    with scratch_folder("argsearch-[test]-", tmp_path) as folder:
        assert folder.is_dir()
    assert names(tmp_path) == {"argsearch-[test]-0123456789abcdef"}, "whose it is cannot be known"
