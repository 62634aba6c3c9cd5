"""What a killed build leaves on a real server: removed by the next, and nothing else is."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from argsearch.indexer.server import generations
from argsearch.indexer.server.address import parse
from argsearch.indexer.server.client import Server, connect
from argsearch.indexer.server.generations import behind
from argsearch.indexer.server.schema import META
from argsearch.indexer.server.writing import write

pytestmark = pytest.mark.servers

BUILD = """
import os, signal, sys
from pathlib import Path
from argsearch.indexer.server.bulk import BulkOptions
from argsearch.indexer.server.writing import write

def progress(stage, done):
    if stage == sys.argv[3]:
        if len(sys.argv) > 4:
            print("there", flush=True)
            sys.stdin.readline()
        os.kill(os.getpid(), signal.SIGKILL)

write(Path(sys.argv[1]), sys.argv[2], options=BulkOptions(bytes=20_000), progress=progress)
"""


@pytest.fixture
def place(server_url: str, request: pytest.FixtureRequest) -> Iterator[Server]:
    name = request.node.originalname.removeprefix("test_").replace("_", "-")[:60]
    server = connect(parse(f"{server_url}/{name}"))
    yield server
    for index in indices(server):
        server.request("DELETE", f"/{index}")
    server.close()


def indices(server: Server) -> list[str]:
    return sorted(server.request("GET", f"/{server.address.name}*/_settings"))


def killed(index: Path, server: Server, stage: str) -> str:
    """The generation of a build that was killed in a stage."""
    before = indices(server)
    command = [sys.executable, "-c", BUILD, str(index), str(server.address), stage]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    [left] = set(indices(server)) - set(before)
    return left


@pytest.mark.parametrize("stage", ["documents", "completing"])
def test_the_next_build_removes_what_a_killed_one_left(
    place: Server, sample_index: Path, stage: str
) -> None:
    whole = write(sample_index, str(place.address))
    left = killed(sample_index, place, stage)
    assert behind(place) == [whole.generation]
    assert indices(place) == sorted([left, whole.generation])
    again = write(sample_index, str(place.address))
    assert indices(place) == [again.generation] == behind(place)


def test_cleaning_from_the_command_line(place: Server, sample_index: Path) -> None:
    whole = write(sample_index, str(place.address))
    left = killed(sample_index, place, "documents")
    command = [sys.executable, "-m", "argsearch", "index", "--clean", "--out"]
    done = subprocess.run(
        [*command, str(place.address)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"{left}\n"), done.stderr
    assert indices(place) == [whole.generation]


def test_a_running_build_keeps_its_generation(place: Server, sample_index: Path) -> None:
    command = [sys.executable, "-c", BUILD, str(sample_index), str(place.address), "documents", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as build:
        assert build.stdout is not None
        assert build.stdout.readline() == b"there\n"
        [theirs] = indices(place)
        host = generations.owner()["host"]
        said = f"{theirs}, written by process {build.pid} of {host}, which runs"
        assert generations.clean(place) == ([], [said])
        build.kill()
    assert generations.clean(place) == ([theirs], [])


@pytest.mark.parametrize("change", [{"host": "elsewhere"}, {"numbering": "pid:[1]"}, None])
def test_what_cannot_be_seen_is_left_alone(
    place: Server, sample_index: Path, change: dict[str, str] | None
) -> None:
    left = killed(sample_index, place, "documents")
    meta = place.request("GET", f"/{left}/_mapping")[left]["mappings"]["_meta"]
    meta[META]["owner"] = change and {**meta[META]["owner"], **change}
    place.request("PUT", f"/{left}/_mapping", {"_meta": meta})
    removed, said = generations.clean(place)
    assert removed == []
    assert "which cannot be seen from here" in said[0]
    assert indices(place) == [left]


def test_indexes_of_others_and_named_ones_are_left_alone(place: Server, sample_index: Path) -> None:
    name = place.address.name
    whole = write(sample_index, str(place.address))
    left = killed(sample_index, place, "documents")
    place.request("PUT", f"/{left}/_alias/{name}-kept", {})
    place.request("PUT", f"/{name}-0123abcd-0123abcd", {})
    place.request("PUT", f"/{name}-other", {})
    expected = sorted([whole.generation, left, f"{name}-0123abcd-0123abcd", f"{name}-other"])
    assert generations.clean(place) == ([], [])
    assert indices(place) == expected
