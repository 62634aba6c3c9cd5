"""Several processes behind one address: shared memory, replacement, an end without orphans."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from argsearch.api.serve import workers
from argsearch.api.serve.workers import Keeping
from tests.api.awkward import one_line_error
from tests.processes import alive, eventually

pytestmark = pytest.mark.processes
SLOW = pytest.mark.slow

NUMBER = 2


PATIENT = """
from functools import partial
import uvicorn
from argsearch.api.cli import main, serve
from argsearch.api.serve import serving
uvicorn.Config = partial(uvicorn.Config, timeout_keep_alive=3600)
serve.GRACE = serving.SILENT = 3600
{}
main.main()
"""
"""The server, after some lines: no clock of its own ends what the machine or its clients halt."""


class Running:
    """`argsearch serve --workers number`."""

    def __init__(
        self,
        index: Path,
        *words: str,
        number: int = NUMBER,
        program: str = "",
        patient: bool = True,
        **settings: str,
    ) -> None:
        command = ["-c", PATIENT.format(program)] if patient else ["-m", "argsearch"]
        command += ["serve", "--index", str(index), "--port", "0", "--workers", str(number)]
        command += ["--worker-timeout", "3600"] if patient else []
        self.number = number
        self.process = subprocess.Popen(
            [sys.executable, *command, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **settings},
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()

    def workers(self) -> set[int]:
        """Process ids of the processes that answer."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return {int(word) for word in path.read_text().split() if alive(int(word))}

    def stands(self) -> bool:
        """Whether all of them are there, and each ends with the first and hears its signals."""
        return len(found := self.workers()) == self.number and all(map(hears, found))

    def get(self, path: str) -> bytes:
        """The content of an answer."""
        with urllib.request.urlopen(self.address + path, timeout=300) as answer:
            return bytes(answer.read())

    def end(self) -> None:
        """Stop it, if it is still there."""
        self.process.terminate()
        try:
            self.process.communicate(timeout=300)
        finally:
            self.process.kill()


def hears(process: int) -> bool:
    """Whether SIGTERM is not held back from the process, as it is until it has begun."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return False
    [held] = [line.split()[1] for line in lines if line.startswith("SigBlk")]
    return not int(held, 16) >> (signal.SIGTERM - 1) & 1


@pytest.fixture
def running(awkward_index: Path) -> Iterator[Running]:
    server = Running(awkward_index)
    yield server
    server.end()


def test_processes_share_what_is_loaded(running):
    assert eventually(running.stands)
    for _ in range(20):
        assert json.loads(running.get("/api/search?q=zoos"))["hits"]
    for worker in running.workers():
        lines = Path(f"/proc/{worker}/smaps_rollup").read_text().splitlines()
        private = sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
        assert private < 80 * 1024, lines


@pytest.mark.slow
def test_counts_of_all_processes_are_joined(running):
    def counted() -> float:
        return sum(
            float(line.split()[-1])
            for line in running.get("/metrics").decode().splitlines()
            if line.startswith("argsearch_http_requests_total") and 'route="/api/search"' in line
        )

    for _ in range(10):
        running.get("/api/search?q=zoos")
    assert eventually(lambda: counted() >= 10)  # each is counted after its answer
    assert counted() == 10


def test_a_process_that_dies_is_replaced(running):
    assert eventually(running.stands)
    before = running.workers()
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    assert eventually(lambda: len(running.workers() - {killed}) == NUMBER)
    assert before - {killed} < running.workers()
    for _ in range(10):
        assert running.get("/health")
    running.process.terminate()
    _, messages = running.process.communicate(timeout=300)
    assert f"process {killed} ended (exit code -9); another starts" in messages
    assert "Traceback" not in messages


@pytest.mark.nightly
def test_processes_that_have_worked_are_replaced_at_once_however_often(running):
    assert eventually(running.stands)
    for _ in range(4):
        time.sleep(workers.EARLY + 0.5)
        killed = running.workers()
        for worker in killed:
            os.kill(worker, signal.SIGKILL)
        replaced = partial(_replaced, running, killed)
        assert eventually(replaced), (
            "the fourth would wait for sixteen seconds if each waited longer"
        )


def _replaced(running: Running, killed: set[int]) -> bool:
    return len(running.workers() - killed) == NUMBER


ENDING = """
import os
from argsearch.api.serve.workers import Keeping, keep

