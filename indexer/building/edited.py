"""The corpus of an index after a change, in a form that a build can read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.building.changes import check_made_id
from argsearch.indexer.building.collect import SIZE
from argsearch.indexer.building.standing import Standing
from argsearch.indexer.corpus import ReadReport
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.store import to_line


class EditedCorpus:
    """The documents kept from an index and the documents read, in their new order.

    A file keeps the lines of the documents read until the build has used them. A large addition
    therefore needs no more memory than a small addition.
    """

    def __init__(self, old: Standing, folder: Path, read: ReadReport, whole: bool = False) -> None:
        """Begin with the unchanged index.

        folder: folder of the temporary file. read: report on the sources that are read. The flag
        `whole` means that the sources are the whole corpus. The sources then determine the order of
        documents, and documents missing from the sources are removed.
        """
        self.old, self.read, self.whole = old, read, whole
        self.changed: dict[int, int] = {}
        """Row of each changed document, and its number among the documents read."""
        self.gone: set[int] = set()
        """Rows of removed documents."""
        self.new: list[int] = []
        """Numbers of new documents among the documents read."""
        self._rows = {id: row for row, id in enumerate(old.ids)}
        self._sequence: list[int] = []
        self._path = folder / "forward.read"
        self._path.touch()
        self._ends = [0]

    def take_out(self, ids: Iterable[str]) -> None:
        """Remove documents; raise InvalidParameter for an unknown id or if none would be left."""
        for id in ids:
            if id not in self._rows:
                raise InvalidParameter("ID", id, "the id of an argument in the index")
            self.gone.add(self._rows[id])
        if len(self.gone) == len(self._rows):
            problem = f"removing all {len(self.gone):,} arguments would leave the index empty"
            raise InvalidParameter("removed", len(self.gone), "fewer arguments", problem)

    def take_in(self, arguments: Iterable[Argument]) -> Iterator[int]:
        """Add the documents that were read, and yield the running count after each one.

        An unchanged document of the index is not copied. Raises CorpusError if an id made from a
        file's name and row belongs to another document.
        """
        with self._path.open("ab") as stream:
            for count, argument in enumerate(arguments, 1):
                row, line = self._rows.get(argument.id), to_line(argument)
                # Compare lines, because the line is what a build writes.
                if row is not None and self.old.frames.line(row) == line:
                    self._sequence.append(row)
                else:
                    number = len(self._ends) - 1
                    self._sequence.append(-1 - number)
                    self._ends.append(self._ends[-1] + stream.write(line))
                    self._note(row, number, argument.id)
                yield count

    def _note(self, row: int | None, number: int, id: str) -> None:
        if row is None:
            self.new.append(number)
            return
        # In a whole corpus, a row of the same file is the document that has the row's id.
        if not self.whole:
            check_made_id(self.read.made_by, id)
        self.changed[row] = number

    def end(self) -> None:
        """Finish reading; mark documents that are missing from a whole corpus as removed."""
        if self.whole:
            there = {row for row in self._sequence if row >= 0}
            self.gone = set(range(len(self._rows))) - there - self.changed.keys()

    @property
    def is_same(self) -> bool:
        """True if nothing changes."""
        moved = self.whole and self._sequence != sorted(self._sequence)
        return not (self.new or self.changed or self.gone or moved)

    @property
    def is_other(self) -> bool:
        """True if, in a whole corpus, new, changed and removed documents outnumber the others."""
        came = len(self.new) + len(self.changed)
        return self.whole and came + len(self.gone) > len(self._sequence) - came

    def _places(self) -> NDArray[np.int64]:
        """Return each document's row, or −1 − its number among those read, in corpus order."""
        if self.whole:
            return np.array(self._sequence, np.int64)
        places = np.arange(len(self._rows))
        for row, number in self.changed.items():
            places[row] = -1 - number
        stays = np.delete(places, sorted(self.gone))
        return np.concatenate([stays, -1 - np.array(self.new, np.int64)])

    def lines(self) -> Iterator[bytes]:
        """Yield the changed corpus's documents as lines of the store, SIZE lines joined at a time.

        Raises IndexDamaged if a document of the old store cannot be read.
        """
        places, ends = self._places(), self._ends
        with self._path.open("rb") as stream:
            for begin in range(0, len(places), SIZE):
                lines = []
                for place in places[begin : begin + SIZE].tolist():
                    if place < 0:
                        stream.seek(ends[-1 - place])
                        lines.append(stream.read(ends[-place] - ends[-1 - place]))
                    else:
                        lines.append(self.old.frames.line(place))
                yield b"\n".join(lines)

    def close(self) -> None:
        """Remove the temporary file."""
        self._path.unlink(missing_ok=True)
