"""Building aside: an old index stays whole whatever happens to the build."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Collection
from pathlib import Path
from types import FrameType

import pytest

from argsearch.indexer import staging
from argsearch.indexer.staging import (
    BuildFailed,
    BuildInProgress,
    OldFilesLeft,
    TargetNotAnIndex,
    staged,
)


def manifest(content: str) -> str:
    """The least that tells an index from other folders."""
    return json.dumps({"format": 3, "fingerprint": 64 * "0", "files": {}, "content": content})


def make_index(target: Path, content: str) -> None:
    with staged(target) as folder:
        (folder / "manifest.json").write_text(manifest(content))


@pytest.mark.parametrize(
    ("error", "free", "said"),
    [
        (OSError("5120 requested and 4064 written"), 0, "No space left on device: {full}"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), 7_000_000, "No space left on device"),
        (OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)), 7_000_000, "quota exceeded: {full}"),
        (OSError("5120 requested and 4064 written"), 7_000_000, "File too large; its partial"),
    ],
)
def test_a_full_disk_says_where_and_how_much_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, free: int, said: str
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(1, 1, free))
    with (
        pytest.raises(BuildFailed) as caught,
        staged(tmp_path / "index", share=lambda: 0.25) as folder,
    ):
        (folder / "forward.terms").write_bytes(bytes(1_500_000))
        raise error
    full = f"the disk of {tmp_path} is full, with {free / 1e6:,.1f} MB free; the build has"
    full += " written 1.5 MB and needs about 12.0 MB"
    assert said.format(full=full) in str(caught.value)
    assert "requested" not in str(caught.value)


@pytest.mark.parametrize("exchange", [True, False])
@pytest.mark.parametrize("old", [True, False])
def test_one_who_leaves_removes_nothing_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bool, exchange: bool
) -> None:
    target, remove, swap = tmp_path / "index", staging._remove, staging._exchange
    met = []

    def again() -> None:
        try:
            with staged(target) as folder:
                (folder / "forward.terms").write_text("the next one's")
                met.append("in")
        except BuildInProgress:
            met.append("refused")

    def removed(folder: Path, own: Collection[str]) -> None:
        monkeypatch.setattr(staging, "_remove", remove)
        again()
        remove(folder, own)

    def exchanged(new: Path, there: Path) -> None:
        monkeypatch.setattr(staging, "_exchange", swap)
        swap(new, there)
        if not old:  # the folder is no more: the next one begins at once
            new.mkdir()
            (new / staging.TEMPORARY_MARK).touch()
            (new / "forward.terms").write_text("the next one's")
        else:
            again()

    if not exchange:
        monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: None)
    if old:
        make_index(target, "old")
        monkeypatch.setattr(staging, "_remove", removed)
    monkeypatch.setattr(staging, "_exchange", exchanged)
    make_index(target, "new")
    assert (target / "manifest.json").read_text() == manifest("new")
    assert met == (["refused", "refused"] if old else [])
    assert (tmp_path / ".index.building" / "forward.terms").exists() != old
    make_index(target, "newer")
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


@pytest.mark.thorough
def test_what_a_killed_build_left_is_removed_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "index"
    make_index(target, "old")
    script = textwrap.dedent(
        """
        import signal, sys
        from pathlib import Path
        from argsearch.indexer.staging import staged
        with staged(Path(sys.argv[1])) as folder:
            (folder / "forward.terms").write_text("half")
            print("ready", flush=True)
            signal.pause()
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(target)], stdout=subprocess.PIPE, cwd=Path.cwd()
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    assert (target / "manifest.json").read_text() == manifest("old")
    assert (tmp_path / ".index.building" / "forward.terms").exists()
    make_index(target, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    assert not (target / "forward.terms").exists()


def test_a_file_that_comes_meanwhile_stops_the_exchange(tmp_path: Path) -> None:
    target = tmp_path / "index"
    make_index(target, "old")
    with pytest.raises(TargetNotAnIndex, match="has 'notes.txt'"), staged(target) as folder:
        (folder / "manifest.json").write_text(manifest("new"))
        (target / "notes.txt").write_text("mine")
    assert (target / "manifest.json").read_text() == manifest("old")
    assert (target / "notes.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_a_file_that_comes_at_the_last_moment_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, aside, swap = tmp_path / "index", tmp_path / ".index.building", staging._exchange

    def exchanged(new: Path, there: Path) -> None:
        (target / "notes.txt").write_text("mine")
        swap(new, there)

    make_index(target, "old")
    with monkeypatch.context() as patch:
        patch.setattr(staging, "_exchange", exchanged)
        said = r"\.index\.building; move your own files out, then delete that folder"
        with pytest.raises(OldFilesLeft, match=said), staged(target, old_may_stay=False) as folder:
            (folder / "manifest.json").write_text(manifest("new"))
    assert (target / "manifest.json").read_text() == manifest("new")
    assert {path.name: path.read_text() for path in aside.iterdir()} == {"notes.txt": "mine"}
    with pytest.raises(TargetNotAnIndex, match="building, .* has 'notes.txt'.*left unchanged"):
        make_index(target, "newer")
    assert (aside / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("mark", [True, False])
def test_only_a_marked_folder_is_emptied(tmp_path: Path, mark: bool) -> None:
    """A name tells nothing: a data set has files such as `quality.npy`, too."""
    folder = tmp_path / ".index.building"
    folder.mkdir()
    (folder / "quality.npy").write_text("a data set of mine")
    if mark:
        (folder / staging.TEMPORARY_MARK).touch()
        make_index(tmp_path / "index", "new")
        assert not folder.exists()
        return
    with pytest.raises(TargetNotAnIndex, match="has 'quality.npy'"):
        make_index(tmp_path / "index", "new")
    assert (folder / "quality.npy").read_text() == "a data set of mine"


def test_another_programs_folder_where_an_old_index_lies_is_left_alone(tmp_path: Path) -> None:
    target, aside = tmp_path / "index", tmp_path / ".index.exchanging"
    aside.mkdir()
    for name in ("manifest.json", "photo.jpg"):
        (aside / name).write_text("mine")
    for content in ("old", "new"):
        make_index(target, content)
        assert (target / "manifest.json").read_text() == manifest(content)
    assert sorted(path.read_text() for path in aside.iterdir()) == ["mine", "mine"]


def test_something_else_at_the_target_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "holiday"
    folder.mkdir()
    (folder / "photo.jpg").write_text("sea")
    file = tmp_path / "file"
    file.write_text("text")
    for target in (folder, file):
        with pytest.raises(TargetNotAnIndex, match="not an index"), staged(target):
            pass
    assert (folder / "photo.jpg").read_text() == "sea"
    with pytest.raises(TargetNotAnIndex, match="there is no"), staged(tmp_path / "no" / "index"):
        pass


def test_a_building_folder_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "manifest.json").write_text("a stranger's")
    (tmp_path / ".index.building").symlink_to(elsewhere)
    with pytest.raises(TargetNotAnIndex, match="cannot be used"), staged(tmp_path / "index"):
        pass
    assert (elsewhere / "manifest.json").read_text() == "a stranger's"


def test_a_link_as_target_keeps_pointing_where_it_points(tmp_path: Path) -> None:
    real = tmp_path / "index-2026"
    make_index(real, "old")
    (tmp_path / "current").symlink_to(real)
    make_index(tmp_path / "current", "new")
    assert (tmp_path / "current").readlink() == real
    assert (real / "manifest.json").read_text() == manifest("new")
    assert {path.name for path in tmp_path.iterdir()} == {"index-2026", "current"}


def test_a_mount_point_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(TargetNotAnIndex, match="/ is a mount point.*--out"), staged(Path("/")):
        pass


class Interrupts:
    """Ctrl-C at the n-th moment (the start of a function, the end of a call) at which it can come.

    As the interpreter does: it looks for signals just there.
    """

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self, _frame: FrameType, event: str, _value: object) -> None:
        if event in ("call", "c_return"):
            self.left -= 1
            if self.left == 0:
                sys.setprofile(None)
                raise KeyboardInterrupt


def build_interrupted_at(n: int, target: Path, content: str) -> bool:
    """Whether the build was over before the n-th moment came."""
    interrupts = Interrupts(n)
    try:
        sys.setprofile(interrupts)
        make_index(target, content)
    except KeyboardInterrupt:
        return False
    finally:
        sys.setprofile(None)
    return True


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:unclosed", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("old", "exchange"),
    [(False, True), (True, True), pytest.param(True, False, marks=pytest.mark.slow)],
)
def test_ctrl_c_at_any_moment_leaves_an_index_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bool, exchange: bool
) -> None:
    if not exchange:
        monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: None)
    for n in range(1, 100_000):
        room = tmp_path / str(n)
        room.mkdir()
        target = room / "index"
        if old:
            target.mkdir()
            (target / "manifest.json").write_text(manifest("old"))
        over = build_interrupted_at(n, target, "new")
        there = {path.name: (path / "manifest.json").read_text() for path in room.iterdir()}
        new, none = {"index": manifest("new")}, {"index": manifest("old")} if old else {}
        assert there in (none, new), n
        if over:
            assert n > 100
            break


def test_a_folder_of_another_user_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".index.building"
    folder.mkdir()
    (folder / "manifest.json").write_text(manifest("another's"))
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    with (
        pytest.raises(TargetNotAnIndex, match="belongs to another user.*left unchanged"),
        staged(tmp_path / "index"),
    ):
        pass
    assert (folder / "manifest.json").read_text() == manifest("another's")
