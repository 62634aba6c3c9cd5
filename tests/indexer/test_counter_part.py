"""The part `counter`: words of the premises alone, the same bytes twice, damage, odd corpora."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest
from argsearch.indexer.format.parts import open_part
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts import counters as rooms
from argsearch.indexer.parts.adding import add_parts
from tests.indexes import document, indexed

ARRAYS = ("hubness", "profile", "df", "norms", "word_hubness", "word_profile", "counterness")


def of_texts(folder: Path, arguments: list[tuple[str | None, list[str]]], **settings: str) -> Path:
    """An index of (conclusion, premises) with ids 0, 1, ..."""
    documents = [
        document(str(i), claim, *ps, stance="PRO") for i, (claim, ps) in enumerate(arguments)
    ]
    return indexed(folder, documents, IndexSettings(quality_model="none", **settings))


def test_cells_find_what_looking_at_all_finds(sample_index, counter_index, tmp_path, monkeypatch):
    monkeypatch.setattr(rooms, "EXACT", 10)  # one cell: 32 of 512 rows hold the sample
    celled = Path(shutil.copytree(sample_index, tmp_path / "celled"))
    add_parts(celled, ["counter"])
    one, other = (open_part(i, manifest.read(i), "counter", 1) for i in (counter_index, celled))
    assert (one.settings["cells"], other.settings["cells"]) == (False, True)
    for name in ARRAYS:
        np.testing.assert_array_equal(one[name], other[name])


def test_an_index_without_vectors_cannot_have_it(tmp_path):
    index = of_texts(tmp_path, [("Zoos", ["Animals suffer"])], encoder="none")
    with pytest.raises(InvalidParameter, match="an index that was built with an encoder"):
        add_parts(index, ["counter"])
