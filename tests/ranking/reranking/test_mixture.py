"""The mixture of two lists of scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.explanation import Explanation
from argsearch.ranking.reranking.mixture import explain, mixed, mixture, mixtures
from tests.formulas import assert_follows

SCORES = st.floats(-1e6, 1e6)
PAIRS = st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=12)
SHARES = st.floats(0, 1)


@given(PAIRS, SHARES)
def test_is_the_weighted_mean_of_what_it_says(pairs, mu):
    initial, other = np.array(pairs).T
    mix = mixture(initial, other, mu)
    np.testing.assert_array_equal(mix.scores, mixed(mix.I, mix.R, mu))
    assert np.all((mix.scores >= 0) & (mix.scores <= 1 + 1e-15))


@given(PAIRS)
def test_the_ends_are_the_two_orders(pairs):
    initial, other = np.array(pairs).T
    by_scaled = lambda x: np.argsort(-x, kind="stable").tolist()  # noqa: E731
    first, second = mixture(initial, other, 1.0), mixture(initial, other, 0.0)
    assert first.order().tolist() == by_scaled(first.I)
    assert second.order().tolist() == by_scaled(second.R)


@given(PAIRS, st.floats(0.5, 8), st.floats(-5, 5))
def test_the_units_of_a_list_do_not_matter(pairs, unit, zero):
    initial, other = np.round(np.array(pairs).T, 3)
    mix, same = mixture(initial, other, 0.6), mixture(initial, other * unit + zero, 0.6)
    np.testing.assert_allclose(mix.scores, same.scores, atol=1e-6)


@pytest.mark.parametrize("constant", [0.0, -3.0, 1e300])
def test_a_constant_list_decides_nothing(constant):
    initial = [0.2, 0.9, 0.5]
    assert mixture(initial, [constant] * 3, 0.1).order().tolist() == [1, 2, 0]
    assert mixture([constant] * 3, initial, 0.9).order().tolist() == [1, 2, 0]
    assert mixture([constant] * 3, [constant] * 3, 0.5).order().tolist() == [0, 1, 2]


def test_none_and_one():
    assert mixture([], [], 0.5).order().tolist() == []
    assert mixture([4.0], [2.0], 0.5).scores.tolist() == [0.0]


@given(PAIRS, SHARES, st.data())
def test_explains_itself(pairs, mu, data):
    initial, other = np.array(pairs).T
    mix = mixture(initial, other, mu)
    place = data.draw(st.integers(0, len(initial) - 1))
    tree = explain(
        mix,
        place,
        Explanation(float(initial[place]), "score of the first ranking"),
        Explanation(float(other[place]), "SD, structural distance"),
    )
    assert tree.value == mix.scores[place]
    assert_follows(tree)


@pytest.mark.parametrize(("initial", "other"), [([np.nan], [1.0]), ([1.0], [np.inf])])
def test_bad_input_is_named(initial, other):
    with pytest.raises(ValueError, match="scores must be a list of finite numbers, but are not"):
        mixture(initial, other, 0.5)


HUGE = st.floats(allow_nan=False, allow_infinity=False)
LISTS = st.lists(
    st.lists(st.tuples(SCORES | HUGE, st.sampled_from([0.0, 1.0, 3.0]) | HUGE), max_size=6),
    max_size=6,
)


@given(LISTS, SHARES)
def test_many_lists_are_mixed_like_each_alone(lists, mu):
    columns = [np.array(one, np.float64).reshape(-1, 2).T for one in lists]
    initial, other = np.concatenate([np.zeros((2, 0)), *columns], axis=1)
    expected = [mixture(*one, mu).scores for one in columns]
    found = mixtures(initial, other, [len(one) for one in lists], mu)
    np.testing.assert_array_equal(found, np.concatenate([np.zeros(0), *expected]))
