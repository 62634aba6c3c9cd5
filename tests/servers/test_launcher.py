"""The launcher itself: nothing is left running."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import alive, eventually
from tests.servers.launcher import PRODUCTS, ServerUnavailableError, find_java, get

STARTER = """
import sys, time
from tests.servers.launcher import cluster
server = cluster(sys.argv[1])
server.nodes[0].start()
print(server.nodes[0].process.pid, server.nodes[0].folder, flush=True)
time.sleep(600)
"""


@pytest.mark.servers
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
@pytest.mark.parametrize(
    "name",
    [next(iter(PRODUCTS)), *(pytest.param(n, marks=pytest.mark.slow) for n in [*PRODUCTS][1:])],
)
def test_node_ends_with_whoever_started_it(name: str) -> None:
    try:
        find_java(PRODUCTS[name])
    except ServerUnavailableError as error:
        pytest.skip(str(error))
    root = Path(__file__).resolve().parents[2]
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, name], stdout=subprocess.PIPE, text=True, cwd=root
    )
    with starter:
        assert starter.stdout is not None
        pid, folder = starter.stdout.readline().split()
        assert eventually(lambda: len(list(Path(folder).iterdir())) > 1)  # it writes
        assert alive(int(pid))
        starter.send_signal(signal.SIGKILL)
    assert eventually(lambda: not alive(int(pid)))
    assert eventually(lambda: not Path(folder).parent.exists())


def test_missing_java_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.servers.launcher._java_homes", lambda: iter(()))
    with pytest.raises(
        ServerUnavailableError, match="opensearch needs a JDK 21 or newer; install one"
    ):
        find_java(PRODUCTS["opensearch"])


@pytest.mark.servers
@pytest.mark.slow
def test_the_program_prints_addresses_and_ends_at_ctrl_c() -> None:
    try:
        find_java(PRODUCTS["elasticsearch"])
    except ServerUnavailableError as error:
        pytest.skip(str(error))
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "tests/servers/launcher.py", "elasticsearch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as program:
        assert program.stdout is not None
        line = program.stdout.readline()
        assert line.startswith("elasticsearch 7.10.2: http://127.0.0.1:")
        url = line.split()[-1]
        assert get(url)["tagline"]
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=60) == 0
    with pytest.raises(OSError, match="refused"):
        get(url)
