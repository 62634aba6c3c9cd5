"""Hashes and the tables that hold them; random numbers by which a table is laid out.

Texts from outside cannot be made to collide in a table that is laid out by `salts`. They decide
where it holds something, never what is found there or in which order.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel

Hashes = NDArray[np.uint64]

# Constants of FNV-1a, 64 bits: from the first on, each code is XORed, then times the second.
FNV_OFFSET = np.uint64(14695981039346656037)
FNV_PRIME = np.uint64(1099511628211)


@cache
def salts() -> Hashes:
    """uint64[3] of this process (and those forked from it): a mask and two odd factors."""
    return np.array([secrets.randbits(64), *(secrets.randbits(64) | 1 for _ in range(2))], "u8")


@inlined
def scattered(key: Any, salt: Any) -> Any:
    """A bijection of 64-bit numbers, drawn by the salt; its upper half is for use."""
    mixed = (key ^ salt[0]) * salt[1]
    return (mixed ^ (mixed >> np.uint64(32))) * salt[2]


def fnv(codes: Iterable[int]) -> int:
    """Return the FNV-1a hash of bytes, or of a text's code points."""
    value = int(FNV_OFFSET)
    for code in codes:
        value = (value ^ code) * int(FNV_PRIME) & (1 << 64) - 1
    return value


@kernel
def look_up(key: np.uint64, first: np.uint64, keys: Hashes) -> Any:
    """The slot of a key, or the free one where it belongs; first: where the search begins."""
    size = np.uint64(keys.size - 1)
    slot = first & size
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & size
    return np.int64(slot)


def table_of_sets(sets: Iterable[Iterable[int]], slots: int) -> tuple[Hashes, Hashes]:
    """Return a table for `look_up`: hashes (0: free), and a bit for each set that has one.

    slots: a power of two, more than all hashes, none of which is 0.
    """
    keys, bits = np.zeros(slots, np.uint64), np.zeros(slots, np.uint64)
    for number, members in enumerate(sets):
        for key in members:
            slot = key % slots
            while keys[slot] not in (0, key):
                slot = (slot + 1) % slots
            keys[slot] = key
            bits[slot] |= np.uint64(1 << number)
    return keys, bits
