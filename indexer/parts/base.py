"""What makes a part: from an index that is complete but for it, to arrays and their description."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import parse_spec
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import Arrays, new_array
from argsearch.indexer.format.parts import Part
from argsearch.indexer.format.store import FRAME, DocumentStore, from_line, unpack
from argsearch.indexer.processes import Progress, in_order

Result = TypeVar("Result")
FRAMES = 256
"""Frames of the store in one run: some 2,000 documents."""


def text_digest(text: str) -> bytes:
    """What a text is known by where it is not kept: 128 bits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _work(work: Callable[[list[Argument]], Result], frames: list[bytes]) -> Result:
    return work(list(map(from_line, chain.from_iterable(map(unpack, frames)))))


@dataclass(frozen=True)
class Before:
    """The index that another is changed from, or whose clusters another has."""

    folder: Path
    manifest: Mapping[str, Any]
    arrays: Arrays
    clusters_stay: bool = True
    """Whether what is new joins its clusters, of whatever a part has; else all are found anew."""


@dataclass(frozen=True)
class PartSource:
    """The index that a part is made for."""

    arrays: Arrays
    manifest: Mapping[str, Any]
    """Its `settings` are section [index] that the index was built with."""
    store: DocumentStore
    open: Mapping[str, Part] = field(default_factory=dict)
    """The parts that this one needs, by name."""
    workers: int = 1
    """Processes that read and work on the documents."""
    before: PartSource | None = None
    """An index of before that has this part, made as it would be made now, among those it has open:
    its vectors are used again. None: there is none."""
    recorded: Part | None = None
    """The part of an index whose clusters stay, made as this one is; None: they are found."""

    @property
    def documents(self) -> int:
        """n, the documents of the index."""
        return len(self.arrays.quality)

    def encoder(self, part: str) -> str:
        """Return the index's own encoder for a part that needs one; raises InvalidParameter."""
        encoder: str = self.manifest["encoder"]
        if encoder == "none":
            raise InvalidParameter("part", part, "an index built with an encoder")
        return encoder

    def mapped(
        self,
        work: Callable[[list[Argument]], Result],
        progress: Callable[[int, int], None],
        embeds: bool = False,
    ) -> Iterator[tuple[NDArray[np.int64], Result]]:
        """`work` of every run of documents, with their numbers, in the order of the store.

        work: a function of a module (processes get it by name); progress: told of the documents
        that are done, of how many; embeds: whether the work is the encoder's (a neural one has
        threads of its own, and no other process).
        """
        docs = np.argsort(self.arrays.store_rows, kind="stable")
        begins = range(0, len(docs), FRAMES * FRAME)
        alone = embeds and not parse_spec(self.manifest["encoder"]).light
        workers = 1 if alone or len(begins) < 2 else self.workers
        jobs = (self._packed(begin // FRAME) for begin in begins)
        made = in_order(partial(_work, work), jobs, workers)
        for begin, result in zip(begins, made, strict=True):
            some = docs[begin : begin + FRAMES * FRAME]
            yield some, result
            progress(begin + len(some), len(docs))

    def _packed(self, first: int) -> list[bytes]:
        """FRAMES frames of the store from the first one on, as they lie there."""
        ends, data = self.arrays.store_frames[first : first + FRAMES + 1], self.arrays.store_bytes
        packed = [data[int(a) : int(b)].tobytes() for a, b in pairwise(ends)]
        data.release()
        return packed


@dataclass(frozen=True)
class Drawer:
    """Where a part's arrays are put."""

    folder: Path
    prefix: str
    """What the names of its files begin with."""
    files: dict[str, str] = field(default_factory=dict)
    """The file of each array."""

    def save(self, array: str, values: NDArray[Any]) -> None:
        """Write an array."""
        np.save(self._place(array), np.ascontiguousarray(values), allow_pickle=False)

    def new(self, array: str, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        """An array on disk, to be filled; a full disk is an error at once."""
        return new_array(self._place(array), dtype, shape)

    def _place(self, array: str) -> Path:
        self.files[array] = f"{self.prefix}.{array.replace('_', '.')}.npy"
        return self.folder / self.files[array]


class PartMaker:
    """Makes one part; register it in `argsearch.indexer.parts.adding.PARTS`."""

    name: str
    unit = "argument"
    """What its rows are: argument, pair, premise."""
    doc: str
    """One sentence."""
    needs: tuple[str, ...] = ()
    """Parts that have to be there before it."""

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """Return what decides what the part holds, beside the index itself.

        Raises InvalidParameter for an index of which it cannot be made.
        """
        raise NotImplementedError

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Put the arrays into the drawer; returns what is to be said of them (counts)."""
        raise NotImplementedError
