"""Which shingles lead from a document to all of which it may be a near-duplicate.

Whoever holds `need` of a document's shingles holds at least one of any other choice of them that
leaves out fewer than `need` (the prefix filter of Chaudhuri et al. 2006). Most runs of five words
occur once in a corpus and lead nowhere; of the rest the rarest are chosen. What is dropped could
decide nothing, so nothing is approximate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel
from argsearch.ranking.hashing import salts, scattered

MANY = 15
"""Documents that hold a shingle are counted up to here."""


class Leads(NamedTuple):
    """The chosen shingles, numbered, and who holds them."""

    allowed: NDArray[np.int32]
    """int32[n]: who holds enough of a document misses at most so many of its numbers; -1: nobody
    holds enough."""

    starts: NDArray[np.int64]
    """int64[n + 1]: document i holds numbers[starts[i]:starts[i + 1]]."""
    numbers: NDArray[np.int32]
    """int32[held]: more than `allowed` of each document's own, distinct in a document."""
    documents: NDArray[np.int32]
    """int32[numbers], in how many documents each occurs."""


@kernel
def sums(shingles, starts):  # type: ignore[no-untyped-def]
    """uint64[n], the sum of each document's shingles modulo 2^64: equal sets have equal sums."""
    out = np.zeros(starts.size - 1, np.uint64)
    for d in range(out.size):
        for h in shingles[starts[d] : starts[d + 1]]:
            out[d] += h
    return out


@kernel
def first_equal(shingles, starts, order, sizes, sums):  # type: ignore[no-untyped-def]
    """int32[n], the first document with the same shingles as each (itself, when it is the first).

    order: documents by (sizes, sums, row).
    """
    first = np.empty(order.size, np.int32)
    head = 0
    for place in range(order.size):
        d, e = order[place], order[head]
        if sizes[d] != sizes[e] or sums[d] != sums[e]:
            head = place
            e = d
        first[d] = e
        for j in range(sizes[d]):
            if shingles[starts[d] + j] != shingles[starts[e] + j]:
                first[d] = d
                break
    return first


@inlined
def _count(counts, h, bits):  # type: ignore[no-untyped-def]
    """How often (up to MANY) the slot of `h` was counted: never less often than `h` was."""
    slot = h >> np.uint64(64 - bits)
    return counts[slot >> np.uint64(1)] >> np.uint8((slot & np.uint64(1)) << np.uint64(2)) & MANY


@kernel
def count_documents(shingles, starts, first, bits):  # type: ignore[no-untyped-def]
    """uint8[2^bits / 2], 2^bits slots of 4 bits: how many distinct documents hold a shingle."""
    counts = np.zeros(1 << (bits - 1), np.uint8)
    for d in range(starts.size - 1):
        if first[d] == d:
            for h in shingles[starts[d] : starts[d + 1]]:
                if _count(counts, h, bits) < MANY:
                    slot = h >> np.uint64(64 - bits)
                    one = np.uint8(1) << np.uint8((slot & np.uint64(1)) << np.uint64(2))
                    counts[slot >> np.uint64(1)] += one
    return counts


@kernel
def _rarest(own, seen, many, out):  # type: ignore[no-untyped-def]
    """Copy to `out` the `many` shingles that are counted least, but more than once."""
    left = many
    for count in range(2, MANY + 1):
        for j in range(own.size):
            if left and seen[j] == count:
                left -= 1
                out[left] = own[j]


