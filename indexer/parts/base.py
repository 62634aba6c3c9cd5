"""Base class and helpers for making a part, which is a set of arrays computed from an index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import pairwise
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
"""Number of frames of the store in one run; a run has about 2,000 documents."""


def text_digest(text: str) -> bytes:
    """Return a 128-bit digest that identifies a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _work(work: Callable[[list[Argument]], Result], frames: list[bytes]) -> Result:
    return work(list(map(from_line, unpack(frames))))


@dataclass(frozen=True)
class Before:
    """An earlier index that is being changed, or whose clusters are reused."""

    folder: Path
    manifest: Mapping[str, Any]
    arrays: Arrays
    clusters_stay: bool = True
    """True if new texts join the existing clusters of a part; otherwise all are recomputed."""


@dataclass(frozen=True)
class PartSource:
    """The index that a part is made for."""

    arrays: Arrays
    manifest: Mapping[str, Any]
    """Manifest of the index; its `settings` are the section [index] that it was built with."""
    store: DocumentStore
    open: Mapping[str, Part] = field(default_factory=dict)
    """The parts that this part needs, by name."""
    workers: int = 1
    """Number of processes that read and process the documents."""
    before: PartSource | None = None
    """An earlier index, if any, that has this part with the same settings.
    Its vectors are reused."""
    recorded: Part | None = None
    """The same part of the index whose clusters are kept; None: compute the clusters."""

    @property
    def documents(self) -> int:
        """Number of documents in the index, n."""
        return len(self.arrays.quality)

    def encoder(self, part: str) -> str:
        """Return the index's own encoder for `part`; raise InvalidParameter if it has none."""
        encoder: str = self.manifest["encoder"]
        if encoder == "none":
            problem = f"the part {part} needs an index that was built with an encoder"
            raise InvalidParameter("part", part, problem=problem)
        return encoder

    def mapped(
        self,
        work: Callable[[list[Argument]], Result],
        progress: Callable[[int, int], None],
        embeds: bool = False,
    ) -> Iterator[tuple[NDArray[np.int64], Result]]:
        """Yield the document numbers and `work(documents)` of every run, in the order of the store.

        The function `work` must be at module level, because processes import it by name. After each
        run, `progress` gets the number of finished documents and the total. The flag `embeds` means
        that `work` calls the encoder. Neural encoders have their own threads and need this process.
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
        """Return up to FRAMES frames of the store from `first` on, still compressed."""
        ends, data = self.arrays.store_frames[first : first + FRAMES + 1], self.arrays.store_bytes
        packed = [data[int(a) : int(b)].tobytes() for a, b in pairwise(ends)]
        data.release()
        return packed


@dataclass(frozen=True)
class Drawer:
    """Writes the arrays of a part."""

    folder: Path
    prefix: str
    """Prefix of the part's file names."""
    files: dict[str, str] = field(default_factory=dict)
    """File name of each array."""

    def save(self, array: str, values: NDArray[Any]) -> None:
        """Write an array."""
        np.save(self._place(array), np.ascontiguousarray(values), allow_pickle=False)

    def new(self, array: str, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return an array on disk to fill; a full disk raises an error immediately."""
        return new_array(self._place(array), dtype, shape)

    def _place(self, array: str) -> Path:
        self.files[array] = f"{self.prefix}.{array.replace('_', '.')}.npy"
        return self.folder / self.files[array]


class PartMaker:
    """Makes one part; register it in `argsearch.indexer.parts.adding.PARTS`."""

    name: str
    unit = "argument"
    """Unit that a row describes: argument, pair or premise."""
    doc: str
    """Description in one sentence."""
    needs: tuple[str, ...] = ()
    """Parts that must be made before this part."""

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """Return everything that determines the part's contents besides the index itself.

        Raises InvalidParameter if the part cannot be made for this index.
        """
        raise NotImplementedError

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Write the arrays with the drawer; return facts about them for the manifest."""
        raise NotImplementedError
