"""Optional parts: made with an index or later, described, verified, replaced in one step."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest
from argsearch.indexer.format.parts import VERSIONS, PartMissing
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.adding import PARTS, add_parts
from tests.indexes import Built

SAMPLE = Path(__file__).parent.parent.parent / "indexer" / "sample" / "arguments.json"


@pytest.fixture(scope="module")
def bare_index(built: Built) -> Path:
    return built(settings=IndexSettings())


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_an_index_with_a_part_is_another_index(bare_index: Path, tmp_path: Path) -> None:
    index = Path(shutil.copytree(bare_index, tmp_path / "index"))
    before = manifest.read(index)
    added = add_parts(index, ["vectors"])
    after = manifest.read(index)
    assert added == after["fingerprint"] != before["fingerprint"]
    assert manifest.base(after) == manifest.base(before)
    again = add_parts(index, ["vectors"])
    assert again == added
    assert len(list(index.glob("part.vectors.*"))) == len(after["parts"]["vectors"]["arrays"])


def test_an_index_without_a_part_says_how_to_add_it(bare_index: Path) -> None:
    with Engine.open(bare_index) as engine:
        assert engine.search("animals").hits.candidates.source.vectors(np.arange(1)) is None
        with pytest.raises(PartMissing, match=r"no part 'vectors'.*argsearch index --with vectors"):
            engine.backend.part("vectors", 1)  # type: ignore[attr-defined]


def test_a_mistyped_part_is_not_suggested(bare_index: Path) -> None:
    with Engine.open(bare_index) as engine:
        with pytest.raises(PartMissing, match=r"no part 'premisses'; the parts are") as said:
            engine.backend.part("premisses")
        assert "--with" not in str(said.value) + said.value.lack
    assert list(VERSIONS) == list(PARTS)


def test_a_part_of_another_version_is_missing(bare_index: Path, tmp_path: Path) -> None:
    index = Path(shutil.copytree(bare_index, tmp_path / "index"))
    add_parts(index, ["vectors"])
    with (
        Engine.open(index) as engine,
        pytest.raises(PartMissing, match=r"of version 2 \(it has 1\)"),
    ):
        engine.backend.part("vectors", 2)  # type: ignore[attr-defined]


def test_a_failed_part_leaves_the_index_as_it_was(
    bare_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Path(shutil.copytree(bare_index, tmp_path / "index"))
    before = _files(index)

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("argsearch.indexer.parts.vectors._quantised", broken)
    with pytest.raises(KeyboardInterrupt):
        add_parts(index, ["vectors"])
    assert _files(index) == before
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    monkeypatch.undo()
    add_parts(index, ["vectors"])
    manifest.verify(index)


@pytest.mark.thorough
def test_wrong_parts_are_refused(bare_index: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="part must be vectors, .*, not 'magic'"):
        add_parts(bare_index, ["magic"])
    with pytest.raises(InvalidParameter, match="part must .*not 'magic'"):
        build(BuildRequest([str(SAMPLE)], tmp_path / "x", IndexSettings(parts=("magic",))))
    with pytest.raises(InvalidParameter, match="an index that was built with an encoder"):
        settings = IndexSettings(encoder="none", quality_model="none", parts=("vectors",))
        build(BuildRequest([str(SAMPLE)], tmp_path / "y", settings))
    assert not list(tmp_path.iterdir())
