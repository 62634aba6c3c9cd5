"""Tokenisation with a cache: texts are cut into segments that no word piece crosses.

The tokenizer makes pieces by joining neighbours. No rule of WordLlama's tokenizer joins a letter to
an ASCII symbol, a digit or line end to anything, or anything to the space after it. Texts are cut
at these places, so a segment has the same pieces in every text.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from itertools import pairwise
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel
from argsearch.ranking.hashing import look_up, salts, scattered

KNOWN_SEGMENTS = 1 << 18
"""Most segments in the cache, 26 MB. 16,000 cover .96 of a forum's segments, 130,000 .998."""
SEGMENT_ROOM = 1 << 22
"""Maximum number of bytes, and of pieces (at most one per byte), of all cached segments."""


def _joins() -> NDArray[np.bool_]:
    letters, space, beyond = list(string.ascii_letters.encode()), [ord(" ")], list(range(128, 256))
    alone = f"{string.ascii_letters}{string.digits} \n".encode()
    signs = [byte for byte in range(128) if byte not in alone]
    joins = np.zeros((256, 256), np.bool_)
    for before, after in (
        (letters + beyond, letters + beyond),
        (signs + beyond, signs + beyond),
        (space, space + letters + signs + beyond),
    ):
        joins[np.ix_(before, after)] = True
    return joins


JOINS = _joins()
"""True if a piece may extend from one UTF-8 byte to the next, bool[256, 256]."""


class SegmentTable(NamedTuple):
    """Distinct segments in a table for `argsearch.ranking.hashing.look_up`, and their pieces."""

    keys: Any
    """uint64[2 · KNOWN_SEGMENTS]: hash of a segment; 0: free slot."""
    numbers: Any
    """int32[2 · KNOWN_SEGMENTS]: number of the segment whose hash is in that slot."""
    starts: Any
    data: Any
    """uint8[SEGMENT_ROOM]: bytes of the segments, which begin at `starts`, int32[… + 1]."""
    bounds: Any
    pieces: Any
    """int32[SEGMENT_ROOM]: pieces of the segments, which begin at `bounds`, int32[… + 1]."""
    salt: Any

    @classmethod
    def empty(cls) -> SegmentTable:
        """Return an empty table, which uses memory only as it fills."""
        n = KNOWN_SEGMENTS
        starts, bounds = np.zeros((2, n + 1), np.int32)
        data, pieces = np.empty(SEGMENT_ROOM, np.uint8), np.empty(SEGMENT_ROOM, np.int32)
        keys, numbers = np.zeros(2 * n, np.uint64), np.empty(2 * n, np.int32)
        return cls(keys, numbers, starts, data, bounds, pieces, salts())


@inlined
def _key(data, begin, end, salt):  # type: ignore[no-untyped-def]
    """Return a nonzero hash of a segment, computed eight bytes at a time."""
    key, group = np.uint64(end - begin), np.uint64(0)
    for at in range(begin, end):
        group = group << np.uint64(8) | np.uint64(data[at])
        if (at - begin) & 7 == 7:
            key, group = scattered(key ^ group, salt), np.uint64(0)
    return scattered(key ^ group, salt) | np.uint64(1)


@inlined
def _is_at(data, begin, end, known, starts, number):  # type: ignore[no-untyped-def]
    """Return whether a segment equals a known one, byte by byte."""
    at, start = begin, starts[number]
    if starts[number + 1] - start == end - begin:
        while at < end and data[at] == known[start + at - begin]:
            at += 1
    return at == end


@kernel
def numbered(data, bounds, whole, table, count):  # type: ignore[no-untyped-def]
    """Return the texts' segment numbers, int32[m], where each text begins, and the table's size.

    The texts in `data`, uint8, begin at `bounds`, int64[n + 1]. `whole`, bool[n], is true for texts
    that are one segment. The table has `count` segments, and the function stops before it is full.
    The second value is int64[t + 1] for the t texts whose segments all have a number.
    """
    keys, number_of, starts, known, _, _, salt = table
    joins, most = JOINS, len(keys) // 2
    numbers, firsts = np.empty(bounds[-1] - bounds[0], np.int32), np.zeros(len(bounds), np.int64)
    found = 0
    for text in range(len(bounds) - 1):
        begin, last = bounds[text], bounds[text + 1]
        if count + last - begin > most or starts[count] + last - begin > len(known):
            return numbers[:found], firsts[: text + 1], count
        for end in range(begin + 1, last + 1):
            if end < last and (whole[text] or joins[data[end - 1], data[end]]):
                continue
            key = _key(data, begin, end, salt)
            slot = look_up(key, key >> np.uint64(32), keys)
            while keys[slot] and not _is_at(data, begin, end, known, starts, number_of[slot]):
                key = scattered(key, salt) | np.uint64(1)  # another segment has this hash
                slot = look_up(key, key >> np.uint64(32), keys)
            if keys[slot] == 0:
                keys[slot], number_of[slot], start = key, count, starts[count]
                known[start : start + end - begin] = data[begin:end]
                starts[count + 1] = start + end - begin
                count += 1
            numbers[found] = number_of[slot]
            found += 1
            begin = end
        firsts[text + 1] = found
    return numbers[:found], firsts, count


