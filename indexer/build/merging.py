"""Which documents of an index stay, and which are new; their store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.build.changes import check_made_id
from argsearch.indexer.build.collect import HEADER, SIZE, write_header
from argsearch.indexer.build.standing import Standing
from argsearch.indexer.corpus import ReadReport
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import file_name
from argsearch.indexer.format.store import FRAME, Frames, pack, to_line


@dataclass
class MergedCorpus:
    """Which documents of an index stay, and which are new.

    Gathered are first the new and the changed ones, as they are read, then those that stay.
    """

    old: Standing
    read: ReadReport
    changed: dict[int, int] = field(default_factory=dict)
    """The rows of changed documents, and the number of each among those read."""
    gone: set[int] = field(default_factory=set)
    """The rows of removed documents."""
    new: list[int] = field(default_factory=list)
    """The numbers of new documents."""
    whole: bool = False
    """Whether what is read is the whole corpus: it gives the order, and what it lacks is gone."""
    sequence: list[int] = field(default_factory=list)
    """Of a whole corpus: the row of each document, or −1 − number of a new one."""

    def __post_init__(self) -> None:
        self._rows = {id: row for row, id in enumerate(self.old.ids)}

    def take_out(self, ids: Iterable[str]) -> None:
        """Leave documents out; raises InvalidParameter for an unknown id, or for all of them."""
        for id in ids:
            if id not in self._rows:
                raise InvalidParameter("ID", id, "the id of an argument of the index")
            self.gone.add(self._rows[id])
        if len(self.gone) == len(self._rows):
            allowed = "fewer: an index has an argument at least (remove its directory instead)"
            raise InvalidParameter("removed", f"all {len(self.gone):,} arguments", allowed)

    def fresh(self, read: Iterable[Argument]) -> Iterator[list[Argument]]:
        """The documents that the index does not hold as they are, SIZE at a time."""
        fresh = filter(self._is_fresh, read)
        return iter(lambda: list(islice(fresh, SIZE)), [])

    def _is_fresh(self, argument: Argument) -> bool:
        """Whether the index lacks the document as it is; a row's number tells no document again."""
        row, number = self._rows.get(argument.id), len(self.new) + len(self.changed)
        self.sequence.append(-1 - number if row is None else row)
        if row is None:
            self.new.append(number)
        elif self.old.frames.line(row) == to_line(argument):
            return False
        else:
            if not self.whole:
                check_made_id(self.read.made_by, argument.id)
            self.changed[row] = number
        return True

    def end(self) -> None:
        """All is read: of a whole corpus it is known now what is gone."""
        if self.whole:
            self.gone = set(range(len(self._rows))).difference(self.sequence)

    @property
    def is_same(self) -> bool:
        """Whether nothing changes."""
        moved = self.whole and self.sequence != sorted(self.sequence)
        return not (self.new or self.changed or self.gone or moved)

    @property
    def is_other(self) -> bool:
        """Whether more of a whole corpus is new, changed or gone than stays."""
        came = len(self.new) + len(self.changed)
        return self.whole and came + len(self.gone) > len(self.sequence) - came

    def kept(self) -> NDArray[np.int64]:
        """The rows of the documents that stay as they are, int64[kept]."""
        stays = np.ones(len(self._rows), np.bool_)
        stays[[*self.changed, *self.gone]] = False
        return np.flatnonzero(stays)

    def order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Each document's number among those gathered, and its place in frames, in corpus order.

        Places in the frames of the index, and behind them in those of the documents read.
        """
        kept, read = self.kept(), len(self.new) + len(self.changed)
        first = FRAME * len(self.old.frames)
        numbers, places = np.full((2, len(self._rows)), -1, np.int64)
        numbers[kept], places[kept] = read + np.arange(len(kept)), kept
        for row, number in self.changed.items():
            numbers[row], places[row] = number, first + number
        if self.whole:
            read_in = np.array(self.sequence, np.int64)
            known, fresh = read_in >= 0, -1 - read_in
            rows = np.where(known, read_in, 0)
            return np.where(known, numbers[rows], fresh), np.where(
                known, places[rows], first + fresh
            )
        stays, new = numbers >= 0, np.array(self.new, np.int64)
        return (
            np.concatenate([numbers[stays], new]),
            np.concatenate([places[stays], first + new]),
        )

    def documents_before(self) -> NDArray[np.int64]:
        """The number that each document, in corpus order, has in the index; -1 where not so."""
        _, places = self.order()
        there = places < len(self._rows)
        return np.where(there, self.old.docs[np.where(there, places, 0)], -1)


def merged_store(
    folder: Path, old: Standing, fresh: Sequence[int], places: NDArray[np.int64]
) -> list[int]:
    """Write the store of documents, by their places in old frames and those read; frames' sizes.

    Frames whose documents stay together are copied.
    """
    store, aside = folder / file_name("store_bytes"), folder / "forward.store"
    store.rename(aside)
    ends = np.concatenate([[0], np.cumsum(fresh)]).astype(np.int64)
    read = (
        np.memmap(aside, np.uint8, "r", HEADER, (int(ends[-1]),))
        if fresh
        else np.zeros(0, np.uint8)
    )
    frames = Frames((old.arrays.store_frames, old.arrays.store_bytes), (ends, read))
    sizes: list[int] = []
    with store.open("wb") as stream:
        stream.write(bytes(HEADER))
        for frame in _merged_frames(frames, places):
            stream.write(frame)
            sizes.append(len(frame))
        write_header(stream, sum(sizes))
    aside.unlink()
    return sizes


def _merged_frames(frames: Frames, places: NDArray[np.int64]) -> Iterator[bytes]:
    """The frames of documents by their places; whole ones are copied."""
    full = places[: len(places) // FRAME * FRAME].reshape(-1, FRAME)
    whole = (full[:, 0] % FRAME == 0) & (np.diff(full, axis=1) == 1).all(axis=1)
    for run in np.split(np.arange(len(full)), np.flatnonzero(np.diff(whole)) + 1):
        if whole[run].any():
            yield from map(frames.packed, (full[run, 0] // FRAME).tolist())
            continue
        for begin in range(0, len(run), SIZE // FRAME):
            yield from _packed_anew(frames, full[run[begin : begin + SIZE // FRAME]])
    yield from _packed_anew(frames, places[full.size :])


def _packed_anew(frames: Frames, places: NDArray[np.int64]) -> list[bytes]:
    return pack([frames.line(place) for place in places.ravel().tolist()])
