"""Building aside: an old index stays whole whatever happens to the build."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from indexer.staging import BuildFailed, BuildInProgress, TargetNotAnIndex, staged


def make_index(target: Path, content: str) -> None:
    with staged(target) as folder:
        (folder / "manifest.json").write_text(content)


def test_a_finished_build_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "index"
    make_index(target, "old")
    make_index(target, "new")
    assert (target / "manifest.json").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_an_error_leaves_the_old_index_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "index"
    make_index(target, "old")
    with pytest.raises(RuntimeError, match="stop"), staged(target) as folder:
        (folder / "half").write_text("half")
        raise RuntimeError("stop")
    assert (target / "manifest.json").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_a_full_disk_is_one_line_with_the_remedy(tmp_path: Path) -> None:
    target = tmp_path / "index"
    make_index(target, "old")
    with (
        pytest.raises(BuildFailed, match="No space left.*unchanged.*make room"),
        staged(target),
        Path("/dev/full").open("wb", buffering=0) as full,
    ):
        full.write(b"x")
    assert (target / "manifest.json").read_text() == "old"


def test_two_builds_of_one_index_do_not_meet(tmp_path: Path) -> None:
    target = tmp_path / "index"
    with staged(target) as folder:
        with pytest.raises(BuildInProgress, match="another build"), staged(target):
            pass
        (folder / "manifest.json").write_text("first")
    assert (target / "manifest.json").read_text() == "first"


def test_what_a_killed_build_left_is_removed_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "index"
    make_index(target, "old")
    script = textwrap.dedent(
        """
        import sys, time
        from pathlib import Path
        from indexer.staging import staged
        with staged(Path(sys.argv[1])) as folder:
            (folder / "forward.terms").write_text("half")
            print("ready", flush=True)
            time.sleep(60)
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(target)], stdout=subprocess.PIPE, cwd=Path.cwd()
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    time.sleep(0.01)
    assert (target / "manifest.json").read_text() == "old"
    assert (tmp_path / ".index.building" / "forward.terms").exists()
    make_index(target, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


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
    with pytest.raises(TargetNotAnIndex, match="does not exist"), staged(tmp_path / "no" / "index"):
        pass


def test_strangers_files_in_the_building_folder_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / ".index.building"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(TargetNotAnIndex, match="holds 'thesis.txt'"), staged(tmp_path / "index"):
        pass
    assert (folder / "thesis.txt").read_text() == "years of work"


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
    assert (real / "manifest.json").read_text() == "new"
    assert {path.name for path in tmp_path.iterdir()} == {"index-2026", "current"}


def test_a_mount_point_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(TargetNotAnIndex, match="/ is a mount point.*--out"), staged(Path("/")):
        pass
