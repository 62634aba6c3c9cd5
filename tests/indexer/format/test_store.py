"""The document store: what is read once is kept, bounded by bytes however large documents are."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import orjson
import pytest

from argsearch.indexer.corpus.argument import Argument, Premise
from argsearch.indexer.format.arrays import open_arrays
from argsearch.indexer.format.store import (
    CACHED_FRAMES,
    FRAME,
    HUGE_FRAME,
    LARGE_DOCUMENT,
    REMEMBERED_DOCUMENTS,
    DocumentStore,
    pack,
)


def store_of(documents: int, characters: int) -> DocumentStore:
    arguments = [
        Argument(f"a{i}", "zoos", (Premise("x" * characters, None),), {}) for i in range(documents)
    ]
    frames = pack([orjson.dumps(one.to_json()) for one in arguments])
    arrays = SimpleNamespace(
        store_rows=np.arange(documents, dtype=np.int32),
        store_frames=np.cumsum([0, *map(len, frames)]),
        store_bytes=np.frombuffer(b"".join(frames), np.uint8),
    )
    return DocumentStore(cast(Any, arrays))


@pytest.mark.parametrize(
    ("characters", "frames", "documents"),
    [
        (20, CACHED_FRAMES, REMEMBERED_DOCUMENTS),
        (LARGE_DOCUMENT, CACHED_FRAMES, 0),
        (HUGE_FRAME // FRAME, 0, 0),
    ],
)
def test_large_documents_are_not_remembered(characters, frames, documents) -> None:
    store = store_of(FRAME * (CACHED_FRAMES + 2) if characters > 20 else 1200, characters)
    for doc in range(len(store._rows)):
        assert store[doc].id == f"a{doc}"
    assert store._frames._unpacked.cache_info().currsize == frames
    assert store._remembered.cache_info().currsize == documents
    assert store[3] == store[3]


def test_documents_are_kept_as_they_were_read(sample_index: Path) -> None:
    arrays, _ = open_arrays(sample_index)
    store, other = DocumentStore(arrays), DocumentStore(arrays)
    first = [store[doc] for doc in range(len(arrays.quality))]
    assert all(store[doc] is argument for doc, argument in enumerate(first))
    assert [other[doc] for doc in range(len(first))] == first
    assert len({argument.id for argument in first}) == len(first)
