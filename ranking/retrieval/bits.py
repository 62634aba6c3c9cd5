"""Sets of documents as bits: bit d % 64 of word d / 64 is document d, uint64[⌈n/64⌉]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel

Bits = NDArray[np.uint64]


def no_documents(n: int) -> Bits:
    """None of n documents."""
    return np.zeros((n + 63) // 64, np.uint64)


def packed(flags: NDArray[np.bool_]) -> Bits:
    """The documents d with flags[d], bool[n]."""
    bits = no_documents(len(flags))
    bytes_ = np.packbits(flags, bitorder="little")
    bits.view(np.uint8)[: len(bytes_)] = bytes_
    return bits


def members(bits: Bits) -> NDArray[np.int32]:
    """The documents of a set, ascending."""
    return np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little")).astype(np.int32)


def size(bits: Bits) -> int:
    """How many documents are in a set."""
    return int(np.bitwise_count(bits).sum())


@kernel
def add_documents(docs, n, bits):  # type: ignore[no-untyped-def]
    """Set the bits of `docs`; what is not below n (a damaged file) is passed over."""
    for j in range(docs.size):
        d = np.uint32(docs[j])
        if d < np.uint32(n):  # must not write outside the array
            bits[d >> np.uint32(6)] |= np.uint64(1) << np.uint64(d & np.uint32(63))


@inlined
def has(word, d):  # type: ignore[no-untyped-def]
    """Whether document d is in a set, by the word d / 64 of its bits."""
    return (word >> np.uint64(d & 63)) & np.uint64(1) != np.uint64(0)
