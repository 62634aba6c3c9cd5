"""Systems unlike the one at hand: what Windows lacks is taken away, and all else stays the same.

`tests/elsewhere/sitecustomize.py` takes it away, in every process. One test, `…_served_here`, asks
the same of the system as it is, whichever that be.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.copies import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.processes]

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="Windows is played on Linux alone")
SAMPLE = ROOT / "indexer" / "sample"
QUESTION = "should teachers get tenure"
HERE: Mapping[str, str] = {}
TAKEN = {"PYTHONPATH": str(ROOT / "tests" / "elsewhere"), "PYTHONWARNINGS": "ignore::UserWarning"}


def python(*words: object, place: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)],
        env={**os.environ, **place},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def argsearch(*words: object, place: Mapping[str, str] = HERE) -> str:
    done = python("-m", "argsearch", *words, place=place)
    assert done.returncode == 0, done.stderr
    return done.stdout


def made(folder: Path, place: Mapping[str, str]) -> Path:
    """An index that two processes built, and built again in its place, and that got more parts."""
    index = folder / "index"
    for _ in range(2):
        build = ("index", SAMPLE / "arguments.json", "--out", index, "--workers", 2, "--quiet")
        argsearch(*build, place=place)
    more = ("--with", "near_duplicates", "--with", "counter", "--with", "pairs")
    argsearch("index", *more, "--out", index, "--quiet", place=place)
    assert [path.name for path in folder.iterdir()] == ["index"]
    return index


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("here"), HERE)


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("taken"), TAKEN)


@contextmanager
def serving(
    index: Path, place: Mapping[str, str], *words: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server, by its address, and its process."""
    command = [sys.executable, "-m", "argsearch", "serve", "--index", str(index), "--port", "0"]
    with subprocess.Popen(
        [*command, *words],
        env={**os.environ, **place},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.terminate()


def answers(index: Path, place: Mapping[str, str]) -> list[dict[str, Any]]:
    """What a server answers, of two processes if it can, without the time that it took."""
    found = []
    alone = place is TAKEN or sys.platform in ("darwin", "win32")
    with serving(index, place, "--workers", "1" if alone else "2") as (address, process):
        for path in ("/api/search?k=5&explain=true&q=", "/api/pairs?k=5&q="):
            url = address + path + QUESTION.replace(" ", "+")
            with urllib.request.urlopen(url, timeout=60) as answer:
                found.append({**json.load(answer), "milliseconds": None})
        process.terminate()
        process.communicate(timeout=60)
    return found


@LINUX
def test_several_processes_are_refused_where_they_cannot_share(taken: Path) -> None:
    done = python("-m", "argsearch", "serve", "--index", taken, "--workers", "2", place=TAKEN)
    assert done.returncode == 2
    assert "--workers" in done.stderr
    assert "1 on this system" in done.stderr


def test_an_index_is_built_searched_and_served_here(here: Path) -> None:
    argsearch("verify", here)
    asked = argsearch(
        "search", QUESTION, "--index", here, "-k", 5, "--no-spread", "--format", "json"
    )
    served, pairs = answers(here, HERE)
    found = [[hit["id"] for hit in answer["hits"]] for answer in (json.loads(asked), served)]
    assert found[0] == found[1]
    assert pairs["hits"]


@LINUX
def test_what_windows_lacks_is_lacking() -> None:
    words = "import os, signal; print(hasattr(os, 'fork'), hasattr(signal, 'SIGHUP')); import fcntl"
    done = python("-c", words, place=TAKEN)
    assert done.stdout == "False False\n"
    assert "No module named 'fcntl'" in done.stderr


@LINUX
@pytest.mark.slow
def test_without_it_the_same_bytes_are_built_and_answered(here: Path, taken: Path) -> None:
    contents = [
        {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in index.iterdir()}
        for index in (here, taken)
    ]
    assert contents[0] == contents[1]
    assert answers(taken, TAKEN) == answers(here, HERE)


@LINUX
@pytest.mark.slow
def test_a_run_and_its_evaluation_are_the_same(here: Path, taken: Path, tmp_path: Path) -> None:
    said = []
    for place, index in ((HERE, here), (TAKEN, taken)):
        run = tmp_path / "run.txt.gz"
        argsearch("run", SAMPLE / "topics.xml", "--index", index, "--out", run, place=place)
        judged = argsearch("evaluate", SAMPLE / "quality.qrels", run, place=place)
        said.append((run.read_bytes(), judged))
    assert said[0] == said[1]


@LINUX
@pytest.mark.slow
def test_an_index_that_is_open_is_left_and_the_cause_is_said(taken: Path) -> None:
    build = ("index", SAMPLE / "arguments.json", "--out", taken, "--quiet")
    before = (taken / "manifest.json").read_bytes()
    with serving(taken, TAKEN) as (address, _process):
        done = python("-m", "argsearch", *build, place=TAKEN)
        with urllib.request.urlopen(f"{address}/ready", timeout=60) as answer:
            assert answer.status == 200
    assert done.returncode == 1
    assert "another process has one of its files open" in done.stderr
    assert done.stderr.count("\n") == 1
    assert (taken / "manifest.json").read_bytes() == before
    assert [path.name for path in taken.parent.iterdir()] == ["index"]


BUILDS = """
import sys
from pathlib import Path
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.staging import BuildInProgress, staged
with staged(Path(sys.argv[1])) as folder:
    manifests.write(folder, {}, {})
    try:
        with staged(Path(sys.argv[1])):
            raise SystemExit("two builds of one index")
    except BuildInProgress:
        print("locked", flush=True)
    if sys.argv[2:]:
        sys.stdin.read()
"""


@LINUX
def test_a_build_is_alone_and_what_a_killed_one_left_goes(tmp_path: Path) -> None:
    index = tmp_path / "index"
    with subprocess.Popen(
        [sys.executable, "-c", BUILDS, str(index), "waits"],
        env={**os.environ, **TAKEN},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        done = python("-c", BUILDS, index, place=TAKEN)
        assert "another build or change of" in done.stderr
        process.kill()
    python("-c", BUILDS, index, place=TAKEN)  # filelock without any system's lock: frees it alone
    done = python("-c", BUILDS, index, place=TAKEN)
    assert (done.returncode, done.stdout) == (0, "locked\n"), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


@LINUX
@pytest.mark.thorough
def test_ctrl_c_stops_a_build(tmp_path: Path) -> None:
    command = ("-m", "argsearch", "index", "-", "--out", str(tmp_path / "index"), "--workers", "2")
    with subprocess.Popen(
        [sys.executable, *command],
        env={**os.environ, **TAKEN},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stderr is not None
        while ".index.building" not in {path.name for path in tmp_path.iterdir()}:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert "stopped by Ctrl-C" in process.stderr.read()
    assert list(tmp_path.iterdir()) == []


LOOKED_FOR = {
    "indexer/format/checked.py: MADV_DONTNEED",
    "indexer/platform.py: O_DIRECTORY",
    "indexer/platform.py: O_NOFOLLOW",
    "indexer/platform.py: SIG_BLOCK",
    "lab/runs/making.py: sysconf",
    "api/cli/serve.py: SO_REUSEPORT",
    # a module that Windows does not load:
    "api/serve/workers.py: SIGHUP",
    "api/serve/workers.py: SIG_BLOCK",
    "api/serve/workers.py: SIG_UNBLOCK",
    "api/serve/workers.py: pthread_sigmask",
}
"""Names that Windows lacks and that are used where the code has looked for them, or their like."""


@pytest.mark.slow
@pytest.mark.parametrize("system", ["win32", pytest.param("darwin", marks=pytest.mark.nightly)])
def test_no_name_is_used_that_a_system_lacks(system: str, tmp_path: Path) -> None:
    """By the types of Python's own library: to read those of packages takes ten times as long."""
    pytest.importorskip("mypy", reason="install mypy: pip install mypy")
    alone = ("--no-site-packages", "--ignore-missing-imports", "--cache-dir", str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--platform", system, *alone],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    pattern = r'^\.house/argsearch/(\S+?):\d+: error: Module(?: "[\w.]+")? has no attribute "(\w+)"'
    checked = re.search(r"(checked|in) [3-9]\d\d source files", done.stdout)
    assert checked, done.stdout
    found = {": ".join(pair) for pair in re.findall(pattern, done.stdout, re.MULTILINE)}
    assert found == (LOOKED_FOR if system == "win32" else set()), done.stdout
