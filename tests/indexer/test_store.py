"""The document store: what is read once is kept, large frames are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from argsearch.indexer.format import store as stores
from argsearch.indexer.format.arrays import open_arrays
from argsearch.indexer.format.store import DocumentStore


def test_documents_are_kept_as_they_were_read(sample_index: Path) -> None:
    arrays, _ = open_arrays(sample_index)
    store, other = DocumentStore(arrays), DocumentStore(arrays)
    first = [store[doc] for doc in range(len(arrays.quality))]
    assert all(store[doc] is argument for doc, argument in enumerate(first))
    assert [other[doc] for doc in range(len(first))] == first
    assert len({argument.id for argument in first}) == len(first)


def test_documents_of_large_frames_are_not(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays, _ = open_arrays(sample_index)
    kept = DocumentStore(arrays)[0]
    monkeypatch.setattr(stores, "LARGE", 0)
    store = DocumentStore(arrays)
    assert store[0] == kept
    assert store[0] is not store[0]
