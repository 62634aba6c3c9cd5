"""Ids on disk are a set of ids."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.corpus import ReadReport, read_many
from argsearch.indexer.corpus.ids import IdsOnDisk
from argsearch.indexer.staging import BuildFailed, loading_folder


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=40))
def test_ids_on_disk_are_a_set(words: list[str]) -> None:
    known: set[str] = set()
    with tempfile.TemporaryDirectory() as folder, closing(IdsOnDisk(Path(folder) / "ids")) as ids:
        for word in words:
            assert (word in ids) == (word in known)
            if word not in known:
                ids.add(word)
                known.add(word)


def test_a_corpus_is_read_by_them_as_by_a_set(tmp_path: Path) -> None:
    line = '{{"id": "{}", "conclusion": "zoos", "premises": [{{"text": "{}", "stance": "PRO"}}]}}\n'
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(line.format(i % 7, i) for i in range(30)), encoding="utf-8")
    report = ReadReport()
    with closing(IdsOnDisk(tmp_path / "ids")) as ids:
        found = list(read_many([path], report=report, seen=ids))
    assert found == list(read_many([path]))
    assert (report.documents, report.duplicates) == (7, 23)


def test_a_full_disk_is_said_with_its_folder() -> None:
    with (
        pytest.raises(BuildFailed, match=r"temporary folder \S+ is full .* or set TMPDIR"),
        loading_folder("argsearch-test-") as folder,
        closing(IdsOnDisk(folder / "ids")) as ids,
    ):
        ids._database.execute("PRAGMA max_page_count = 2")
        for number in range(1_000):
            ids.add(f"document {number}")
    with pytest.raises(FileNotFoundError), loading_folder("argsearch-test-") as folder:
        (folder / "none").read_bytes()
