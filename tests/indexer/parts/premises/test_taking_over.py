"""What a change of an index takes over of the part `premises`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.build.changing import add, remove
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.premises import part as premises_part
from argsearch.indexer.parts.premises import reading
from tests.indexer.test_changing import (
    Corpus,
    assert_fresh,
    document,
    in_small_cells,
    sample,
    write,
)

CLAIMED = IndexSettings(quality_model="none", parts=("premises",))


def begun(room: Path, corpus: Corpus) -> tuple[Path, Path]:
    """An index of a corpus, and a copy that keeps its clusters."""
    index, clusters = room / "index", room / "clusters"
    build(BuildRequest([write(room / "first.jsonl", corpus)], index, CLAIMED))
    shutil.copytree(index, clusters)
    return index, clusters


@pytest.mark.thorough
def test_premises_of_documents_that_stay_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the first of each conclusion; also where a premise comes to stand first elsewhere."""
    in_small_cells(monkeypatch)
    said = ["Zoos keep animals.", "They do not.", "Zoos keep animals.", "They do not.", "Well."]
    merged = {f"d{i}": document(f"d{i}", text, "zoos keep") for i, text in enumerate(said)}
    (index, clusters), read = begun(tmp_path, merged), list[Any]()

    class Noted(reading.HeldPremises):
        """What is left out, and which premises stood elsewhere first."""

        def __iter__(self) -> Iterator[Any]:
            for one in super().__iter__():
                read.append((one.row, one.premises[0][0].is_first))
                yield one

    monkeypatch.setattr(premises_part, "HeldPremises", Noted)
    remove(index, ["d0"])
    assert sorted(is_first for _, is_first in read) == [False, False, True]
    del merged["d0"]
    assert_fresh(index, merged, clusters, CLAIMED)


@pytest.mark.thorough
def test_premises_of_an_index_of_before_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_cells(monkeypatch)
    merged, more = sample(0, 40), sample(40, 45)
    index, clusters = begun(tmp_path, merged)
    manifest = manifests.read(index)
    arrays = manifest["parts"]["premises"]["arrays"]
    for name in [name for name in arrays if name.endswith(("alone", "digests", "_splits"))]:
        file = arrays.pop(name)
        manifest["files"].pop(file)
        (index / file).unlink()
    manifests.write(index, manifest, manifest["files"])
    shutil.rmtree(clusters)
    shutil.copytree(index, clusters)
    add(index, [write(tmp_path / "more.jsonl", more)])
    assert_fresh(index, merged | more, clusters, CLAIMED)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("first", "gone", "batch"), [(0, 0, 99), (1, 1, 99), (1, None, 99), (2, 3, 3)]
)
def test_a_premise_has_one_vector_wherever_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int, gone: int | None, batch: int
) -> None:
    """Two of them lie within .6 as they are stored, and beyond it as they are made."""
    in_small_cells(monkeypatch)
    monkeypatch.setattr(premises_part, "WAITING_TEXTS", batch)
    near, other = "grow rain", "Votes are counted."
    said: list[list[tuple[str | None, list[str]]]] = [
        [(None, [near]), ("c", [near, other]), ("c", ["grow law rain trees"]), ("c", ["Well."])],
        [("c", ["Well."]), (None, [near, other]), ("c", [near]), ("c", ["grow law rain trees"])],
        [("c", ["So."]), ("c", ["Well."]), ("c", [other, near]), ("c", [near])],
    ]
    merged = {f"d{i}": document(f"d{i}", "", claim) for i, (claim, _) in enumerate(said[first])}
    for one, (_, premises) in zip(merged.values(), said[first], strict=True):
        one["premises"] = [{"text": text, "stance": "PRO"} for text in premises]
    index, clusters = begun(tmp_path, merged)
    if gone is not None:
        remove(index, [f"d{gone}"])
        del merged[f"d{gone}"]
    more = {"more": document("more", "rain law grow trees", "c")}
    add(index, [write(tmp_path / "more.jsonl", more)])
    assert_fresh(index, merged | more, clusters, CLAIMED)
