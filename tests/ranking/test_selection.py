"""The k largest of an array: finite values alone, ties by the earlier one."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.retrieval.selection import largest

VALUES = st.lists(st.sampled_from([-math.inf, -2.0, -0.0, 1.0, 3.5, math.inf, math.nan]))


@given(values=VALUES, k=st.integers(0, 12))
def test_the_largest_are_those_that_sorting_gives(values: list[float], k: int) -> None:
    finite = [place for place, value in enumerate(values) if math.isfinite(value)]
    wanted = sorted(finite, key=lambda place: (-values[place], place))[:k]
    assert largest(np.array(values), k).tolist() == wanted