@kernel
def choose(sketches, first, need, counts, bits):  # type: ignore[no-untyped-def]
    """Each distinct document's choice of shingles (repeated among documents), and `allowed`.

    sketches: (shingles, starts); need: int32[n]. uint64[chosen], int32[n].
    """
    shingles, starts = sketches
    allowed = np.full(need.size, -1, np.int32)
    seen = np.empty(1 << 10, np.uint8)
    out = np.empty(1 << 16, np.uint64)
    end = 0
    for d in range(need.size):
        own = shingles[starts[d] : starts[d + 1]]
        if first[d] != d:
            continue
        if seen.size < own.size:
            seen = np.empty(2 * own.size, np.uint8)
        shared = 0
        for j in range(own.size):
            seen[j] = _count(counts, own[j], bits)
            shared += seen[j] > 1
        allowed[d] = max(shared - need[d], -1)
        if out.size < end + own.size:
            out = np.concatenate((out, np.empty(out.size + own.size, np.uint64)))
        _rarest(own, seen, allowed[d] + 1, out[end:])
        end += allowed[d] + 1
    return out[:end].copy(), allowed


@kernel
def table(values, bits, salt):  # type: ignore[no-untyped-def]
    """An open-addressing table of distinct values, and 8 bits a slot that tell most others apart.

    salt: `argsearch.ranking.hashing`, for shingles may have been chosen to lie together.
    int32[2^bits] number + 1 of each value (0: free); uint8[2^bits], bit (h mod 8) of the slot
    where the search for h begins.
    """
    slots, marks = np.zeros(1 << bits, np.int32), np.zeros(1 << bits, np.uint8)
    mask = slots.size - 1
    for number in range(values.size):
        h = values[number]
        at = np.int64(scattered(h, salt) >> np.uint64(64 - bits))
        marks[at] |= np.uint8(1) << np.uint8(h & np.uint64(7))
        while slots[at]:
            at = (at + 1) & mask
        slots[at] = number + 1
    return slots, marks


@kernel
def _number(h, known, bits):  # type: ignore[no-untyped-def]
    """The number of a value, -1 for one that is not in the table."""
    values, slots, marks, salt = known
    at = np.int64(scattered(h, salt) >> np.uint64(64 - bits))
    if not marks[at] >> np.uint8(h & np.uint64(7)) & 1:
        return -1
    while slots[at] and values[slots[at] - 1] != h:
        at = (at + 1) & (slots.size - 1)
    return slots[at] - 1


@kernel
def occurrences(shingles, starts, first, known, bits):  # type: ignore[no-untyped-def]
    """Every known shingle of each distinct document: the arrays of `Leads` after `allowed`.

    known: (distinct values, their `table` of 2^bits, its salt).
    """
    values = known[0]
    ends = np.zeros(starts.size, np.int64)
    numbers = np.empty(1 << 16, np.int32)
    documents = np.zeros(values.size, np.int32)
    end = 0
    for d in range(starts.size - 1):
        if first[d] == d:
            if numbers.size < end + starts[d + 1] - starts[d]:
                more = numbers.size // 2 + starts[d + 1] - starts[d]
                numbers = np.concatenate((numbers, np.empty(more, np.int32)))
            for h in shingles[starts[d] : starts[d + 1]]:
                number = _number(h, known, bits)
                if number >= 0:
                    numbers[end] = number
                    documents[number] += 1
                    end += 1
        ends[d + 1] = end
    return ends, numbers[:end].copy(), documents


def leads(
    shingles: NDArray[np.uint64],
    starts: NDArray[np.int64],
    first: NDArray[np.int32],
    need: NDArray[np.int32],
) -> Leads:
    """What leads to every distinct document that may hold `need` shingles of another.

    first: int32[n], its own row for a distinct document; need: int32[n], from 1 to the document's
    shingles. Memory: 4 bytes a shingle of the corpus or less, and 30 a chosen one.
    """
    bits = max(9, (8 * len(shingles)).bit_length() - 1)
    counts = count_documents(shingles, starts, first, bits)
    chosen, allowed = choose((shingles, starts), first, need, counts, bits)
    del counts
    values = _distinct(chosen)
    bits = max(4, (2 * len(values)).bit_length())
    known = (values, *table(values, bits, salts()), salts())
    found = occurrences(shingles, starts, first, known, bits)
    return Leads(allowed, *found)


def _distinct(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`np.unique`, which takes ten times as long for millions of numbers (numpy 2.4)."""
    values.sort()
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return values[new]
