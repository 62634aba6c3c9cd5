"""A fault at every step of a build: the old index answers, the cause is named, nothing is left."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.indexer import memory
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.building.changing import add, remove
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts import counters
from argsearch.indexer.parts.adding import PARTS
from argsearch.indexer.staging import OldFilesLeft

PLAIN = IndexSettings(encoder="none", quality_model="none")
WHOLE = IndexSettings(parts=tuple(PARTS), meaning_encoder="wordllama")
PATHS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.listdir", "os.scandir")
REMOVALS = ("os.remove", "os.rmdir", "os.listdir", "os.scandir")
NAMELESS = ("mmap.__new__", "fcntl.flock")


class Fault:
    """The n-th thing that is asked of the operating system about a folder fails."""

    def __init__(self) -> None:
        self.left = 0
        self.room = ""
        self.failed: str | None = None

    def __call__(self, event: str, words: tuple[object, ...]) -> None:
        if self.left and (event in NAMELESS or (event in PATHS and self.is_inside(words[0]))):
            self.left -= 1
            if self.left == 0:
                self.failed = event
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def is_inside(self, path: object) -> bool:
        named = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
        return named.startswith(self.room)

    @contextmanager
    def at(self, n: int, room: Path) -> Iterator[None]:
        self.left, self.room, self.failed = n, f"{room}{os.sep}", None
        try:
            yield
        finally:
            self.left = 0


_fault = Fault()
sys.addaudithook(_fault)  # it stays for good, and does nothing until it is told to


def write_corpus(folder: Path, word: str) -> str:
    path = folder / f"{word}.jsonl"
    premises = [{"text": f"{word} keep animals", "stance": "PRO"}]
    lines = [{"id": f"{word}{i}", "conclusion": word, "premises": premises} for i in range(20)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def answers(index: Path, word: str) -> bool:
    with Engine.open(index) as engine:
        return engine.search(word, config="dirichlet").total == 20


def check_after(room: Path, old: bool, error: Exception | None, removal: bool) -> None:
    """What holds after every fault."""
    index, there = room / "index", sorted(path.name for path in room.iterdir())
    if error is not None:
        if not isinstance(error, ArgsearchError):
            raise error
        assert "No space left" in str(error) or "too large" in str(error)
        assert "\n" not in str(error)
        assert not old or answers(index, "farms")
        assert old or removal or there == []
    else:
        assert answers(index, "zoos")
    if not removal:
        assert there in ([], ["index"])


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:unclosed", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("old", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_fault_at_every_step(tmp_path: Path, old: bool) -> None:
    zoos, farms = write_corpus(tmp_path, "zoos"), write_corpus(tmp_path, "farms")
    tried = set()
    for n in range(1, 1000):
        room = tmp_path / str(n)
        room.mkdir()
        if old:
            build(BuildRequest([farms], room / "index", PLAIN))
        error: Exception | None = None
        try:
            with _fault.at(n, room):
                build(BuildRequest([zoos], room / "index", PLAIN))
        except Exception as caught:
            error = caught
        check_after(room, old, error, _fault.failed in REMOVALS)
        if _fault.failed is None:
            break
        tried.add(_fault.failed)
        build(BuildRequest([zoos], room / "index", PLAIN))  # the next one succeeds
        assert answers(room / "index", "zoos")
        assert [path.name for path in room.iterdir()] == ["index"]
    else:
        pytest.fail("the steps have no end")
    assert n > 60, n
    assert {"open", "os.mkdir", "os.remove", "fcntl.flock"} <= tried


def adding(folder: Path, index: Path) -> None:
    add(index, [str(folder / "zoos.jsonl")])


def removing(_folder: Path, index: Path) -> None:
    remove(index, [f"farms{i}" for i in range(0, 20, 2)])


def totals(index: Path) -> tuple[int, int]:
    with Engine.open(index) as engine:
        found = [engine.search(word, config="dirichlet").total for word in ("farms", "zoos")]
    return found[0], found[1]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("change", "after"), [(adding, (20, 20)), (removing, (10, 0))])
@pytest.mark.parametrize("config", [PLAIN, pytest.param(WHOLE, marks=pytest.mark.nightly)])
def test_a_fault_at_every_step_of_a_change(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    config: IndexSettings,
    change: Callable[[Path, Path], None],
    after: tuple[int, int],
) -> None:
    monkeypatch.setattr(counters, "EXACT", 5)  # lists of neighbours are taken over
    write_corpus(tmp_path, "zoos")
    build(BuildRequest([write_corpus(tmp_path, "farms")], tmp_path / "farms", config))
    tried = set()
    for n in range(1, 10_000):  # until there is no such step
        room = tmp_path / str(n)
        index = Path(shutil.copytree(tmp_path / "farms", room / "index"))
        error: Exception | None = None
        try:
            with _fault.at(n, room):
                change(tmp_path, index)
        except Exception as caught:
            error = caught
        left = isinstance(error, OldFilesLeft)
        if error is not None:
            assert isinstance(error, ArgsearchError), error
            assert left or "No space left" in str(error)
        assert totals(index) == ((20, 0) if error and not left else after)
        if _fault.failed not in REMOVALS:  # what was embedded is gone on with
            names = {path.name for path in room.iterdir()}
            assert names - {".index.embedded"} == {"index"}
        if _fault.failed is None:
            break
        tried.add(_fault.failed)
        if error and not left:
            change(tmp_path, index)  # the next one succeeds
            assert totals(index) == after
            assert [path.name for path in room.iterdir()] == ["index"]
        manifests.verify(index)
    else:
        pytest.fail("the steps have no end")
    assert n > 60, n
    assert {"open", "os.mkdir", "os.rename", "os.remove", "fcntl.flock", "mmap.__new__"} <= tried


@pytest.mark.parametrize(
    ("addresses", "group", "said"),
    [
        (600_000 << 10, "max", r"ulimit -v\) must be at least 1,100 MiB .* not 585 MiB"),
        (-1, "104857600\n", r"memory.max\) must be at least 160 MiB .* not 100 MiB"),
        (-1, "max\n", None),
        (2 << 30, "1073741824", None),
    ],
)
def test_too_little_memory_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, addresses: int, group: str, said: str | None
) -> None:
    (tmp_path / "memory.max").write_text(group)
    monkeypatch.setattr(memory, "CGROUPS", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 1})
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (addresses, -1))
    request = BuildRequest([str(tmp_path / "none.json")], tmp_path / "index", PLAIN)
    with pytest.raises(ArgsearchError, match=said or "no such file"):
        build(request)
    assert [path.name for path in tmp_path.iterdir()] == ["memory.max"]


@pytest.mark.parametrize(
    ("own", "limits", "found"),
    [
        ("0::/a/b\n", {"a/memory.max": "100", "a/b/memory.max": "max"}, {"a/memory.max": 100}),
        ("0::/\n", {"memory.max": "7"}, {"memory.max": 7}),
        ("0::/of/the/host\n", {"memory.max": "7", "a/memory.max": "1"}, {"memory.max": 7}),
        (
            "5:cpu,cpuacct:/a\n4:memory:/a/b:c\n0::/\n",
            {
                "memory/a/b:c/memory.limit_in_bytes": "300",
                "memory/a/memory.limit_in_bytes": "200",
                "memory/memory.limit_in_bytes": "9223372036854771712",
                "a/memory.max": "1",
            },
            {
                "memory/a/b:c/memory.limit_in_bytes": 300,
                "memory/a/memory.limit_in_bytes": 200,
                "memory/memory.limit_in_bytes": 9223372036854771712,
            },
        ),
    ],
)
def test_the_limits_of_all_groups_around_a_process_count(
    tmp_path: Path, own: str, limits: dict[str, str], found: dict[str, int]
) -> None:
    for name, limit in limits.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{limit}\n")
    (tmp_path / "own").write_text(own)
    expected = {tmp_path / name: limit for name, limit in found.items()}
    assert memory.group_limits(tmp_path, tmp_path / "own") == expected
    assert memory.group_limits(tmp_path, tmp_path / "none") == {}


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:unclosed", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("old", [False, True])
def test_files_that_may_not_grow_beyond_any_size(tmp_path: Path, old: bool) -> None:
    """The limit of a file's size makes the write fail that goes beyond it, in every library."""
    zoos, farms = write_corpus(tmp_path, "zoos"), write_corpus(tmp_path, "farms")
    index = tmp_path / "room" / "index"
    index.parent.mkdir()
    if old:
        build(BuildRequest([farms], index, PLAIN))
    build(BuildRequest([zoos], tmp_path / "whole", PLAIN))
    sizes = sorted({path.stat().st_size for path in (tmp_path / "whole").iterdir()})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for size in sizes:
        error = None
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size - 1, limits[1]))
            build(BuildRequest([zoos], index, PLAIN))
        except Exception as caught:
            error = caught
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert error is not None
        check_after(index.parent, old, error, removal=False)
    signal.signal(signal.SIGXFSZ, before)
    build(BuildRequest([zoos], index, PLAIN))
    assert manifests.verify(index)
    assert answers(index, "zoos")
