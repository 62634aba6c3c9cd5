"""Collapsing: brute force over the ranking, pages, sides, and an index without groups."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.parts import PartMissing
from argsearch.indexer.format.settings import IndexSettings

QUERY = "should zoos be closed"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("near_duplicates")
    rng = random.Random(7)
    words = [f"word{i}" for i in range(60)]
    lines = []
    for i in range(90):
        text = "zoos " + " ".join(rng.choices(words, k=30 + i % 7))
        for copy in range(rng.choice([1, 1, 1, 2, 5])):
            more = "" if copy == 0 else f" and {copy} more"
            premise = {"text": text + more, "stance": rng.choice(["PRO", "CON"])}
            document = {"id": f"a{i}-{copy}", "conclusion": f"Claim {i % 9}"}
            lines.append(json.dumps({**document, "premises": [premise], "context": {}}))
    corpus = folder / "corpus.jsonl"
    corpus.write_text("\n".join(lines), "utf-8")
    build(BuildRequest([str(corpus)], folder / "index", IndexSettings(parts=("near_duplicates",))))
    with Engine.open(folder / "index") as opened:
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


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 7, 30])
def test_pages_never_overlap(engine: Engine, size: int) -> None:
    whole = engine.search(QUERY, k=1000, collapse=True).hits.ids
    pages = [
        engine.search(QUERY, k=size, offset=offset, collapse=True).hits.ids
        for offset in range(0, 100, size)
    ]
    assert [id for page in pages for id in page] == whole[: 100 // size * size + size]


def test_stages_and_filters_come_before(engine: Engine) -> None:
    asked = {"overrides": ["rerank.method=mmr"], "where": ["stance=con"]}
    whole = engine.search(QUERY, k=1000, **asked)  # type: ignore[arg-type]
    heads: dict[str, str] = {}
    for hit in whole.hits:
        heads.setdefault(hit.id.partition("-")[0], hit.id)
    found = engine.search(QUERY, k=1000, collapse=True, **asked)  # type: ignore[arg-type]
    assert found.hits.ids == list(heads.values())
    assert {hit.stance for hit in found.hits} == {"CON"}


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