@kernel
def laid_out(numbers, firsts, table):  # type: ignore[no-untyped-def]
    """Return the pieces of n texts, int32, and how many pieces each text has, int64[n].

    numbers: the segments of all texts; firsts: int64[n + 1], where each text's segments begin.
    """
    bounds, pieces = table.bounds, table.pieces
    sizes, size = np.zeros(len(firsts) - 1, np.int64), 0
    for text in range(len(sizes)):
        for segment in range(firsts[text], firsts[text + 1]):
            number = numbers[segment]
            sizes[text] += bounds[number + 1] - bounds[number]
        size += sizes[text]
    out, at = np.empty(size, np.int32), 0
    for number in numbers:
        for piece in range(bounds[number], bounds[number + 1]):
            out[at] = pieces[piece]
            at += 1
    return out, sizes


_EXPONENT = np.int32(112 << 23)
"""Difference between the exponents of float32 and float16, shifted to the exponent's bits."""
_LEAST_NORMAL = np.int32(113 << 23)
"""Bits of 2⁻¹⁴ as a float32, which is the smallest normal number in float16."""


@kernel
def sums(table, pieces, bounds):  # type: ignore[no-untyped-def]
    """Return the sum of each text's vectors, float32[n, d]: the exact sum, rounded once.

    table: uint16[pieces, d], the bits of float16 numbers; pieces[bounds[i]:bounds[i + 1]] belong to
    text i. Each is a multiple of 2⁻²⁴. A float64 can add up to 2²⁵ of these numbers exactly if all
    are below 16, so a repeated piece is read once and multiplied. Libraries can make processors
    treat float32 subnormals as 0, so float16 subnormals get 2⁻¹⁴ added, which is then subtracted.
    """
    out = np.empty((len(bounds) - 1, table.shape[1]), np.float32)
    total, times = np.empty(table.shape[1]), np.zeros(len(table), np.int32)
    for text in range(len(bounds) - 1):
        total[:] = 0.0
        for at in range(bounds[text], bounds[text + 1]):
            times[pieces[at]] += 1
        for piece in pieces[bounds[text] : bounds[text + 1]]:
            row, factor, times[piece] = table[piece], np.float64(times[piece]), 0
            for i in range(len(row) if factor else 0):
                # The masks keep a float16's bits in a float32's places, its exponent, and its sign.
                bits = np.int32(np.int16(row[i]) << np.int32(13)) & np.int32(-0x70002000)
                subnormal = np.int32(0) if bits & np.int32(0x0F800000) else np.int32(-1)
                more = np.int32(subnormal & (bits & np.int32(-0x80000000) | _LEAST_NORMAL))
                bits = np.int32(bits + _EXPONENT - np.int32(subnormal << np.int32(23)))
                total[i] += factor * np.float64(bits.view(np.float32) - more.view(np.float32))
        out[text] = total
    return out


class KnownPieces:
    """Splits texts into pieces and caches the pieces of each segment; thread-safe."""

    def __init__(self, cut: Callable[[str], Sequence[int]]) -> None:
        """Start with an empty cache; `cut` returns the pieces of a segment."""
        self._cut, self._lock = cut, Lock()
        self._forget()

    def _forget(self) -> None:
        self._table, self._count = SegmentTable.empty(), 0

    def of(
        self, texts: Sequence[bytes], whole: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the pieces of all texts, concatenated, and the start of each text, int64[n + 1].

        whole: bool[n], true for texts that are one segment. Raises ValueError if a text is too long
        for the table.
        """
        if max(map(len, texts), default=0) > KNOWN_SEGMENTS:
            raise ValueError(f"a text must have at most {KNOWN_SEGMENTS:,} bytes, but one has more")
        data, bounds = np.frombuffer(b"".join(texts), np.uint8), np.cumsum([0, *map(len, texts)])
        found, sizes, at = [np.zeros(0, np.int32)], [np.zeros(1, np.int64)], 0
        with self._lock:
            try:
                while at < len(texts):
                    some = data, bounds[at:], whole[at:]
                    numbers, firsts, count = numbered(*some, self._table, self._count)
                    self._learn(count)
                    pieces, each = laid_out(numbers, firsts, self._table)
                    found.append(pieces)
                    sizes.append(each)
                    at += len(each)
                    # The table is full: continue with an empty one.
                    if at < len(texts):
                        self._forget()
            # The table now has segments without pieces.
            except BaseException:
                self._forget()
                raise
        return np.concatenate(found), np.cumsum(np.concatenate(sizes))

    def _learn(self, count: int) -> None:
        """Tokenise the new segments and store their pieces."""
        table, known = self._table, self._count
        at, starts = int(table.bounds[known]), table.starts[known : count + 1].tolist()
        first, data = starts[0], table.data[starts[0] : starts[-1]].tobytes()
        for number, (begin, end) in enumerate(pairwise(starts), known + 1):
            ids = self._cut(data[begin - first : end - first].decode())
            table.pieces[at : at + len(ids)] = ids
            at += len(ids)
            table.bounds[number] = at
        self._count = count
