"""Document lengths in one byte, like Lucene's SmallFloat: exact up to 40, then rounded down.

A length below 24 is stored unchanged. Above it, the byte stores `length - 24` as an exponent and a
4-bit mantissa with an implicit first bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

MAX_LENGTH = 2**31 - 1
"""The largest document length that can be encoded (Java's Integer.MAX_VALUE)."""

_FREE_VALUES = 24  # lengths stored as is: 255 - the 4-bit float of MAX_LENGTH
_FLOATS = np.arange(256 - _FREE_VALUES)
"""Codes: the low 3 bits hold the mantissa, the rest the shift plus 1; codes below 8 are literal."""
_KEPT = np.where(_FLOATS < 8, _FLOATS, (_FLOATS & 7 | 8) << np.maximum(_FLOATS >> 3, 1) - 1)

LENGTH_TABLE = np.append(np.arange(_FREE_VALUES), _FREE_VALUES + _KEPT).astype(np.int32)
"""int32[256], read-only and strictly increasing: the length in tokens for every byte."""
LENGTH_TABLE.flags.writeable = False


def encode_lengths(lengths: ArrayLike) -> NDArray[np.uint8]:
    """Encode document lengths, int[n], as bytes, uint8[n]. `LENGTH_TABLE[bytes]` decodes them.

    Raises ValueError if a length is negative or above `MAX_LENGTH`.
    """
    values = np.asarray(lengths)
    if values.size and (values.min() < 0 or values.max() > MAX_LENGTH):
        worst = values.min() if values.min() < 0 else values.max()
        raise ValueError(f"document length must be from 0 to {MAX_LENGTH}, not {worst}")
    return (np.searchsorted(LENGTH_TABLE, values, side="right") - 1).astype(np.uint8)
