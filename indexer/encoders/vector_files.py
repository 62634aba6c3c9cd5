"""Files of word vectors in the formats of word2vec and GloVe, read in place.

* word2vec, text: a line `count dimensions`, then a line `word x1 x2 …` for each word;
* word2vec, binary: the same first line, then each word's bytes, a space and its numbers as
  little-endian float32, perhaps with a line feed before the next word;
* GloVe, text: no first line; a word may contain spaces.

Opening scans a file once and keeps 16 bytes per word (hash and position). Words and numbers stay in
the memory-mapped file; numbers are checked on use. If a word is repeated, its first vector is used.
"""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError

LONGEST_HEADER = 64
"""Maximum length, in bytes, of a first line `count dimensions`."""
LONGEST_WORD_BYTES = 10_000
"""Maximum length, in bytes, of a word; a file with a longer word is in none of these formats."""
MOST_FILE_DIMENSIONS = 10_000
FILE_BLOCK = 1 << 20
"""Size in bytes of the chunks in which lines are counted, since a slice of the file is a copy."""


class FaultyVectors(ArgsearchError):
    """A file of word vectors is damaged or has another format; the message gives the position."""

    def __init__(self, path: Path, where: str, fault: str) -> None:
        super().__init__(
            f"{path}: {where}: {fault}; give a complete, unpacked word2vec file "
            "(text or binary) or GloVe file (text)"
        )


@dataclass(frozen=True, slots=True)
class Records:
    """Format of an open file of word vectors, and the words that it contains."""

    path: Path
    data: mmap.mmap
    binary: bool
    dimensions: int
    begin: int
    """Number of bytes before the first word's record."""
    count: int | None
    """Number of words according to the first line; None if there is no such line."""

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        """Yield each word and the byte at which its record begins; raise FaultyVectors."""
        return self._of_binary() if self.binary else self._of_text()

    def numbers(self, at: int) -> NDArray[np.float32]:
        """Return the vector at byte `at`, after the word and a space; raise FaultyVectors."""
        d = self.dimensions
        if self.binary:
            row = np.frombuffer(self.data, "<f4", d, at).astype(np.float32)
        else:
            row = floats(self.data[at : line_end(self.data, at)], d)
        if len(row) != d or not np.isfinite(row).all():
            raise self.fault(at, f"the word does not have {d} finite numbers")
        return row

    def fault(self, at: int, text: str) -> FaultyVectors:
        """Return the error for a fault at byte `at`, with the line or (binary) the word number."""
        if not self.binary:
            blocks = (self.data[i : min(i + FILE_BLOCK, at)] for i in range(0, at, FILE_BLOCK))
            number = 1 + sum(block.count(b"\n") for block in blocks)
            return FaultyVectors(self.path, f"line {number}", text)
        number = 1
        for number, (_, place) in enumerate(self, 1):  # noqa: B007
            if place >= at - 4 * self.dimensions:
                break
        return FaultyVectors(self.path, f"word {number}", text)

    def _of_binary(self) -> Iterator[tuple[bytes, int]]:
        at, skip, data = self.begin, 4 * self.dimensions + 1, self.data
        for number in range(1, (self.count or 0) + 1):
            while data[at : at + 1] == b"\n":
                at += 1
            space = data.find(b" ", at, at + LONGEST_WORD_BYTES)
            if space <= at or space + skip > len(data):
                fault = f"the word is missing or cut off; the file should have {self.count} words"
                raise FaultyVectors(self.path, f"word {number}", fault)
            yield data[at:space], at
            at = space + skip
        if data[at : at + LONGEST_WORD_BYTES].strip():
            fault = f"the file goes on after the {self.count} words that its header announces"
            raise FaultyVectors(self.path, f"byte {at}", fault)

    def _of_text(self) -> Iterator[tuple[bytes, int]]:
        at, number, data = self.begin, 0, self.data
        while at < len(data):
            end = line_end(data, at)
            line = data[at:end].rstrip()
            if line:
                yield self._word(line, at), at
                number += 1
            at = end + 1
        if self.count not in (None, number):
            fault = f"its header says {self.count} words, but there are {number}"
            raise FaultyVectors(self.path, "line 1", fault)

    def _word(self, line: bytes, at: int) -> bytes:
        """Return the word before a line's numbers; it may contain spaces, but not end in a number.

        Otherwise a line with too many numbers would pass as a word that contains some of them.
        """
        word, *numbers = line.rsplit(b" ", self.dimensions)
        spaced = b" " in word
        number_too_many = spaced and len(floats(word.rpartition(b" ")[2], 1)) == 1
        if len(numbers) < self.dimensions or number_too_many or (spaced and self.count):
            found = line.count(b" ")
            raise self.fault(at, f"this word must have {self.dimensions} numbers, not {found}")
        if not 0 < len(word) <= LONGEST_WORD_BYTES:
            raise self.fault(at, f"the word must have 1 to {LONGEST_WORD_BYTES} bytes")
        return word


