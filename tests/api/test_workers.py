"""Several processes behind one address: shared memory, replacement, an end without orphans."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.api.awkward import refused
from tests.processes import PATIENCE, alive, eventually, memory_of

pytestmark = pytest.mark.processes
SLOW = pytest.mark.slow

NUMBER = 2


PATIENT = """
from argsearch.api.cli import main
from argsearch.api.serve import serving
serving.GRACE = serving.SILENT = serving.KEEP_ALIVE = 3600
{}
main.main()
"""
"""The server, after some lines: no clock of its own ends what the machine or its clients halt."""


class Running:
    """`argsearch serve --workers number`."""

    def __init__(
        self,
        index: Path | str,
        *words: str,
        number: int = NUMBER,
        program: str = "",
        patient: bool = True,
        start_new_session: bool = False,
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
            start_new_session=start_new_session,
        )
        self.address = self.process.stdout.readline().strip()

    def workers(self) -> set[int]:
        """Process ids of the processes that answer."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return {int(word) for word in path.read_text().split() if alive(int(word))}

    def stands(self) -> bool:
        """Whether all of them are there, and each hears its signals."""
        return len(found := self.workers()) == self.number and all(map(hears, found))

    def get(self, path: str) -> bytes:
        """The content of an answer."""
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
            return bytes(answer.read())

    def stop(self, by: signal.Signals = signal.SIGTERM) -> str:
        """Send it the signal, by which it ends as it should; its messages."""
        self.process.send_signal(by)
        messages = self.process.communicate(timeout=PATIENCE)[1]
        assert self.process.returncode == 0
        assert messages.splitlines()[-1] == "stopped"
        assert "Traceback" not in messages
        return messages

    def end(self) -> None:
        """Stop it, if it is still there."""
        self.process.terminate()
        try:
            self.process.communicate(timeout=PATIENCE)
        finally:
            self.process.kill()


def hears(process: int) -> bool:
    """Whether the process has left gunicorn's own handlers, such as that of SIGCHLD."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return False
    [caught] = [line.split()[1] for line in lines if line.startswith("SigCgt")]
    return not int(caught, 16) >> (signal.SIGCHLD - 1) & 1


@pytest.fixture
def running(awkward_index: Path) -> Iterator[Running]:
    server = Running(awkward_index)
    assert eventually(server.stands)
    yield server
    server.end()


def test_processes_share_what_is_loaded_and_their_counts_are_joined(running):
    for _ in range(20):
        assert json.loads(running.get("/api/search?q=zoos"))["hits"]
    for worker in running.workers():
        sizes = memory_of(worker)
        private = sum(size for kind, size in sizes.items() if kind.startswith("Private_"))
        assert private < 80 * 1024, sizes

    def counted() -> float:
        return sum(
            float(line.split()[-1])
            for line in running.get("/metrics").decode().splitlines()
            if line.startswith("argsearch_http_requests_total") and 'route="/api/search"' in line
        )

    assert eventually(lambda: counted() >= 20)  # each is counted after its answer
    assert counted() == 20


def test_a_process_that_dies_is_replaced(running):
    before = running.workers()
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    assert eventually(lambda: len(running.workers() - {killed}) == NUMBER)
    assert before - {killed} < running.workers()
    for _ in range(10):
        assert running.get("/health")
    assert eventually(running.stands)
    assert f"Worker (pid:{killed}) was sent SIGKILL!" in running.stop()


def test_all_processes_stop_with_the_first(running):
    workers = running.workers()
    running.stop(signal.SIGINT)
    assert not any(alive(worker) for worker in workers)


def test_ctrl_c_of_a_terminal_reaches_all_processes_without_a_word(awkward_index):
    server = Running(awkward_index, start_new_session=True)
    assert eventually(server.stands)
    os.killpg(server.process.pid, signal.SIGINT)
    _, messages = server.process.communicate(timeout=PATIENCE)
    assert server.process.returncode == 0
    assert [line.split()[0] for line in messages.splitlines()] == ["serving", "stopped"]


@pytest.mark.slow
def test_an_end_while_processes_are_started_is_not_lost(awkward_index):
    server = Running(awkward_index, number=24)
    assert eventually(lambda: len(server.workers()) > 0)
    server.stop()


@SLOW
def test_no_process_outlives_the_one_that_looks_after_them(running):
    workers = running.workers()
    running.process.kill()
    assert eventually(lambda: not any(alive(worker) for worker in workers))


HANGING = """
import os, time
from pathlib import Path
from fastapi import Response
from argsearch.api.http import app

room = Path(os.environ["ROOM"])

