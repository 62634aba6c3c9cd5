"""SIGTERM and kill -9 at a command's work: nothing is left, no process stays."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from argsearch.engine import Engine
from tests.processes import PATIENCE, alive, descendants, eventually, patient, spawned

pytestmark = [pytest.mark.processes, pytest.mark.slow]

PLAIN = ["--set", "index.quality_model=none", "--set", "index.encoder=none"]
TO_A_SERVER = """
from types import SimpleNamespace
from argsearch.indexer.building import streaming
streaming.connect = lambda address: SimpleNamespace(close=lambda: None)
streaming.generations_of = lambda server: []
from argsearch.api.cli import index
index._manifest_on_server = lambda address: None
"""
"""The command line, where no server is asked before the corpus is read."""

STOPPED_WHERE_ALL_WORK = """
import os
from argsearch.indexer import processes
submit = processes.Workers.submit
def told(self, *words):
    done = submit(self, *words)
    crew = [one.pid for one in self._context.crew if one.pid]
    if len(crew) == 2:
        print(*crew, flush=True)
        os.kill(os.getpid(), int(os.environ["BY"]))
    return done
processes.Workers.submit = told
"""
"""The command line, which a signal meets as the second worker is told its work; says who runs."""


STOPPED_AT_THE_THIRD_TOPIC = """
import os, signal
from pathlib import Path
from argsearch.engine import Engine
rank, asked = Engine.rank, []
def third(*words, **more):
    asked.append(words)
    if len(asked) == 3:
        print(len(os.listdir(os.environ["OUT"])), flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
    return rank(*words, **more)
Engine.rank = third
"""
"""The command line, which SIGTERM meets in a run; says how many files are in the folder OUT."""


def document(i: int) -> bytes:
    premises = [{"text": f"zoos {i} keep {i % 97} animals", "stance": "PRO"}]
    return json.dumps({"id": str(i), "conclusion": "Zoos", "premises": premises}).encode() + b"\n"


_processes: list[subprocess.Popen[bytes]] = []


def start(*words: str | Path, program: str = "", **settings: str) -> subprocess.Popen[bytes]:
    """A command line, in a session of its own; `settings` are variables of its environment."""
    _processes.append(
        subprocess.Popen(
            [*patient(program), *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **settings},
            start_new_session=True,
        )
    )
    return _processes[-1]


@pytest.fixture(autouse=True)
def _no_process_stays() -> Iterator[None]:
    yield
    while _processes:
        with _processes.pop() as process, suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


class Building:
    """`argsearch index -` with a corpus that never ends, and its work under way."""

    def __init__(
        self,
        out: str | Path,
        *words: str,
        program: str = "",
        command: tuple[str, ...] = (),
        **settings: str,
    ) -> None:
        command = command or ("index", "-", "--out", str(out), *PLAIN, *words)
        self.process = start(*command, program=program, **settings)

    def feed(self, documents: int) -> None:
        self.process.stdin.write(b"".join(map(document, range(documents))))
        self.process.stdin.flush()

    def end(self, by: signal.Signals) -> list[str]:
        """The lines said after that signal, but for those on progress."""
        self.process.send_signal(by)
        data, messages = self.process.communicate(timeout=PATIENCE)
        assert data == b""
        return [line for line in messages.decode().splitlines() if not line.startswith("documents")]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("old", [False, True])
def test_sigterm_ends_a_build_as_ctrl_c_does(tmp_path, awkward_index, old):
    index = tmp_path / "index"
    if old:
        shutil.copytree(awkward_index, index)
    before = contents(index) if old else None
    building = Building(index, *(["--force"] if old else []))
    assert eventually((tmp_path / ".index.building").exists)
    said = building.end(signal.SIGTERM)
    if old:
        assert "will be replaced by a new build" in said.pop(0)
    state = "unchanged" if old else "not built, and its partial files were removed"
    assert said == [f"stopped; {index} is {state}", "stopped by SIGTERM"]
    assert building.process.returncode == 143
    assert os.listdir(tmp_path) == (["index"] if old else [])  # noqa: PTH208
    assert not old or contents(index) == before


@pytest.mark.parametrize(
    ("by", "moment"),
    [(signal.SIGTERM, "as they start"), (signal.SIGTERM, "at work"), (signal.SIGKILL, "at work")],
)
def test_the_workers_of_a_build_end_with_it(tmp_path, by, moment):
    building = Building(tmp_path / "index", "--workers", "3")
    partial = tmp_path / ".index.building" / "forward.terms"
    building.feed(30_000)
    if moment == "as they start":
        assert eventually(lambda: len(spawned(building.process.pid)) == 3)
    else:
        assert eventually(lambda: partial.exists() and partial.stat().st_size > 0)
    # beside them is one that watches over resources
    workers, answering = descendants(building.process.pid), spawned(building.process.pid)
    assert len(answering) == 3
    building.process.send_signal(by)
    assert eventually(lambda: not any(map(alive, workers)))
    _, messages = building.process.communicate(timeout=PATIENCE)
    if by == signal.SIGTERM:
        assert building.process.returncode == 143
        assert messages.decode().splitlines()[-1] == "stopped by SIGTERM"
        assert list(tmp_path.iterdir()) == []


def test_ctrl_c_of_a_terminal_reaches_the_workers_without_a_word(tmp_path):
    building = Building(tmp_path / "index", "--workers", "2")
    building.feed(30_000)
    assert eventually(lambda: len(spawned(building.process.pid)) == 2)
    os.killpg(building.process.pid, signal.SIGINT)
    _, messages = building.process.communicate(timeout=PATIENCE)
    said = [line for line in messages.decode().splitlines() if not line.startswith("documents")]
    assert len(said) == 2, messages.decode()
    assert said[-1] == "stopped by Ctrl-C"
    assert building.process.returncode == 130


def test_a_worker_that_is_killed_ends_the_build_with_one_line(tmp_path):
    building = Building(tmp_path / "index", "--workers", "2")
    building.feed(30_000)
    partial = tmp_path / ".index.building" / "forward.terms"
    assert eventually(lambda: partial.exists() and partial.stat().st_size > 0)
    for worker in spawned(building.process.pid):  # all: one alone may have no work left
        os.kill(worker, signal.SIGKILL)
    with suppress(BrokenPipeError):
        building.feed(30_000)
    _, messages = building.process.communicate(timeout=PATIENCE)
    assert building.process.returncode == 1
    errors = [line for line in messages.decode().splitlines() if not line.startswith("documents")]
    assert len(errors) == 1
    assert "ended before its work was done" in errors[0]
    assert "fewer --workers" in errors[0]
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_build_for_a_server_left_is_removed_by_the_next(tmp_path):
    def folders() -> list[str]:
        return sorted(path.name for path in tmp_path.iterdir())

    address = "http://127.0.0.1:9/zoos"
    killed = Building(address, program=TO_A_SERVER, TMPDIR=str(tmp_path))
    assert eventually(lambda: bool(folders()))
    killed.end(signal.SIGKILL)
    [left] = folders()
    following = Building(address, program=TO_A_SERVER, TMPDIR=str(tmp_path))
    assert eventually(lambda: folders() not in ([], [left]) and len(folders()) == 1)
    assert following.end(signal.SIGTERM)[-1] == "stopped by SIGTERM"
    assert folders() == []


def test_sigterm_ends_a_run_and_writes_none(tmp_path, awkward_index):
    topics, out = tmp_path / "topics.tsv", tmp_path / "out"
    topics.write_text("".join(f"{i}\tzoos and uniforms {i}\n" for i in range(9)))
    out.mkdir()
    words = ["run", topics, "--index", awkward_index, "--out", out / "run.txt"]
    process = start(*words, program=STOPPED_AT_THE_THIRD_TOPIC, OUT=str(out))
    data, messages = process.communicate(timeout=PATIENCE)
    assert data == b"1\n"  # what it had begun to write
    assert process.returncode == 143
    assert messages.decode().splitlines()[-2:] == [
        f"{out / 'run.txt'} was not written",
        "stopped by SIGTERM",
    ]
    assert list(out.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_the_workers_of_an_experiment_end_with_it(tmp_path, by):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_bytes(b"".join(map(document, range(20_000))))
    (tmp_path / "topics.tsv").write_text("1\tzoos\n")
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[[corpora]]\nname = "zoos"\nsource = "corpus.jsonl"\n'
        '[[topics]]\nname = "one"\nsource = "topics.tsv"\n'
        '[[systems]]\nname = "plain"\nconfig = "dirichlet"\n'
        'set = { index.quality_model = "none", index.encoder = "none" }\n'
    )
    words = ["experiment", plan, "--cache", tmp_path / "cache", "--out", tmp_path / "out"]
    program = STOPPED_WHERE_ALL_WORK
    process = start(*words, "--workers", "2", program=program, BY=str(int(by)))
    data, messages = process.communicate(timeout=PATIENCE)
    workers = [int(word) for word in data.split()]
    assert len(workers) >= 2, messages
    assert eventually(lambda: not any(map(alive, workers)))
    assert process.returncode == (143 if by == signal.SIGTERM else -by)
    if by == signal.SIGTERM:
        assert messages.decode().splitlines()[-1] == "stopped by SIGTERM"
        assert list((tmp_path / "cache" / "indexes").iterdir()) == []


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_an_index_whose_change_is_killed_stays(tmp_path, awkward_index, by):
    index = Path(shutil.copytree(awkward_index, tmp_path / "index"))
    before = contents(index)
    adding = Building(index, command=("add", str(index), "-"))
    partial = tmp_path / ".index.building" / "forward.read"
    adding.feed(30_000)
    assert eventually(lambda: partial.exists() and partial.stat().st_size > 0)
    said = adding.end(by)
    if by == signal.SIGTERM:
        assert said[-2:] == [f"stopped; {index} is unchanged", "stopped by SIGTERM"]
        assert [path.name for path in tmp_path.iterdir()] == ["index"]
    assert contents(index) == before
    first = next(iter(Engine.open(index).search("zoos").hits)).id
    done = start("remove", index, first)
    assert done.wait(PATIENCE) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
