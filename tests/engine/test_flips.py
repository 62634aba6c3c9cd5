"""A bit flipped anywhere in an index: a refusal, or the answers that there were; never others."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.config import names
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.format import checked, manifest
from argsearch.indexer.format.arrays import LARGE, file_name
from argsearch.indexer.format.checked import Checked
from argsearch.indexer.format.settings import IndexSettings
from tests.engine.flipping import answers, asked, flipped, outcome, places, read_by

QUESTIONS = ("should teachers get tenure", "zoos animals the of")
CONFIGS = ("default", "bm25f", "pairs-default", "dumani-2020-plain-all")
FLIPS = 500
"""At least, of the index above 100,000 documents."""


@pytest.fixture(scope="module")
def index(every_part: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with every part but `meaning`."""
    return Path(shutil.copytree(every_part, tmp_path_factory.mktemp("flips") / "index"))


@pytest.mark.slow
def test_a_flipped_bit_of_any_file_changes_no_answer(index: Path) -> None:
    rng = np.random.default_rng(17)
    said, refused = answers(index, QUESTIONS, CONFIGS), 0
    for name in [*manifest.read(index)["files"], manifest.NAME]:
        [(at, bit)] = places(1, (index / name).stat().st_size, rng)
        with flipped(index / name, at, bit):
            found = outcome(index, QUESTIONS, CONFIGS)
        assert found == said or isinstance(found, str), (name, at, bit)
        refused += found != said
    assert refused > 30, "most of a small index is read"


@pytest.mark.slow
def test_without_checks_answers_change(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail."""
    monkeypatch.setattr(Checked, "_check_block", lambda _self, _block: None)
    said = answers(index, QUESTIONS, ("default",))
    path = index / "quality.npy"
    changed = 0
    for at in range(130, path.stat().st_size, 4):
        with flipped(path, at, 5):
            changed += outcome(index, QUESTIONS, ("default",)) != said
        if changed:
            return
    pytest.fail("no flip changed an answer")


@pytest.mark.thorough
def test_of_a_large_file_only_what_is_read_is_checked(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged document is refused where it is asked for, and found by `check` before."""
    monkeypatch.setattr(checked, "SMALL_FILE", 1)
    with Engine.open(index) as engine:
        frames = engine.backend.arrays.store_frames  # type: ignore[attr-defined]
        begin = (index / "store.bytes.npy").stat().st_size - int(frames[-1] - frames[-2])
    with flipped(index / "store.bytes.npy", begin + 9, 3), Engine.open(index) as engine:
        engine.search("zoos", config="bm25")
        with pytest.raises(manifest.IndexDamaged, match=r"store\.bytes\.npy is damaged in the 65"):
            engine.backend.check()  # type: ignore[attr-defined]


@pytest.mark.thorough
def test_an_index_without_block_sums_is_checked_by_file(index: Path, tmp_path: Path) -> None:
    """Those that were built before there were any."""
    older = Path(shutil.copytree(index, tmp_path / "older"))
    content = manifest.read(older)
    files = {n: {k: e[k] for k in ("bytes", "sha256")} for n, e in content.pop("files").items()}
    manifest.write(older, content, files)
    said = answers(older, QUESTIONS, CONFIGS)
    assert said == answers(index, QUESTIONS, CONFIGS)
    for name in [file_name(field) for field in LARGE]:
        with flipped(older / name, (older / name).stat().st_size - 1, 0):
            found = outcome(older, QUESTIONS, CONFIGS)
        assert isinstance(found, str)
        assert f"{name} is damaged (its SHA-256 differs" in found


@pytest.mark.nightly
@pytest.mark.data
def test_flips_in_a_large_index(data_dir: Path, tmp_path: Path) -> None:
    """FLIPS bits and more: ten of every file, thirty where questions read the large ones."""
    from benchmarks.corpora import posts

    index, rng, configs = tmp_path / "index", np.random.default_rng(2021), names()
    settings = IndexSettings(parts=("vectors", "near_duplicates"))
    built = build(BuildRequest([str(posts(120_000))], index, settings, workers=2))
    assert built.counts["documents"] > 100_000
    engine = Engine.open(index)
    said = asked(engine, QUESTIONS, configs)
    sites = {
        name: places(10, (index / name).stat().st_size, rng)
        for name in [*manifest.read(index)["files"], manifest.NAME]
    }
    for name, large in _large(engine).items():
        sites[name] += read_by(large, 30, rng)
    refused = 0
    for name, bits in sites.items():
        for at, bit in bits:
            with flipped(index / name, at, bit):
                found = outcome(index, QUESTIONS, configs)
            assert found == said or isinstance(found, str), (name, at, bit)
            refused += found != said
    flips = sum(map(len, sites.values()))
    assert flips >= FLIPS
    assert refused > flips * 3 // 4
    print(f"{flips} flips: {refused} refusals, {flips - refused} unchanged answers")


def _large(engine: Engine) -> dict[str, Checked]:
    """The arrays that are checked where they are read, by file."""
    backend = engine.backend
    arrays, vectors = backend.arrays, backend.part("vectors", 1)  # type: ignore[attr-defined]
    large = [getattr(arrays, field) for field in LARGE] + [vectors.arrays["rows"]]
    return {one._name: one for one in large}