def note(name):
    with (room / name).open("ab") as file:
        file.write(b".")

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
told; it notes in the folder ROOM which is asked."""


@SLOW
@pytest.mark.parametrize("how", ["its event loop is held up", "it is halted"])
def test_a_process_that_hangs_is_replaced(awkward_index, tmp_path, how):
    words = ["--worker-timeout", "2"]
    server = Running(awkward_index, *words, program=HANGING, ROOM=str(tmp_path))
    assert eventually(server.stands)
    with ThreadPoolExecutor(1) as pool:
        if how == "it is halted":
            hung = min(server.workers())
            assert server.get("/health")
            os.kill(hung, signal.SIGSTOP)
        else:
            asked = pool.submit(server.get, "/hang")
            assert eventually(lambda: any(tmp_path.glob("hangs *")))
            [noted] = tmp_path.glob("hangs *")
            hung = int(noted.name.split()[1])
        assert eventually(lambda: hung not in server.workers() and server.stands())
        if how != "it is halted":
            assert isinstance(asked.exception(), OSError | http.client.HTTPException)
    assert server.get("/health")
    assert f"WORKER TIMEOUT (pid:{hung})" in server.stop()


@pytest.mark.parametrize(
    ("number", "end"), [pytest.param(1, signal.SIGINT, marks=SLOW), (2, signal.SIGTERM)]
)
def test_a_running_request_is_finished_first(awkward_index, tmp_path, number, end):
    def refuses() -> bool:
        try:
            urllib.request.urlopen(f"{server.address}/health", timeout=1).close()
        except OSError:
            return True
        return False

    server = Running(awkward_index, number=number, program=HANGING, ROOM=str(tmp_path))
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(server.get, "/slow") for _ in range(2)]
        try:
            slow = tmp_path / "slow"
            assert eventually(lambda: slow.exists() and slow.stat().st_size == 2)
            assert number == 1 or eventually(server.stands)
            server.process.send_signal(end)
            assert eventually(refuses)  # nothing new is begun
            assert not any(one.done() for one in running)
        finally:
            (tmp_path / "over").touch()
    assert [one.result() for one in running] == [b"done"] * 2
    _, messages = server.process.communicate(timeout=PATIENCE)
    assert server.process.returncode == 0
    assert messages.splitlines()[-1] == "stopped"


@pytest.mark.parametrize("seconds", ["1", "-1", "nan", "4000"])
def test_a_silence_out_of_range_is_refused(argsearch, awkward_index, seconds):
    refused(
        argsearch,
        ("serve", "--index", awkward_index, "--worker-timeout", seconds),
        2,
        "--worker-timeout must be",
    )


TELLING = """
import os
from argsearch.api.http import app

class Telling(app.Application):
    def __init__(self, *_, **words):
        super().__init__(**words)
        self.add_api_route("/who", os.getpid)

app.Application = Telling
"""
"""The server with a route that tells which process answers."""


def connections(server: Running) -> list[http.client.HTTPConnection]:
    """Open a connection to each of the processes."""
    found: dict[bytes, http.client.HTTPConnection] = {}
    while len(found) < server.number:
        host = server.address.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=PATIENCE)
        connection.request("GET", "/who")
        process = connection.getresponse().read()
        if process in found:
            connection.close()
        found.setdefault(process, connection)
    return list(found.values())


TOKEN = "a-token-of-a-writer"
PREMISES = [{"text": "A xyzzy.", "stance": "PRO"}]
NEW = {"id": "new", "conclusion": "", "premises": PREMISES, "context": {"sourceDomain": "n"}}
WHERE = {"where": ["source = n"]}
WRITES = [
    ("add", NEW, "added", 1),
    ("add", {"arguments": [{**NEW, "conclusion": "A claim"}]}, "changed", 1),
    ("remove?dry_run=true", WHERE, "matched", 1),
    ("remove", WHERE, "removed", 1),
    ("add", [NEW, {**NEW, "id": "other"}], "added", 2),
    ("remove", {**WHERE, "dry_run": True}, "matched", 2),
    ("remove", {"ids": ["new"]}, "removed", 1),
]
"""Routes that write, what is sent, and the member of the answer that tells what was done.

Two processes that take them in turn use every route both.
"""


@SLOW
def test_each_process_changes_an_index_by_every_route(awkward_index, tmp_path, request):
    (tmp_path / "tokens").write_text(TOKEN)
    one, two = (shutil.copytree(awkward_index, tmp_path / name) for name in ("one", "two"))
    words = ["--index", f"two={two}", "--write-token-file", str(tmp_path / "tokens")]
    server = Running(f"one={one}", *words, program=TELLING)
    request.addfinalizer(server.end)
    every = connections(server)
    for connection in every:
        request.addfinalizer(connection.close)

    def asked(connection, method, path, body=None):
        headers = {"Authorization": f"Bearer {TOKEN}"}
        connection.request(method, f"/api/two/{path}", body and json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    described = asked(every[0], "GET", "openapi.json")[1]["paths"]
    writing = {path for path, does in described.items() if "security" in does.get("post", {})}
    assert writing == {f"/api/two/{path.partition('?')[0]}" for path, *_ in WRITES}
    for turn, (path, body, member, number) in enumerate(WRITES):
        status, done = asked(every[turn % NUMBER], "POST", path, body)
        assert (status, done.get(member)) == (200, number), done
    for connection in every:
        assert eventually(
            lambda own=connection: (
                asked(own, "GET", "ready")[1]["fingerprint"] == done["fingerprint"]
            )
        )


@SLOW
def test_the_folder_of_a_killed_server_is_removed_by_the_next(awkward_index, tmp_path):
    def folders() -> list[str]:
        return sorted(path.name for path in tmp_path.iterdir())

    killed = Running(awkward_index, TMPDIR=str(tmp_path))
    assert eventually(killed.stands)
    workers = killed.workers()
    killed.process.kill()
    killed.process.communicate(timeout=PATIENCE)
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
    program = "from argsearch.indexer import encoders\nencoders.EncoderSpec.light = False"
    server = Running(awkward_index, program=program)
    assert json.loads(server.get("/ready"))["documents"] == 66
    server.stop()
