"""What a killed build leaves on a real server: removed by the next, and nothing else is."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from argsearch.api.cli.main import run
from argsearch.engine import Engine
from argsearch.engine.query.filters import select
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.building.changing import add, remove
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.server import generations, writing
from argsearch.indexer.server.client import RequestRejected, Server
from argsearch.indexer.server.draft import Draft
from argsearch.indexer.server.generations import IndexForeign, behind
from argsearch.indexer.server.schema import META
from argsearch.indexer.server.writing import write
from tests.contracts.agreement import indices
from tests.indexes import SAMPLE, Built

pytestmark = pytest.mark.servers

BUILD = """
import os, signal, sys
from pathlib import Path
from argsearch.indexer.server import bulk
from argsearch.indexer.server.writing import write

def progress(stage, done, _of=None):
    if stage == sys.argv[3]:
        if len(sys.argv) > 4:
            print("there", flush=True)
            sys.stdin.readline()
        os.kill(os.getpid(), signal.SIGKILL)

bulk.BULK_BYTES = 20_000
write(Path(sys.argv[1]), sys.argv[2], progress=progress)
"""


def killed(index: Path, server: Server, stage: str) -> str:
    """The generation of a build that was killed in a stage."""
    before = indices(server)
    command = [sys.executable, "-c", BUILD, str(index), str(server.address), stage]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    [left] = set(indices(server)) - set(before)
    return left


@pytest.mark.parametrize("stage", ["documents", "completing"])
def test_the_next_build_removes_what_a_killed_one_left(
    server: Server, sample_index: Path, stage: str
) -> None:
    whole = write(sample_index, str(server.address))
    left = killed(sample_index, server, stage)
    assert behind(server) == [whole.generation]
    assert indices(server) == sorted([left, whole.generation])
    again = write(sample_index, str(server.address))
    assert indices(server) == [again.generation] == behind(server)


def test_cleaning_from_the_command_line(server: Server, sample_index: Path) -> None:
    whole = write(sample_index, str(server.address))
    left = killed(sample_index, server, "documents")
    command = [sys.executable, "-m", "argsearch", "index", "--clean", "--out"]
    done = subprocess.run(
        [*command, str(server.address)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"{left}\n"), done.stderr
    assert indices(server) == [whole.generation]


def test_a_running_build_keeps_its_generation(server: Server, sample_index: Path) -> None:
    command = [sys.executable, "-c", BUILD, str(sample_index), str(server.address)]
    command += ["documents", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as build:
        assert build.stdout is not None
        assert build.stdout.readline() == b"there\n"
        [theirs] = indices(server)
        host = generations.owner()["host"]
        said = f"{theirs}, written by process {build.pid} of {host}, which runs"
        assert generations.clean(server) == ([], [said])
        build.kill()
    assert generations.clean(server) == ([theirs], [])


def test_what_cannot_be_seen_others_and_named_ones_are_left_alone(
    server: Server, sample_index: Path
) -> None:
    name = server.address.name
    whole = write(sample_index, str(server.address))
    left = killed(sample_index, server, "documents")
    meta = server.request("GET", f"/{left}/_mapping")[left]["mappings"]["_meta"]
    owner = meta[META]["owner"]
    for change in ({"host": "elsewhere"}, {"numbering": "pid:[1]"}, None, {}):
        meta[META]["owner"] = None if change is None else {**owner, **change}
        server.request("PUT", f"/{left}/_mapping", {"_meta": meta})
        if change == {}:
            break  # as it was written
        removed, said = generations.clean(server)
        assert removed == []
        assert "which may still be running elsewhere" in said[0]
        assert left in indices(server)
    server.request("PUT", f"/{left}/_alias/{name}-kept", {})
    server.request("PUT", f"/{name}-0123abcd-0123abcd", {})
    server.request("PUT", f"/{name}-other", {})
    expected = sorted([whole.generation, left, f"{name}-0123abcd-0123abcd", f"{name}-other"])
    assert generations.clean(server) == ([], [])
    assert indices(server) == expected


def counted(server: Server) -> dict[str, int]:
    """Every index of the test's name, and how many documents it holds."""
    server.request("POST", f"/{server.address.name}*/_refresh")
    counts = {one: server.request("GET", f"/{one}/_count")["count"] for one in indices(server)}
    return {one: int(count) for one, count in counts.items()}


