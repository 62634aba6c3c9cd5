"""Filters and folding by brute force: over random corpora, and over a real one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.parts import PartMissing
from tests.engine.narrowing import CONFIGS, Condition, Plain, conditions, texts

SERVED = "columned_index"
ALL = 10_000


def heads(plain: Plain, ids: list[str]) -> list[str]:
    """Of each group of near-duplicates the first hit."""
    first: dict[str, str] = {}
    for id in ids:
        first.setdefault(min([id, *plain.engine.backend.near_duplicates(id)]), id)
    return list(first.values())


@pytest.mark.thorough
@examples(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@example(text="w0 zoos", wanted=[Condition("source", "=", "A.org")], config="bm25", page=(5, 0))
@given(
    text=texts(),
    wanted=st.lists(conditions(), min_size=1, max_size=3),
    config=st.sampled_from(["dirichlet", "bm25", "heimdall-2021-run4", "heimdall-2021"]),
    page=st.tuples(st.integers(1, 20), st.integers(0, 20)),
)
def test_filters(
    plain: Plain, text: str, wanted: list[Condition], config: str, page: tuple[int, int]
) -> None:
    """No stage re-ranks here: of a shorter list it would see others."""
    engine, (k, offset) = plain.engine, page
    whole = engine.search(text, k=ALL, config=config).hits.ids
    ids = [id for id in whole if all(c.holds(plain.value(c.column, id)) for c in wanted)]
    where = [str(one) for one in wanted]
    found = engine.search(text, k=k, offset=offset, config=config, where=where)
    assert found.hits.ids == ids[offset : offset + k]
    assert found.total == len(ids)


@pytest.mark.thorough
@examples(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(
    text=texts(),
    config=st.sampled_from(CONFIGS),
    wanted=st.lists(conditions(), max_size=1),
    page=st.tuples(st.integers(1, 20), st.integers(0, 20)),
)
def test_folding(
    plain: Plain, text: str, config: str, wanted: list[Condition], page: tuple[int, int]
) -> None:
    engine, (k, offset) = plain.engine, page
    asked: dict[str, Any] = {"config": config, "where": [str(one) for one in wanted]}
    whole = engine.search(text, k=ALL, **asked)
    ids = heads(plain, whole.hits.ids)
    found = engine.search(text, k=k, offset=offset, collapse=True, **asked)
    assert found.hits.ids == ids[offset : offset + k]
    assert (found.total, found.groups) == (whole.total, len(ids))
    scores = dict(zip(whole.hits.ids, whole.hits.scores, strict=True))
    assert [scores[id] for id in found.hits.ids] == found.hits.scores.tolist()
    assert engine.search(text, **asked).groups is None


def test_an_index_without_groups_says_how_to_add_them(sample_index: Path) -> None:
    missing = pytest.raises(PartMissing, match="argsearch index --with near_duplicates")
    with Engine.open(sample_index) as engine, missing:
        engine.search("zoos", collapse=True)


def test_a_part_of_before_is_read_by_its_new_name(tmp_path: Path, plain: Plain) -> None:
    """An index of 0.1 has the part under the name `copies`; its files are the same."""
    engine, asked = plain.engine, {"k": ALL, "collapse": True}
    folder = Path(shutil.copytree(engine.backend.contents.folder, tmp_path / "index"))
    content = manifests.read(folder)
    content["parts"]["copies"] = content["parts"].pop("near_duplicates")
    files = content.pop("files")
    sums = {name: manifests.entry(folder / name) for name in files}
    manifests.write(folder, {k: v for k, v in content.items() if k != "fingerprint"}, sums)
    assert b'"copies"' in (folder / "manifest.json").read_bytes()
    with Engine.open(folder) as old:
        assert old.parts == engine.parts
        assert old.search("zoos", **asked).hits.ids == engine.search("zoos", **asked).hits.ids
