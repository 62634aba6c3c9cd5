"""Lucene's one-byte document lengths."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE, MAX_LENGTH, encode_lengths


def byte4_to_int(byte: int) -> int:
    """Lucene's SmallFloat.byte4ToInt."""
    mantissa, shift = (byte - 24) & 7, ((byte - 24) >> 3) - 1
    return byte if byte < 24 or shift < 0 else 24 + ((mantissa | 8) << shift)


TABLE = [byte4_to_int(byte) for byte in range(256)]
# From the definition by hand: 24 + mantissa·2^shift, 40 being the last length that is exact.
KEPT = {0: 0, 1: 1, 23: 23, 24: 24, 39: 39, 40: 40, 41: 40, 42: 42, 300: 280, 500: 472, 472: 472}
KEPT[MAX_LENGTH] = 2_013_265_944


@pytest.mark.parametrize(("length", "kept"), KEPT.items())
def test_known_lengths(length: int, kept: int) -> None:
    assert LENGTH_TABLE[encode_lengths(np.array([length]))].tolist() == [kept]


def test_table_increases_strictly_and_is_read_only() -> None:
    assert LENGTH_TABLE.dtype == np.int32
    assert LENGTH_TABLE.tolist() == TABLE
    assert np.all(np.diff(LENGTH_TABLE.astype(np.int64)) > 0)
    assert not LENGTH_TABLE.flags.writeable


@given(st.lists(st.one_of(st.integers(0, 70_000), st.integers(0, MAX_LENGTH))))
def test_a_length_has_the_byte_of_the_largest_that_is_not_above_it(lengths: list[int]) -> None:
    encoded = encode_lengths(np.array(lengths, dtype=np.int32))
    assert encoded.dtype == np.uint8
    assert encoded.tolist() == [bisect_right(TABLE, length) - 1 for length in lengths]


@pytest.mark.parametrize("length", [-1, MAX_LENGTH + 1])
def test_length_outside_range(length: int) -> None:
    with pytest.raises(ValueError, match=f"document length must be .*, not {length}"):
        encode_lengths(np.array([3, length], dtype=np.int64))
