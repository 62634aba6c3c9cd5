"""Sums by group: the kernel adds in the order of the plain expression, to the last bit."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ranking.summing import sums, sums_plain


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=20),
    st.integers(0, 2**32 - 1),
    st.integers(2, 300),
)
def test_the_kernel_is_the_plain_expression(sizes: list[int], seed: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(17, d)).astype(np.float32)
    starts = np.cumsum([0, *sizes]).astype(np.int64)
    ids = rng.integers(0, 17, int(starts[-1])).astype(np.int32)
    wanted = sums_plain(table, ids, starts)
    assert sums(table, ids, starts).tobytes() == wanted.tobytes()
    first = sum((table[i].astype(np.float64) for i in ids[: sizes[0]]), np.zeros(d))
    np.testing.assert_allclose(wanted[0], first, rtol=1e-4, atol=1e-4)