def answer(i, beat):
    beat()
    os.write(1, b"%d" % i)
    os._exit(0)

keep(answer, Keeping(number=2, grace=1, silence=30))
"""


def test_those_that_end_early_wait_ever_longer_and_others_do_not(monkeypatch):
    now = 0.0
    monkeypatch.setattr(workers.time, "monotonic", lambda: now)
    kept = workers._Workers(print, Keeping(number=1, grace=1, silence=30), told=-1)
    ended = SimpleNamespace(exitcode=-9, pid=1)
    pauses = []
    for worked in (0.0, 0.1, 1.9, 0.0, 3.0, 0.0, *[1.0] * 9):
        kept.started[0] = now
        kept.pulse.beat(0)
        now += worked
        kept._plan(0, ended)
        pauses.append(round(kept.due[0] - now, 3))
        now = kept.due[0]
    assert pauses[:6] == [0.2, 0.4, 0.8, 1.6, 0.2, 0.4], "from two seconds on it has worked"
    assert pauses[-3:] == [10.0] * 3


def test_those_that_end_early_are_replaced():
    keeping = subprocess.Popen([sys.executable, "-c", ENDING], stdout=subprocess.PIPE, text=True)
    assert keeping.stdout is not None
    found = ""
    while found.count("0") < 4 or found.count("1") < 4:
        one = keeping.stdout.read(1)
        assert one, "it ended"
        found += one
    keeping.terminate()
    found += keeping.communicate(timeout=300)[0]
    assert keeping.returncode == 0


@pytest.mark.parametrize("end", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=SLOW)])
def test_all_processes_stop_with_the_first(running, end):
    assert eventually(running.stands)
    workers = running.workers()
    running.process.send_signal(end)
    _, messages = running.process.communicate(timeout=300)
    assert running.process.returncode == 0
    assert messages.splitlines()[-1] == "stopped"
    assert "Traceback" not in messages
    assert not any(alive(worker) for worker in workers)


@pytest.mark.parametrize("pause", [0.0, *(pytest.param(s, marks=SLOW) for s in (0.02, 0.05, 0.1))])
def test_an_end_while_processes_are_started_is_not_lost(awkward_index, pause):
    server = Running(awkward_index, number=24)
    assert eventually(lambda: len(server.workers()) > 0)
    time.sleep(pause)
    workers = server.workers()
    server.process.send_signal(signal.SIGTERM)
    _, messages = server.process.communicate(timeout=300)
    assert server.process.returncode == 0
    assert messages.splitlines()[-1] == "stopped"
    assert "Traceback" not in messages
    assert not any(alive(worker) for worker in workers)


@pytest.mark.slow
def test_no_process_outlives_the_one_that_looks_after_them(running):
    assert eventually(running.stands)
    workers = running.workers()
    running.process.kill()
    assert eventually(lambda: not any(alive(worker) for worker in workers))


@pytest.mark.slow
def test_no_process_outlives_it_even_where_one_hangs(running):
    assert eventually(running.stands)
    workers = running.workers()
    os.kill(min(workers), signal.SIGSTOP)
    running.process.kill()
    assert eventually(lambda: not any(alive(worker) for worker in workers))


HANGING = """
import os, time
from pathlib import Path
from types import SimpleNamespace
from fastapi import Response
from argsearch.api.http import app
from argsearch.api.serve import workers

room = Path(os.environ["ROOM"])
workers.BEAT, serving.BEAT = 0.05, 0.02
workers.time = SimpleNamespace(monotonic=lambda: (room / "clock").stat().st_size / 10)

def note(name):
    with (room / name).open("ab") as file:
        file.write(b".")

def noted(act, name):
    def acts(*words):
        found = act(*words)
        note(name())
        return found
    return acts

