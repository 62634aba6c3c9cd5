"""Hashes, open-addressing tables, and the random salts that lay out a table.

Nobody can write texts that collide in a table laid out by `salts`. Salts only determine the slots;
they never change a result or its order.
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

# FNV-1a with 64 bits: starting from the first, XOR each code and multiply by the second.
FNV_OFFSET = np.uint64(14695981039346656037)
FNV_PRIME = np.uint64(1099511628211)


@cache
def salts() -> Hashes:
    """Return the random salts of this process and its forks, uint64[3]: mask, two odd factors."""
    return np.array([secrets.randbits(64), *(secrets.randbits(64) | 1 for _ in range(2))], "u8")


@inlined
def scattered(key: Any, salt: Any) -> Any:
    """Scramble a 64-bit number with a salted bijection. Only the result's upper half is used."""
    mixed = (key ^ salt[0]) * salt[1]
    return (mixed ^ (mixed >> np.uint64(32))) * salt[2]


def fnv(codes: Iterable[int]) -> int:
    """Return the FNV-1a hash of bytes or of a text's code points."""
    value = int(FNV_OFFSET)
    for code in codes:
        value = (value ^ code) * int(FNV_PRIME) & (1 << 64) - 1
    return value


@kernel
def look_up(key: np.uint64, first: np.uint64, keys: Hashes) -> Any:
    """Return the slot of a key, or the free slot for it. first: where the search begins."""
    size = np.uint64(keys.size - 1)
    slot = first & size
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & size
    return np.int64(slot)


@inlined
def slot_of(key: Any, keys: Any) -> Any:
    """Return the slot of a key of any kind. The factor, 2⁶⁴ / φ, spreads similar keys."""
    return look_up(key, key * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32), keys)


@kernel
def table_of_numbers(keys: Hashes) -> Any:
    """Return a table for `slot_of`: distinct keys (0 if free), and the number of each, int64."""
    size = 2 << int(np.log2(2 * keys.size + 1))
    slots, numbers = np.zeros(size, np.uint64), np.zeros(size, np.int64)
    for number in range(keys.size):
        slot = slot_of(keys[number], slots)
        slots[slot], numbers[slot] = keys[number], number
    return slots, numbers


def table_of_sets(sets: Iterable[Iterable[int]], slots: int) -> tuple[Hashes, Hashes]:
    """Return a table for `look_up`: hashes (0 if free), with bit i set for members of the i-th set.

    slots: a power of two, greater than the number of hashes. No hash may be 0.
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
