"""Collapsing: brute force over the ranking, pages, sides, and an index without groups."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.parts import PartMissing
from argsearch.indexer.format.settings import IndexSettings
from tests.indexes import document, indexed

QUERY = "should zoos be closed"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("near_duplicates")
    rng = random.Random(7)
    words = [f"word{i}" for i in range(60)]
    documents = []
    for i in range(90):
        text = "zoos " + " ".join(rng.choices(words, k=30 + i % 7))
        for copy in range(rng.choice([1, 1, 1, 2, 5])):
            more = "" if copy == 0 else f" and {copy} more"
            own = text + more, rng.choice(["PRO", "CON"])
            documents.append(document(f"a{i}-{copy}", f"Claim {i % 9}", own[0], stance=own[1]))
    settings = IndexSettings(parts=("near_duplicates",))
    with Engine.open(indexed(folder, documents, settings)) as opened:
        yield opened


@pytest.mark.thorough
def test_of_each_group_the_best_stands(engine: Engine) -> None:
    whole = engine.search(QUERY, k=1000)
    best: dict[str, str] = {}
    for hit in whole.hits:
        best.setdefault(hit.id.partition("-")[0], hit.id)
    found = engine.search(QUERY, k=1000, collapse=True)
    assert found.hits.ids == list(best.values())
    assert len(found.hits) == 90 < len(whole.hits)
    assert found.total == whole.total
    scores = {hit.id: hit.score for hit in whole.hits}
    for hit in found.hits:
        assert hit.score == scores[hit.id]
        group = hit.id.partition("-")[0]
        others = {id for id in whole.hits.ids if id.partition("-")[0] == group} - {hit.id}
        assert set(engine.backend.near_duplicates(hit.id)) == others


def test_sides_are_read_of_what_is_shown(engine: Engine) -> None:
    found = engine.search(QUERY, k=10, collapse=True, sides=True)
    assert found.hits.ids == engine.search(QUERY, k=10, collapse=True).hits.ids
    assert found.balance is not None
    assert sum(found.balance.counts.values()) == 90
    parts = [
        engine.search(QUERY, k=100, collapse=True, side=s).hits.ids for s in found.balance.counts
    ]
    assert sorted(id for part in parts for id in part) == sorted(
        engine.search(QUERY, k=1000, collapse=True).hits.ids
    )
    with pytest.raises(InvalidParameter, match="side is 'left'; allowed: for, against, unclear"):
        engine.search(QUERY, side="left")


def test_an_index_without_groups_says_how_to_add_them(sample_index: Path) -> None:
    with (
        Engine.open(sample_index) as engine,
        pytest.raises(PartMissing, match="argsearch index --with near_duplicates"),
    ):
        engine.search(QUERY, collapse=True)


def test_a_part_of_before_is_read_by_its_new_name(tmp_path: Path, engine: Engine) -> None:
    """An index of 0.1 has the part under the name `copies`; its files are the same."""
    folder = Path(shutil.copytree(engine.backend.contents.folder, tmp_path / "index"))
    content = manifests.read(folder)
    content["parts"]["copies"] = content["parts"].pop("near_duplicates")
    files = content.pop("files")
    sums = {name: manifests.entry(folder / name) for name in files}
    manifests.write(folder, {k: v for k, v in content.items() if k != "fingerprint"}, sums)
    assert b'"copies"' in (folder / "manifest.json").read_bytes()
    with Engine.open(folder) as old:
        assert old.parts == engine.parts
        found = old.search(QUERY, k=1000, collapse=True)
        assert found.hits.ids == engine.search(QUERY, k=1000, collapse=True).hits.ids
