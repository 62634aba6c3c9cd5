"""The cache: a part is there whole or not at all, and a key follows all that it is made of."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.config import load_config
from argsearch.indexer.staging import TEMPORARY_MARK, scratch_folder
from argsearch.lab.experiment.cache import (
    UNFINISHED_PART,
    Cache,
    CacheUnusable,
    digest,
    ranking_identity,
)

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.thorough
@given(st.dictionaries(st.text(), PLAIN, max_size=4))
def test_digest_follows_content_not_order(parts: dict[str, object]) -> None:
    assert digest(parts) == digest(dict(reversed(parts.items())))
    assert digest(parts) != digest({**parts, "one more\x00": 1})


@pytest.mark.parametrize("key", ["rerank.mmr.trade_off", "meaning.weight", "boost.quality"])
def test_another_value_is_another_ranking(key: str) -> None:
    engine = SimpleNamespace(info=SimpleNamespace(fingerprint="f"))
    keys = {
        digest(ranking_identity(engine, load_config("default", [f"{key}={value}"])))  # type: ignore[arg-type]
        for value in (0.1, 0.9)
    }
    assert len(keys) == 2


def test_a_folder_is_whole_or_absent(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    place = cache.place("runs", "key")
    with pytest.raises(RuntimeError, match="stopped"), cache.folder(place) as folder:
        (folder / "part").write_text("half")
        raise RuntimeError("stopped")
    assert not cache.has(place)
    assert list(place.parent.iterdir()) == []
    with cache.folder(place) as folder:
        (folder / "part").write_text("whole")
    assert (place / "part").read_text() == "whole"
    assert cache.has(place)
    assert Cache(tmp_path).has(place)
    fresh = Cache(tmp_path, fresh=True)
    assert not fresh.has(place)
    with fresh.folder(place) as folder:
        (folder / "part").write_text("anew")
    assert fresh.has(place)
    assert (place / "part").read_text() == "anew"


def test_a_killed_write_is_removed_and_a_living_ones_is_not(tmp_path: Path) -> None:
    cache, folder = Cache(tmp_path), Cache(tmp_path).place("evaluations", "key").parent
    with scratch_folder(UNFINISHED_PART, folder) as alive:
        dead = folder / f"{UNFINISHED_PART}{16 * 'a'}"
        dead.mkdir()
        for name in (TEMPORARY_MARK, "half.json"):
            (dead / name).write_text("")
        others = [folder / name for name in (".part-notes", f".part-{16 * 'x'}", ".notes.partial")]
        for left in others:
            left.write_text("mine")
        cache.write("evaluations", "other", 1)
        assert not dead.exists()
        assert all(left.exists() for left in (alive, *others))


def test_of_two_processes_the_first_stays(tmp_path: Path) -> None:
    one, two = Cache(tmp_path), Cache(tmp_path)
    place = one.place("runs", "key")
    with one.folder(place) as folder:
        (folder / "part").write_text("one")
        place.mkdir()
        (place / "part").write_text("two")
    assert (place / "part").read_text() == "two"
    assert one.has(place)
    assert two.has(place)


def test_values_and_damaged_values(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.read("evaluations", "key") is None
    cache.write("evaluations", "key", {"value": [1.5, float("inf")]})
    assert cache.read("evaluations", "key") == {"value": [1.5, float("inf")]}
    assert Cache(tmp_path, fresh=True).read("evaluations", "key") is None
    cache.place("evaluations", "key.json").write_text('{"value": [1.')
    assert cache.read("evaluations", "key") is None


def test_a_cache_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheUnusable, match=r"file cannot be written .*--cache"):
        Cache(tmp_path / "file").place("runs", "key")
