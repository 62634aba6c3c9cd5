"""Words by numbers, as they come: texts are divided into words and looked up in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel
from argsearch.ranking.hashing import salts, scattered

Ints = NDArray[np.int64]

CACHED_LETTERS = 1 << 20
"""Letters of all words that are known at a time; a word has some 8."""
NEW_SIGN, LETTER_SIGN, OTHER_SIGN = range(3)
"""What a sign is: not looked at yet, part of a word (a letter or digit of any script), or not."""
WORD_SIGNS = np.zeros(0x110000, np.uint8)
"""What each sign is, by its code point; of most nothing is asked ever, nor kept in memory."""


class Extract(NamedTuple):
    """A part of a text, and which of its words are read: all where `first` is as many."""

    text: str
    first: int
    """So many from its beginning."""
    last: int
    """So many of the others, from its end."""


class Letters(NamedTuple):
    """A table of words by their code points, as the kernel has it."""

    slots: NDArray[np.int32]
    """Open addressing: a word's number + 1, 0 for a free slot."""
    keys: NDArray[np.uint64]
    starts: NDArray[np.int32]
    """Where each word's letters begin in `codes`."""
    codes: NDArray[np.uint32]
    salt: Any


class Vocabulary:
    """Up to so many words, numbered from 0 as they come; not safe for several threads."""

    def __init__(self, most: int) -> None:
        slots = np.zeros(2 << (most - 1).bit_length(), np.int32)
        keys, starts = np.zeros(most, np.uint64), np.zeros(most + 1, np.int32)
        self._table = Letters(slots, keys, starts, np.zeros(CACHED_LETTERS, np.uint32), salts())
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def words(self, first: int, end: int) -> list[str]:
        """The words of these numbers."""
        starts = self._table.starts[first : end + 1]
        text = self._table.codes[starts[0] : starts[-1]].tobytes().decode("utf-32-le")
        return [text[a:b] for a, b in pairwise((starts - starts[0]).tolist())]

    def word(self, number: int) -> str:
        """The word of a number."""
        return self.words(number, number + 1)[0]

    def of(self, texts: Sequence[Sequence[Extract]]) -> tuple[Ints, Ints] | None:
        """The numbers of texts' words, one text after the other, and where each text's begin.

        New words are numbered. None where there is no room for all.
        """
        extracts = [one for text in texts for one in text]
        ends = np.cumsum([0, *(len(one.text) for one in extracts)])
        counts = np.array([one[1:] for one in extracts], np.int64).reshape(-1, 2)
        data = "".join(one.text for one in extracts).encode("utf-32-le", "surrogatepass")
        codes = np.frombuffer(data, np.uint32)
        while True:
            numbers, begins, self._size, unknown = numbered(
                codes, ends, counts, WORD_SIGNS, self._table, self._size
            )
            if not unknown:
                break
            for code in np.unique(codes[WORD_SIGNS[codes] == NEW_SIGN]).tolist():
                WORD_SIGNS[code] = LETTER_SIGN if chr(code).isalnum() else OTHER_SIGN
        if len(begins) <= len(extracts):
            return None
        return numbers, begins[np.cumsum([0, *map(len, texts)])]


@inlined
def _key(codes, begin, end, salt):  # type: ignore[no-untyped-def]
    """A hash of a word's code points, two at a time."""
    key = np.uint64(end - begin)
    for at in range(begin, end - 1, 2):
        key = scattered(key ^ np.uint64(codes[at]) << np.uint64(32) ^ codes[at + 1], salt)
    if (end - begin) & 1:
        key = scattered(key ^ codes[end - 1], salt)
    return key


@kernel
def _number(codes, begin, end, table, size):  # type: ignore[no-untyped-def]
    """The number of a word that may be new: then it is `size`; −1 where there is no room for it."""
    slots, keys, starts, known, salt = table
    mask = np.uint64(len(slots) - 1)
    key = _key(codes, begin, end, salt)
    slot = (key >> np.uint64(32)) & mask
    while slots[slot] != 0:
        number = np.int64(slots[slot] - 1)
        if keys[number] == key and starts[number + 1] - starts[number] == end - begin:
            at, start = begin, starts[number] - begin
            while at < end and known[start + at] == codes[at]:
                at += 1
            if at == end:
                return number
        slot = (slot + np.uint64(1)) & mask
    start = np.int64(starts[size])
    if size == len(keys) or start + end - begin > len(known):
        return np.int64(-1)
    for at in range(begin, end):
        known[start + at - begin] = codes[at]
    keys[size], starts[size + 1] = key, start + end - begin
    slots[slot] = size + 1
    return np.int64(size)


@kernel
def numbered(codes, ends, counts, kinds, table, size):  # type: ignore[no-untyped-def]
    """The numbers of the words of n extracts, int64; where each one's begin, int64[n + 1].

    codes: code points of all, uint32; ends: int64[n + 1], where each begins and the last ends;
    counts: int64[n, 2], the words that are read from its beginning and from its end; kinds: of
    signs (`WORD_SIGNS`); size: words in the table. With less room than is needed fewer begins come.
    The third value is the new size; the fourth says that a sign of a new kind stopped the reading.
    """
    n = len(counts)
    numbers = np.empty(min(counts.sum(), len(codes)), np.int64)
    begins = np.zeros(n + 1, np.int64)
    spans, total = np.empty((len(codes) // 2 + 1, 2), np.int64), 0
    for one in range(n):
        first, last = counts[one, 0], counts[one, 1]
        found, begin = 0, -1
        for at in range(ends[one], ends[one + 1] + 1):
            kind = kinds[codes[at]] if at < ends[one + 1] else OTHER_SIGN
            if kind == NEW_SIGN:
                return numbers[:0], begins[:1], size, True
            if kind == LETTER_SIGN:
                begin = at if begin < 0 else begin
            elif begin >= 0:
                spans[found, 0], spans[found, 1], begin = begin, at, -1
                found += 1
                if found == first and last == 0:
                    break
        for word in range(found):
            if word < first or word >= found - last:
                number = _number(codes, spans[word, 0], spans[word, 1], table, size)
                if number < 0:
                    return numbers[:0], begins[:1], size, False
                size += number == size
                numbers[total] = number
                total += 1
        begins[one + 1] = total
    return numbers[:total], begins, size, False