workers.Pulse.beat = noted(workers.Pulse.beat, lambda: f"beats {os.getpid()}")
workers.Pulse.silent = noted(workers.Pulse.silent, lambda: "looks")

async def hang():
    note(f"hangs {os.getpid()}")
    time.sleep(3600)

def slow():
    note("slow")
    while not (room / "over").exists():
        sum(range(100_000))
    return Response("done")

class Slower(app.Application):
    def __init__(self, *_, **words):
        super().__init__(**words)
        self.add_api_route("/hang", hang, response_model=None)
        self.add_api_route("/slow", slow, response_model=None)

app.Application = Slower
"""
"""The server with a route that holds up the event loop and one that holds up a thread until it is
told; its clock stands still, and it notes its processes' signs of life and its looks at them."""


class Hanging(Running):
    """That server; what it notes is in a folder."""

    def __init__(self, index: Path, room: Path, number: int = NUMBER) -> None:
        self.room = room
        self.noted("clock")
        more = {"program": HANGING, "ROOM": str(room)}
        super().__init__(index, "--worker-timeout", "1", number=number, **more)

    def noted(self, name: str) -> int:
        """How often it noted that."""
        (self.room / name).touch()
        return (self.room / name).stat().st_size

    def beaten(self, process: int) -> int:
        """How many signs of life a process has given."""
        return self.noted(f"beats {process}")

    def lives(self) -> bool:
        """Whether all processes have given a sign of life."""
        return self.stands() and all(map(self.beaten, self.workers()))

    def pass_a_moment(self, living: set[int]) -> None:
        """A tenth of a second passes, in which these live and the server looks at them."""
        beats, looks = {one: self.beaten(one) for one in living}, self.noted("looks")
        assert eventually(lambda: all(self.beaten(one) > beats[one] + 1 for one in living))
        with (self.room / "clock").open("ab") as clock:
            clock.write(b".")
        assert eventually(lambda: self.noted("looks") > looks + 1)

    def let_go(self) -> None:
        """Let slow requests come to their end."""
        (self.room / "over").touch()


@pytest.fixture
def hanging(awkward_index: Path, tmp_path: Path) -> Iterator[Hanging]:
    server = Hanging(awkward_index, tmp_path)
    assert eventually(server.lives)
    yield server
    server.let_go()
    server.end()


@SLOW
@pytest.mark.parametrize("how", ["its event loop is held up", "it is halted"])
def test_a_process_that_hangs_is_replaced(hanging, how):
    before = hanging.workers()
    with ThreadPoolExecutor(1) as pool:
        if how == "it is halted":
            hung = min(before)
            os.kill(hung, signal.SIGSTOP)
        else:
            asked = pool.submit(hanging.get, "/hang")
            assert eventually(lambda: any(hanging.room.glob("hangs *")))
            [noted] = hanging.room.glob("hangs *")
            hung = int(noted.name.split()[1])

        def replaced() -> bool:
            hanging.pass_a_moment(before - {hung})
            return hung not in hanging.workers() and len(hanging.workers()) == NUMBER

        assert eventually(replaced)
        if how != "it is halted":
            assert isinstance(asked.exception(), OSError | http.client.HTTPException)
    assert before - hanging.workers() == {hung}
    for _ in range(20):
        assert hanging.get("/health")
    hanging.process.terminate()
    _, messages = hanging.process.communicate(timeout=300)
    assert messages.count(f"process {hung} gave no sign of life for 1 s and is ended") == 1
    assert messages.count("gave no sign of life") == 1
    assert "Traceback" not in messages


@SLOW
def test_a_process_with_a_long_request_does_not_hang(hanging):
    before = hanging.workers()
    with ThreadPoolExecutor(2 * NUMBER) as pool:
        asked = [pool.submit(hanging.get, "/slow") for _ in range(2 * NUMBER)]
        try:
            assert eventually(lambda: hanging.noted("slow") == 2 * NUMBER)
            for _ in range(30):
                hanging.pass_a_moment(before)
        finally:
            hanging.let_go()
    assert [one.result() for one in asked] == [b"done"] * 2 * NUMBER
    assert hanging.workers() == before


