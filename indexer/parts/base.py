"""What makes a part: from an index that is complete but for it, to arrays and their description."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.arrays import Arrays, new_array
from argsearch.indexer.format.columns import Values
from argsearch.indexer.format.store import FRAME, DocumentStore, unpack
from argsearch.indexer.processes import in_order

Progress = Callable[[str, int], None]
"""Told of each stage by name, and of how many documents are done in it."""


Result = TypeVar("Result")
FRAMES = 256
"""Frames of the store in one run: some 2,000 documents."""


def _work(work: Callable[[list[Argument]], Result], frames: list[bytes]) -> Result:
    return work([one for frame in frames for one in unpack(frame)])


@dataclass(frozen=True)
class PartSource:
    """The index that a part is made for."""

    arrays: Arrays
    columns: Mapping[str, Values]
    manifest: Mapping[str, Any]
    store: DocumentStore
    open: Mapping[str, Mapping[str, NDArray[Any]]] = field(default_factory=dict)
    """The arrays of the parts that this one needs, by their names."""
    workers: int = 1
    """Processes that read and work on the documents."""

    @property
    def documents(self) -> int:
        """n, the documents of the index."""
        return len(self.arrays.quality)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Section [index] that the index was built with."""
        settings: Mapping[str, Any] = self.manifest["settings"]
        return settings

    def mapped(
        self, work: Callable[[list[Argument]], Result]
    ) -> Iterator[tuple[NDArray[np.int64], Result]]:
        """`work` of every run of documents, with their numbers, in the order of the store.

        work: a function of a module (processes get it by name).
        """
        docs = np.argsort(self.arrays.store_rows, kind="stable")
        frames = self.arrays.store_frames
        runs = range(0, len(frames) - 1, FRAMES)
        packed = (self._packed(frames[i : i + FRAMES + 1]) for i in runs)
        results = in_order(partial(_work, work), packed, self.workers)
        for i, result in zip(runs, results, strict=True):
            yield docs[i * FRAME : (i + FRAMES) * FRAME], result

    def _packed(self, ends: NDArray[np.int64]) -> list[bytes]:
        return [self.arrays.store_bytes[a:b].tobytes() for a, b in pairwise(ends.tolist())]


@dataclass(frozen=True)
class Drawer:
    """Where a part's arrays are put."""

    folder: Path
    name_of: Callable[[str], str]
    files: dict[str, str] = field(default_factory=dict)
    """The file of each array."""

    def save(self, array: str, values: NDArray[Any]) -> None:
        """Write an array."""
        np.save(self._place(array), np.ascontiguousarray(values), allow_pickle=False)

    def new(self, array: str, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        """An array on disk, to be filled; a full disk is an error at once."""
        return new_array(self._place(array), dtype, shape)

    def _place(self, array: str) -> Path:
        self.files[array] = self.name_of(array)
        return self.folder / self.files[array]


class PartMaker(Protocol):
    """Makes one part; register it in `argsearch.indexer.parts.PARTS`."""

    name: str
    unit: str
    """What its rows are: argument, pair, premise."""
    version: int
    doc: str
    """One sentence."""
    needs: tuple[str, ...]
    """Parts that have to be there before it."""

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """What decides what the part holds, beside the index itself."""

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Put the arrays into the drawer; returns what is to be said of them (counts)."""
