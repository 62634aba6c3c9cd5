"""What goes wrong around a command: full disks, damaged files, closed streams. Nothing is lost."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.processes

ARGSEARCH = [sys.executable, "-m", "argsearch"]
SAMPLE = Path(__file__).parent.parent.parent / "indexer" / "sample" / "arguments.json"


def argsearch(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [*ARGSEARCH, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def the_error(done: subprocess.CompletedProcess[str], code: int = 1) -> str:
    """The last line of the messages, which must be the only error and no traceback."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert errors == done.stderr.splitlines()[-1:]
    return errors[0]


def document(id: str, text: str) -> str:
    premises = [{"text": text, "stance": "PRO"}]
    return json.dumps({"id": id, "conclusion": "A claim", "premises": premises}) + "\n"


@pytest.fixture
def big_corpus(tmp_path: Path) -> Path:
    """30,000 documents that do not compress: seconds of work, tens of megabytes of index."""
    rng = np.random.default_rng(5)
    words = rng.integers(0, 10**9, size=(30_000, 60))
    path = tmp_path / "big.jsonl"
    path.write_text("".join(document(f"d{i}", " ".join(map(str, w))) for i, w in enumerate(words)))
    return path


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)], capture_output=True
    )
    if mount.returncode != 0:
        pytest.skip("needs the right to mount a tmpfs: run as root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.slow
def test_a_disk_that_fills_up_leaves_the_old_index(big_corpus: Path, small_disk: Path) -> None:
    index = small_disk / "index"
    assert argsearch("index", SAMPLE, "--out", index).returncode == 0
    before = contents(index)
    error = the_error(argsearch("index", big_corpus, "--out", index, "--force"))
    assert "No space left" in error
    assert re.search(rf"the disk of {small_disk} is full, .* needs about \d+\.\d MB", error)
    assert "make room" in error
    assert contents(index) == before
    assert os.listdir(small_disk) == ["index"]  # noqa: PTH208
    assert argsearch("search", "tenure", "--index", index).returncode == 0


@pytest.mark.parametrize("closed", [">&-", pytest.param("2>&-", marks=pytest.mark.slow)])
def test_a_stream_that_is_closed_from_the_start_stops_nothing(
    closed: str, sample_index: Path
) -> None:
    words = [*ARGSEARCH, "search", "zoos", "--index", str(sample_index)]
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", *words]
    done = subprocess.run(shell, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert bool(done.stdout) == (closed == "2>&-")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_premise_of_50_megabytes_and_odd_characters_are_kept(tmp_path: Path) -> None:
    corpus = tmp_path / "c.jsonl"
    odd = '{"id": "odd", "conclusion": "x", "premises": [{"text": "a\\u0000b \\ud800 zoo"}]}\n'
    long = "every school needs a library " * 1_800_000
    corpus.write_text(document("long", long) + odd)
    done = argsearch("index", corpus, "--out", tmp_path / "i")
    assert done.returncode == 0, done.stderr
    assert "replaced" in done.stderr
    found = argsearch("search", "library", "--index", tmp_path / "i", "--format", "json", "-k", "1")
    assert json.loads(found.stdout)["hits"][0]["id"] == "long"
    assert argsearch("verify", tmp_path / "i").returncode == 0