@pytest.mark.parametrize("number", [pytest.param(1, marks=SLOW), 2])
@pytest.mark.parametrize("end", [pytest.param(signal.SIGINT, marks=SLOW), signal.SIGTERM])
def test_a_running_request_is_finished_first(awkward_index, tmp_path, number, end):
    def refuses() -> bool:
        try:
            urllib.request.urlopen(f"{server.address}/health", timeout=1).close()
        except OSError:
            return True
        return False

    server = Hanging(awkward_index, tmp_path, number)
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(server.get, "/slow") for _ in range(2)]
        try:
            assert eventually(lambda: server.noted("slow") == 2)
            server.process.send_signal(end)
            assert eventually(refuses)  # nothing new is begun
            assert not any(one.done() for one in running)
        finally:
            server.let_go()
    assert [one.result() for one in running] == [b"done"] * 2
    _, messages = server.process.communicate(timeout=300)
    assert server.process.returncode == 0
    assert messages.splitlines()[-1] == "stopped"


def test_time_in_which_all_were_halted_is_nobodys_silence(monkeypatch):
    now = 0.0
    monkeypatch.setattr(workers.time, "monotonic", lambda: now)
    pulse = workers.Pulse(2, silence=3.0)
    pulse.beat(0)
    assert pulse.silent() == []
    now = 1000.0  # halted, all of them
    assert pulse.silent() == []
    for _ in range(3):
        now += 1.0
        found = pulse.silent()
    assert found == [0], "the other has not given its first sign yet"
    pulse.beat(0)
    assert pulse.silent() == []


def test_signs_of_life_are_counted_in_a_circle():
    pulse = workers.Pulse(1, silence=0.0)
    for _ in range(1000):
        pulse.beat(0)
        assert pulse.silent() == []


@pytest.mark.parametrize("seconds", ["0.5", "-1", "nan", "1e9"])
def test_a_silence_out_of_range_is_refused(argsearch, awkward_index, seconds):
    code, _, err = argsearch("serve", "--index", awkward_index, "--worker-timeout", seconds)
    assert code == 2
    assert "--worker-timeout is" in one_line_error(err)


@SLOW
def test_the_folder_of_a_killed_server_is_removed_by_the_next(awkward_index, tmp_path):
    def folders() -> list[str]:
        return sorted(path.name for path in tmp_path.iterdir())

    killed = Running(awkward_index, TMPDIR=str(tmp_path))
    assert eventually(killed.stands)
    workers = killed.workers()
    killed.process.kill()
    killed.process.communicate(timeout=300)
    assert eventually(lambda: not any(alive(worker) for worker in workers))
    [left] = folders()
    assert left.startswith("argsearch-metrics-")
    following, third = (Running(awkward_index, TMPDIR=str(tmp_path)) for _ in range(2))
    assert left not in folders()
    assert len(folders()) == 2, "each has its own, and neither took the other's"
    for server in (following, third):
        assert server.get("/health")
        assert eventually(lambda own=server: b'route="/health"' in own.get("/metrics"))
    following.end()
    third.end()
    assert folders() == []


@SLOW
def test_where_nothing_can_be_shared_each_process_opens_the_index(awkward_index):
    """As with a search server or a neural encoder: the check runs in a process of its own."""
    program = "import sys; from argsearch.api.cli import main; "
    program += "from argsearch.indexer import encoders; "
    program += "encoders.EncoderSpec.light = False; sys.exit(main.run(sys.argv[1:]))"
    words = ["serve", "--index", str(awkward_index), "--port", "0", "--workers", str(NUMBER)]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with urllib.request.urlopen(f"{address}/ready", timeout=300) as answer:
            assert json.load(answer)["documents"] == 66
        process.terminate()
        assert process.communicate(timeout=300)[1].splitlines()[-1] == "stopped"


def test_what_is_wrong_is_said_before_anything_listens(awkward_index, tmp_path):
    words = ["serve", "--index", str(tmp_path), "--port", "0", "--workers", str(NUMBER)]
    ended = subprocess.run(
        [sys.executable, "-m", "argsearch", *words],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "is not an index" in one_line_error(ended.stderr)
