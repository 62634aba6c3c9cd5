"""A damaged index whose files are too large to be checked on opening: an error, never a crash."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from argsearch.indexer.format.arrays import FILES

pytestmark = pytest.mark.processes

SEARCH = """
import sys
from pathlib import Path
import numpy as np
from argsearch.indexer.format.checked import Checked
Checked._check_block = lambda *_: None  # as if nothing were checked
from argsearch.engine import Engine
from argsearch.indexer.errors import ArgsearchError


def ask(engine):
    exact = ("retrieval.lengths=exact",)
    for config, overrides in (("default", ()), ("dirichlet", exact), ("bm25", ()), ("bm25f", ())):
        try:
            for text in ("should teachers get tenure", "zoos animals the of"):
                results = engine.search(text, config=config, overrides=overrides)
                [(hit.argument, hit.explanation.value) for hit in results.hits[:3]]
                results.total
        except ArgsearchError:
            pass


for file in sys.argv[2:]:
    path, rng = Path(sys.argv[1]) / file, np.random.default_rng(5)
    whole = path.read_bytes()
    for _ in range(8):
        damaged = bytearray(whole)
        for at in rng.integers(128, len(whole), 3):
            damaged[at] ^= int(rng.choice([0x01, 0x10, 0x80, 0xFF]))
        path.write_bytes(damaged)
        try:
            ask(Engine.open(path.parent))
        except ArgsearchError:
            pass
    path.write_bytes(whole)
    print(file, "done", flush=True)
"""
READ = [name for name in FILES if not name.startswith(("ids.", "terms.bytes", "terms.offsets"))]


@pytest.mark.slow
def test_flipped_bits_end_in_an_error_or_an_answer(sample_index: Path, tmp_path: Path) -> None:
    index = Path(shutil.copytree(sample_index, tmp_path / "index"))
    files = [file for file in READ if (index / file).stat().st_size > 128]
    command = [sys.executable, "-W", "ignore", "-c", SEARCH, str(index), *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == " done ".join([*files, ""]).split(), done.stderr[-2000:]