class FileVectors:
    """The vectors of a word2vec or GloVe file.

    If the file lacks a word, it is looked up with an initial capital, then in capitals. In files
    made from mixed-case text, some names occur only in these spellings.
    """

    def __init__(self, path: Path) -> None:
        """Open a file; raise FaultyVectors if it is empty, cut off, uneven or not text."""
        if not path.stat().st_size:
            raise FaultyVectors(path, "byte 0", "the file is empty")
        with path.open("rb") as stream:
            self._data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        self._records = open_records(path, self._data)
        self.dimensions = self._records.dimensions
        hashes, places = array("q"), array("q")
        for word, place in self._records:
            hashes.append(hash(word))
            places.append(place)
        keys = np.frombuffer(hashes, np.int64) if hashes else np.zeros(0, np.int64)
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._places = np.array(places, np.int64)[order]

    def vectors(self, words: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return which words are known, bool[n], and their vectors, float32[known, dimensions].

        Raises FaultyVectors if a vector does not consist of finite numbers.
        """
        found = [self._find(word) for word in words]
        known = np.array([row is not None for row in found], np.bool_)
        rows = [row for row in found if row is not None]
        return known, np.array(rows, np.float32).reshape(len(rows), self.dimensions)

    def _find(self, word: str) -> NDArray[np.float32] | None:
        for form in dict.fromkeys((word, word.capitalize(), word.upper())):
            row = self._row(form.encode("utf-8", "replace"))
            if row is not None:
                return row
        return None

    def _row(self, word: bytes) -> NDArray[np.float32] | None:
        key, first = hash(word), int(np.searchsorted(self._keys, hash(word)))
        while first < len(self._keys) and self._keys[first] == key:
            place = int(self._places[first])
            after = place + len(word) + 1
            if self._data[place:after] == word + b" ":
                return self._records.numbers(after)
            first += 1
        return None


def open_records(path: Path, data: mmap.mmap) -> Records:
    """Detect the format of a file from its first two lines; raise FaultyVectors."""
    line = data[: line_end(data, 0)]
    fields = line.split()
    if len(fields) == 2 and len(line) <= LONGEST_HEADER and all(map(bytes.isdigit, fields)):
        return _after_header(path, data, (int(fields[0]), int(fields[1])), len(line) + 1)
    d = len(fields) - 1
    if not 1 <= d <= MOST_FILE_DIMENSIONS or len(floats(b" ".join(fields[1:]), d)) != d:
        fault = "the line must be `count dimensions`, or a word and its numbers"
        raise FaultyVectors(path, "line 1", fault)
    return Records(path, data, False, d, 0, None)


def _after_header(path: Path, data: mmap.mmap, sizes: tuple[int, int], begin: int) -> Records:
    count, d = sizes
    fault = f"its header says {count} words of {d} numbers"
    if not (count >= 1 and 1 <= d <= MOST_FILE_DIMENSIONS):
        allowed = f"it must declare at least 1 word of 1 to {MOST_FILE_DIMENSIONS:,} numbers"
        raise FaultyVectors(path, "line 1", f"{fault}; {allowed}")
    line = data[begin : line_end(data, begin)].strip()
    rest = line.partition(b" ")[2]
    head = rest[: 4 * d]
    printable = head.isascii() and head.decode("ascii").replace("\t", " ").isprintable()
    text = len(floats(rest, d)) == d or (bool(head) and printable)
    least = 2 * d + 1 if text else 4 * d + 2
    if count * least > len(data) - begin + 1:
        raise FaultyVectors(path, "line 1", f"{fault}, but the file has only {len(data):,} bytes")
    return Records(path, data, not text, d, begin, count)


def line_end(data: mmap.mmap, at: int) -> int:
    """Return the end of the line that contains byte `at`."""
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def floats(text: bytes, d: int) -> NDArray[np.float32]:
    """Return the d numbers in a text, float32[d]; empty if the text contains anything else."""
    fields = text.split()
    if len(fields) == d:
        with suppress(ValueError), np.errstate(over="ignore"):
            return np.array([float(field) for field in fields]).astype(np.float32)
    return np.zeros(0, np.float32)