def test_an_index_with_somebody_elses_alias_is_left_alone(
    server: Server, sample_index: Path, tmp_path: Path
) -> None:
    whole, address = write(sample_index, str(server.address)), str(server.address)
    server.request("PUT", f"/{whole.generation}/_alias/{server.address.name}-prod", {})
    more = tmp_path / "more.jsonl"
    more.write_text('{"id": "new", "premises": [{"text": "new"}]}\n')
    before = counted(server)
    said = f"another name, {server.address.name}-prod, points to the same index"
    for change in (
        lambda: write(sample_index, address),
        lambda: build(BuildRequest([str(more)], address)),
        lambda: add(address, [more]),
        lambda: remove(address, ["new"]),
    ):
        with pytest.raises(IndexForeign, match=said):
            change()
    assert counted(server) == before
    assert server.request("GET", f"/{server.address.name}-prod/_count")["count"] > 0


def test_a_name_that_the_old_index_gets_during_a_build_stays(
    server: Server, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, address = write(sample_index, str(server.address)), str(server.address)
    before, complete = counted(server), Draft._complete

    def named(draft: Draft, documents: int) -> None:
        server.request("PUT", f"/{whole.generation}/_alias/{server.address.name}-prod", {})
        complete(draft, documents)

    monkeypatch.setattr(Draft, "_complete", named)
    with pytest.raises(IndexForeign, match="changed by someone else during the build"):
        write(sample_index, address)
    assert counted(server) == before
    assert behind(server) == [whole.generation]


def test_an_index_of_an_unknown_corpus_is_replaced_with_force_only(
    server: Server, sample_index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = write(sample_index, str(server.address))
    for meta in ({"format": 99, "index": {}}, {"format": 2, "manifest": None}):
        mapping = {"_meta": {META: {"complete": True, **meta}}}
        server.request("PUT", f"/{whole.generation}/_mapping", mapping)
        words = ["index", str(SAMPLE), "--out", str(server.address), "--quiet"]
        assert run(words) == 2
        assert " is an index of an unknown corpus; choose another place" in capsys.readouterr().err
        assert behind(server) == [whole.generation]


def test_without_clusters_no_document_is_in_one(
    server: Server, tmp_path: Path, built: Built
) -> None:
    directory = built(settings=IndexSettings(encoder="none", quality_model="none"))
    write(directory, str(server.address))
    for clause in ("cluster = 0", "cluster != 0", "cluster >= 0", "cluster < 5", "cluster = 0..1"):
        found, wanted = (select(at, [clause]) for at in (str(server.address), directory))
        assert sorted(found.ids) == sorted(wanted.ids), clause
        assert len(wanted.ids) == (321 if "!" in clause else 0)
        assert (found.documents, found.conditions) == (wanted.documents, wanted.conditions)


def test_an_index_of_another_corpus_is_replaced_with_force_only(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = str(server.address)
    for name in ("one", "other"):
        document = {"id": name, "conclusion": "Zoos", "premises": [{"text": f"{name} zoo"}]}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(document) + "\n")
    plain = ["--set", "index.encoder=none", "--set", "index.quality_model=none", "--quiet"]
    words = ["index", str(tmp_path / "one.jsonl"), "--out", address, *plain]
    assert run(words) == 0
    assert run(words) == 0, "of the same corpus"
    before = counted(server)
    words[1] = str(tmp_path / "other.jsonl")
    assert run(words) == 2
    said = " is an index of one.jsonl, 1 documents; choose another place, or use --force"
    assert said in capsys.readouterr().err
    assert counted(server) == before
    assert run([*words, "--force"]) == 0
    with Engine.open(address) as engine:
        assert engine.argument("other") is not None


def test_an_index_of_the_generations_name_is_another_programs(
    server: Server, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "token_hex", lambda _bytes: "0123abcd")
    fingerprint = manifests.read(sample_index)["fingerprint"][:8]
    theirs = f"{server.address.name}-{fingerprint}-0123abcd"
    server.request("PUT", f"/{theirs}/_doc/1?refresh=true", {"title": "somebody's"})
    with pytest.raises(RequestRejected, match="already"):
        write(sample_index, str(server.address))
    assert counted(server) == {theirs: 1}
