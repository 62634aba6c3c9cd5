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
