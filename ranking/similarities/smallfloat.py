"""Document lengths in one byte, as Lucene's SmallFloat keeps them: exact to 40, then rounded down.

A length below 24 is its own byte; above, the byte holds a 4-bit mantissa (first bit implied) and
an exponent of `length - 24`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

MAX_LENGTH = 2**31 - 1
"""The longest document length that has a byte (Java's Integer.MAX_VALUE)."""

_FREE_VALUES = 24  # bytes that stand for themselves: 255 - the 4-bit float of MAX_LENGTH


def _to_float4(value: int) -> int:
    shift = value.bit_length() - 4
    if shift < 0:
        return value  # subnormal: fewer than four bits
    return ((value >> shift) & 0x07) | ((shift + 1) << 3)


def _from_float4(code: int) -> int:
    mantissa, shift = code & 0x07, (code >> 3) - 1
    return mantissa if shift < 0 else (mantissa | 0x08) << shift


def int_to_byte4(length: int) -> int:
    """The byte (0…255) of a document length (tokens, 0…`MAX_LENGTH`), rounding down.

    Raises ValueError outside that range.
    """
    if not 0 <= length <= MAX_LENGTH:
        raise ValueError(f"document length is {length}; allowed: 0 to {MAX_LENGTH}")
    if length < _FREE_VALUES:
        return length
    return _FREE_VALUES + _to_float4(length - _FREE_VALUES)


def byte4_to_int(byte: int) -> int:
    """The document length (tokens) that a byte (0…255) stands for: the smallest that has it.

    Raises ValueError outside that range.
    """
    if not 0 <= byte <= 255:
        raise ValueError(f"length byte is {byte}; allowed: 0 to 255")
    if byte < _FREE_VALUES:
        return byte
    return _FREE_VALUES + _from_float4(byte - _FREE_VALUES)


def _length_table() -> NDArray[np.int32]:
    table = np.array([byte4_to_int(byte) for byte in range(256)], dtype=np.int32)
    table.flags.writeable = False
    return table


LENGTH_TABLE = _length_table()
"""int32[256], read-only and strictly increasing: the length (tokens) of every byte."""


def encode_lengths(lengths: ArrayLike) -> NDArray[np.uint8]:
    """The bytes, uint8[n], of document lengths, int[n]; `LENGTH_TABLE[bytes]` are the lengths kept.

    Raises ValueError when a length is negative or above `MAX_LENGTH`.
    """
    values = np.asarray(lengths)
    if values.size and (values.min() < 0 or values.max() > MAX_LENGTH):
        worst = values.min() if values.min() < 0 else values.max()
        raise ValueError(f"document length is {worst}; allowed: 0 to {MAX_LENGTH}")
    return (np.searchsorted(LENGTH_TABLE, values, side="right") - 1).astype(np.uint8)
