"""Joins: one rank from two scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.pairs import FORMULAS, aggregate

score = st.floats(0, 1, allow_subnormal=False)
sides = st.lists(
    st.tuples(score, st.lists(score, max_size=4).map(lambda x: sorted(x, reverse=True))), max_size=5
).map(lambda x: sorted(x, key=lambda pair: -pair[0]))


@given(sides, st.sampled_from(list(FORMULAS)))
def test_every_pair_once_and_best_first(lists, how):
    premises = np.array([s for _, p in lists for s in p])
    joined = aggregate(how, np.array([s for s, _ in lists]), premises, [len(p) for _, p in lists])
    pairs = list(zip(joined.i.tolist(), joined.j.tolist(), strict=True))
    everything = [(i, j) for i, (_, p) in enumerate(lists) for j in range(len(p))]
    assert sorted(pairs) == everything
    assert (np.diff(joined.scores) <= 0).all()
    if how == "nested":
        assert pairs == everything
    if how == "rounds":
        assert pairs == sorted(everything, key=lambda pair: (pair[1], pair[0]))


def test_by_hand():
    of_c, of_p, sizes = np.array([0.8, 0.5]), np.array([0.5, 0.1, 0.9]), [2, 1]
    product = aggregate("product", of_c, of_p, sizes)
    assert product.scores == pytest.approx([0.45, 0.4, 0.08])
    assert product.i.tolist() == [1, 0, 0]
    assert aggregate("nested", of_c, of_p, sizes).scores == pytest.approx(
        [2 + 2 / 3, 2 + 1 / 3, 1 + 2 / 3]
    )
    assert aggregate("rounds", of_c, of_p, sizes).scores == pytest.approx(
        [2 + 2 / 3, 2 + 1 / 3, 1 + 2 / 3]
    )
    assert aggregate("rounds", of_c, of_p, sizes).i.tolist() == [0, 1, 0]
