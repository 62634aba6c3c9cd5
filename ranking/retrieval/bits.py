"""Bitsets of documents: bit d % 64 of word d / 64 is document d, uint64[⌈n/64⌉]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel

Bits = NDArray[np.uint64]


def no_documents(n: int) -> Bits:
    """Return an empty set for n documents."""
    return np.zeros((n + 63) // 64, np.uint64)


def packed(flags: NDArray[np.bool_]) -> Bits:
    """Return the set of documents d with flags[d], bool[n]."""
    bits = no_documents(len(flags))
    bytes_ = np.packbits(flags, bitorder="little")
    bits.view(np.uint8)[: len(bytes_)] = bytes_
    return bits


def members(bits: Bits) -> NDArray[np.int32]:
    """Return the documents of a set, ascending."""
    return np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little")).astype(np.int32)


def size(bits: Bits) -> int:
    """Return the number of documents in a set."""
    return int(np.bitwise_count(bits).sum())


@kernel
def add_documents(docs, n, bits):  # type: ignore[no-untyped-def]
    """Set the bits of `docs`; ignore numbers that are not below n (a damaged file)."""
    for j in range(docs.size):
        d = np.uint32(docs[j])
        if d < np.uint32(n):  # must not write outside the array
            bits[d >> np.uint32(6)] |= np.uint64(1) << np.uint64(d & np.uint32(63))


@inlined
def has(word, d):  # type: ignore[no-untyped-def]
    """Return whether a set contains document d, given word d / 64 of the set."""
    return (word >> np.uint64(d & 63)) & np.uint64(1) != np.uint64(0)


@kernel
def count_groups(bits, groups):  # type: ignore[no-untyped-def]
    """Return the number of groups below n that have a document in a set.

    groups: the group of each of n documents.
    """
    seen, found = np.zeros(len(groups), np.bool_), 0
    for d in range(len(groups)):
        group = np.uint32(groups[d])
        if has(bits[d >> 6], d) and group < np.uint32(len(groups)):  # must not write outside
            found += not seen[group]
            seen[group] = True
    return found
