"""The part `counter`: words of the premises alone, the same bytes twice, damage, odd corpora."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.analysis.standard import StandardAnalyzer
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest
from argsearch.indexer.format.arrays import SortedStrings, open_arrays
from argsearch.indexer.format.parts import open_part
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.parts import counters as rooms
from argsearch.indexer.parts.adding import add_parts
from argsearch.indexer.parts.counters import premise_frequencies
from tests.indexes import document, indexed

ARRAYS = ("hubness", "profile", "df", "norms", "word_hubness", "word_profile", "counterness")


def of_texts(folder: Path, arguments: list[tuple[str | None, list[str]]], **settings: str) -> Path:
    """An index of (conclusion, premises) with ids 0, 1, ..."""
    documents = [
        document(str(i), claim, *ps, stance="PRO") for i, (claim, ps) in enumerate(arguments)
    ]
    return indexed(folder, documents, IndexSettings(quality_model="none", **settings))


def test_words_are_those_of_the_premises(sample_index):
    arrays, _ = open_arrays(sample_index)
    begins, found, frequencies = premise_frequencies(arrays)
    terms = SortedStrings(arrays.terms_offsets, arrays.terms_bytes)
    names = [terms[i].decode() for i in range(len(terms))]
    store, analyzer = DocumentStore(arrays), StandardAnalyzer()
    for doc in range(len(arrays.quality)):
        run = slice(begins[doc], begins[doc + 1])
        held = {names[t]: tf for t, tf in zip(found[run], frequencies[run], strict=True)}
        assert held == Counter(analyzer.tokens(store[doc].premise))
        assert list(held) == sorted(held)


def test_cells_find_what_looking_at_all_finds(sample_index, counter_index, tmp_path, monkeypatch):
    monkeypatch.setattr(rooms, "EXACT", 10)  # one cell: 32 of 512 rows hold the sample
    celled = Path(shutil.copytree(sample_index, tmp_path / "celled"))
    add_parts(celled, ["counter"])
    one, other = (open_part(i, manifest.read(i), "counter", 1) for i in (counter_index, celled))
    assert (one.settings["cells"], other.settings["cells"]) == (False, True)
    for name in ARRAYS:
        np.testing.assert_array_equal(one[name], other[name])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [
        [("Zoos are bad", ["Animals suffer there"])],
        [(None, ["Animals suffer"]), (None, ["Animals do not suffer"]), (None, ["Birds sing"])],
        [("Zoos are bad", []), ("Zoos", ["Animals suffer"]), ("Zoos", [""]), (None, ["Yes, zoos"])],
    ],
    ids=["one document", "no conclusions", "empty premises"],
)
def test_odd_corpora(tmp_path, arguments):
    index = of_texts(tmp_path, arguments)
    add_parts(index, ["counter"])
    described = manifest.verify(index)
    part = open_part(index, described, "counter", 1)
    for name in ARRAYS:
        assert np.isfinite(part[name]).all()
    assert (part["norms"] == 0).sum() == sum(not "".join(ps).strip() for _, ps in arguments)


def test_an_index_without_vectors_cannot_have_it(tmp_path):
    index = of_texts(tmp_path, [("Zoos", ["Animals suffer"])], encoder="none")
    with pytest.raises(InvalidParameter, match="an index that was built with an encoder"):
        add_parts(index, ["counter"])
