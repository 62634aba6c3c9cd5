"""Hashes of words, and random numbers of a process that hash tables are laid out by.

With the latter texts cannot be made to collide: they decide where a table holds something, never
what is found there or in which order.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined

FNV_OFFSET, FNV_PRIME = 14695981039346656037, 1099511628211


def fnv(signs: Iterable[int]) -> int:
    """Return FNV-1a of bytes or code points, 64 bits."""
    value = FNV_OFFSET
    for sign in signs:
        value = ((value ^ sign) * FNV_PRIME) & 0xFFFFFFFFFFFFFFFF
    return value


@cache
def salts() -> NDArray[np.uint64]:
    """uint64[3] of this process (and those forked from it): a mask and two odd factors."""
    return np.array([secrets.randbits(64), *(secrets.randbits(64) | 1 for _ in range(2))], "u8")


@inlined
def scattered(key: Any, salt: Any) -> Any:
    """A bijection of 64-bit numbers, drawn by the salt; its upper half is for use."""
    mixed = (key ^ salt[0]) * salt[1]
    return (mixed ^ (mixed >> np.uint64(32))) * salt[2]
