"""Near-duplicates after documents left: what is read again, and what is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.build.changing import remove
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts import near_duplicates
from argsearch.ranking.near_duplicates import regrouping

SETTINGS = IndexSettings(encoder="none", quality_model="none", parts=("near_duplicates",))


def words(name: str, count: int) -> list[str]:
    return [f"{name}{number}" for number in range(count)]


HELD = words("held", 24)
DOCUMENTS = {
    "most": HELD[:18] + words("most", 30),
    "first": HELD,
    "more": HELD[5:] + words("more", 5),  # as long, and a near-duplicate of it alone
    "equal": HELD,
    "alone": words("alone", 9),
    "quoted": words("other", 20),
    "again": words("other", 20),
    "other": words("other", 30),
}


def built(path: Path) -> Path:
    lines = [
        json.dumps({"id": id, "conclusion": "c", "premises": [{"text": " ".join(text)}]})
        for id, text in DOCUMENTS.items()
    ]
    source = path.with_suffix(".jsonl")
    source.write_text("\n".join(lines))
    build(BuildRequest([str(source)], path, SETTINGS))
    return path


def groups(index: Path) -> dict[str, str]:
    """The representative of each document."""
    with Engine.open(index) as engine:
        ids = engine.backend.ids  # type: ignore[attr-defined]
        of = engine.backend.part("near_duplicates", 1)["groups"]  # type: ignore[attr-defined]
        return {ids[doc]: ids[head] for doc, head in enumerate(of.tolist())}


def test_nothing_is_read_where_no_group_may_have_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(tmp_path / "index")
    before = groups(index)
    assert before["again"] == "other"
    monkeypatch.setattr(near_duplicates, "sketched", None)
    gone = ["equal", "alone", "again"]  # none after them equals them
    remove(index, gone)
    assert groups(index) == {id: of for id, of in before.items() if id not in gone}


def test_who_equalled_one_that_left_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regrouping, "OPENED", 1)
    index = built(tmp_path / "index")
    assert groups(index)["equal"] == "most"  # as the first, before which no other stands
    remove(index, ["first"])
    assert groups(index)["equal"] == "more"


def test_a_group_that_lost_its_representative_is_looked_at(tmp_path: Path) -> None:
    index = built(tmp_path / "index")
    remove(index, ["other"])
    assert groups(index)["again"] == "quoted"
