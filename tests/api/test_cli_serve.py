"""`argsearch serve` that cannot start: one line and exit code 1, and nothing listens before."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from argsearch.api.cli import serve as serve_command
from argsearch.api.cli.main import run
from argsearch.indexer.format import manifest as manifests
from tests.api.awkward import one_line_error
from tests.api.test_workers import Running
from tests.processes import PATIENCE, eventually

pytestmark = pytest.mark.processes

LATE = """
import shutil, sys
from argsearch.api.cli import main, serve
opened = serve._opened
def vanish(index, workers):
    info, _ = opened(index, workers)
    shutil.rmtree(index)
    return info, index
serve._opened = vanish
sys.exit(main.run(sys.argv[1:]))
"""
"""A server whose index goes away between the check and the start."""


@pytest.fixture
def index(awkward_index: Path, tmp_path: Path) -> Path:
    """A copy that may be broken."""
    return Path(shutil.copytree(awkward_index, tmp_path / "index"))


def serve(index: Path, workers: int, *program: str) -> subprocess.CompletedProcess[str]:
    words = ["serve", "--index", str(index), "--port", "0", "--workers", str(workers)]
    return subprocess.run(
        [sys.executable, *program, *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_an_encoder_that_cannot_be_loaded_is_one_line(index, workers):
    path = index / manifests.NAME
    content = json.loads(path.read_text())
    content["encoder"] = f"use:{index / 'no-such-model'}"
    content["fingerprint"] = manifests.fingerprint(content)
    path.write_text(json.dumps(content))
    ended = serve(index, workers, "-m", "argsearch")
    assert (ended.returncode, ended.stdout) == (1, "")
    one_line_error(ended.stderr)


def test_what_is_no_index_is_one_line(tmp_path):
    ended = serve(tmp_path / "nowhere", 2, "-m", "argsearch")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "nowhere" in one_line_error(ended.stderr)


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_server_that_never_starts_has_failed(index, workers):
    ended = serve(index, workers, "-c", LATE)
    assert ended.returncode == 1
    errors = [line for line in ended.stderr.splitlines() if line.startswith("error: ")]
    assert errors == ended.stderr.splitlines()[-1:]
    assert "could not start" in errors[0]


@pytest.mark.parametrize("before", [{}, {"PROMETHEUS_MULTIPROC_DIR": "mine"}])
def test_a_caller_keeps_his_environment(tmp_path, before):
    program = "import os; from argsearch.api.cli.main import run; old = dict(os.environ); "
    program += f"run(['serve', '--index', {str(tmp_path / 'no')!r}, '--workers', '2']); "
    program += "print(dict(os.environ) == old)"
    command, environment = [sys.executable, "-c", program], {**os.environ, **before}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert ended.stdout == "True\n"
    assert "no" in one_line_error(ended.stderr)


def end_at_once(_index: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_trial_that_ends_early_is_told(monkeypatch):
    monkeypatch.setattr(serve_command, "_tried", end_at_once)
    assert "ended early" in str(serve_command._tried_elsewhere("index"))


@pytest.mark.parametrize("address", ["http://", "https://host", "\ud800"])
def test_what_is_no_address_is_a_wrong_use_of_the_command(capsys, address):
    assert run(["serve", "--index", address, "--port", "0"]) == 2
    assert "must be" in one_line_error(capsys.readouterr().err)


def test_a_log_of_json_has_no_other_line(awkward_index):
    server = Running(awkward_index, "--log", "json", number=1, patient=False)
    assert server.get("/health")
    server.process.terminate()
    said = server.process.communicate(timeout=PATIENCE)[1]
    lines = [json.loads(line) for line in said.splitlines()]
    assert "arguments, fingerprint" in lines[0]["message"]
    assert lines[-1]["message"] == "stopped"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_that_is_cut_short_in_its_place_ends_a_process_with_its_cause(
    sample_index, tmp_path, workers
):
    index = Path(shutil.copytree(sample_index, tmp_path / "index"))
    server = Running(index, "--log", "json", number=workers, patient=False)
    with server.process as process:
        assert server.get("/health")
        for path in index.glob("*.npy"):
            os.truncate(path, 0)
        with pytest.raises((OSError, http.client.HTTPException)):
            server.get("/api/search?q=animals+school&k=50")
        said: list[str] = []
        reading = threading.Thread(target=said.extend, args=(process.stderr,), daemon=True)
        reading.start()
        ended = "was sent SIGBUS" if workers > 1 else "Fatal Python error"
        assert eventually(lambda: any(ended in line for line in said))
        process.terminate()
        reading.join(PATIENCE)
    assert "Fatal Python error: Bus error\n" in said
    assert process.returncode == (-signal.SIGBUS if workers == 1 else 0)
