"""Dense ranks and lists that span a topic's range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from argsearch.ranking.ltr.lists import by_topic, dense_ranks, spanning_lists, topic_lists

scores = st.lists(st.integers(-5, 5).map(float), min_size=0, max_size=60)


@given(scores)
def test_dense_ranks_are_scipys(values: list[float]) -> None:
    assert dense_ranks(values).tolist() == rankdata(values, "dense").tolist()


def test_dense_ranks_need_numbers() -> None:
    with pytest.raises(ValueError, match="scores must be finite numbers, but some are not"):
        dense_ranks([1.0, np.nan])


def test_lists_by_hand() -> None:
    found = spanning_lists([5.0, 1.0, 4.0, 2.0, 3.0], length=2)  # slices: 5 4 3 | 2 1
    assert [some.tolist() for some in found] == [[0, 3], [2, 1], [4]]


@given(scores, st.integers(2, 15))
def test_lists_hold_every_item_once_and_fall(values: list[float], length: int) -> None:
    found = spanning_lists(values, length)
    assert sorted(i for some in found for i in some.tolist()) == list(range(len(values)))
    for some in found[:-1]:
        assert len(some) == length
    for some in found:
        assert (np.diff(np.array(values)[some]) <= 0).all()


def test_a_topic_s_lists_stay_in_it() -> None:
    topics = np.array([7, 3] * 20)
    values = np.arange(40.0)
    for some in topic_lists(values, topics, 4):
        assert len(set(topics[some].tolist())) == 1
    assert by_topic(values, topics, dense_ranks)[:4].tolist() == [1, 1, 2, 2]
