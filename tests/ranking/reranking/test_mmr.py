"""MMR: the fast form against the paper's, and what the parameter does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.reranking.mmr import (
    Picks,
    explain,
    mmr,
    mmr_among,
)
from tests.ranking.plain import mmr_plain

EIGHTHS = st.integers(-8, 8).map(lambda i: i / 8)  # sums and products of these are exact
LAMBDAS = st.integers(0, 8).map(lambda i: i / 8)


@st.composite
def candidates(draw):
    n, d = draw(st.integers(1, 10)), draw(st.integers(1, 3))
    relevance = draw(st.lists(EIGHTHS, min_size=n, max_size=n))
    vectors = draw(st.lists(st.lists(EIGHTHS, min_size=d, max_size=d), min_size=n, max_size=n))
    return np.array(relevance), np.array(vectors)


@given(given=candidates(), k=st.integers(1, 12), lam=LAMBDAS)
def test_fast_form_picks_what_the_paper_picks(given, k, lam):
    relevance, vectors = given
    picks = mmr(relevance, vectors, k, lam)
    assert picks.order.tolist() == mmr_plain(relevance, vectors @ vectors.T, k, lam)
    assert len(picks.order) == min(k, len(relevance))


@given(given=candidates(), lam=LAMBDAS)
def test_each_pick_is_explained_by_what_stands_above_it(given, lam):
    relevance, vectors = given
    picks = mmr(relevance, vectors, len(relevance), lam)
    assert sorted(picks.order) == list(range(len(relevance)))
    for place, pick in enumerate(picks.order):
        above = [float(vectors[pick] @ vectors[other]) for other in picks.order[:place]]
        assert picks.redundancy[place] == max(above, default=0.0)
        assert picks.nearest[place] == (above.index(max(above)) if above else -1)
        tree = explain(picks, place, lam)
        weight, similarity, redundancy = (detail.value for detail in tree.details)
        assert (weight, similarity) == (lam, relevance[pick])
        assert tree.value == weight * similarity - (1 - weight) * redundancy == picks.values[place]


def test_dot_products_are_summed_dimension_by_dimension():
    """So that no library's number of threads moves a bit."""
    x = np.random.default_rng(0).normal(size=(200, 17))
    alike = sum(np.multiply.outer(column, column) for column in x.T)
    picks = mmr(np.linspace(1, 0, 200), x, 200, 0.5)
    above = picks.order[picks.nearest[1:]]
    assert picks.redundancy[1:].tolist() == alike[picks.order[1:], above].tolist()


def test_by_hand():
    # Unit vectors at 0, 5 and 60 degrees; the second says nearly what the first says.
    angles = np.radians([0, 5, 60])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    relevance = [0.9, 0.89, 0.6]
    assert mmr(relevance, vectors, 3, 1.0).order.tolist() == [0, 1, 2]
    # .5·.89 − .5·cos 5° = −.0531 and .5·.6 − .5·cos 60° = .05
    picks = mmr(relevance, vectors, 3, 0.5)
    assert picks.order.tolist() == [0, 2, 1]
    np.testing.assert_allclose(picks.values, [0.45, 0.05, -0.0530973], atol=1e-6)
    assert picks.nearest.tolist() == [-1, 0, 0]


def test_no_candidates_no_picks():
    picks = mmr([], np.zeros((0, 4)), 5)
    assert isinstance(picks, Picks)
    assert len(picks.order) == len(picks.values) == 0
    assert mmr_plain([], np.zeros((0, 0)), 5) == []


@pytest.mark.parametrize(
    ("relevance", "vectors", "k", "lam", "message"),
    [
        ([1.0], [[1.0]], 0, 0.5, "k must be a whole number of at least 1, not 0"),
        ([1.0], [[1.0]], 1, 1.5, r"lambda must be a number from 0 to 1, not 1\.5"),
        ([1.0], [[1.0]], 1, float("nan"), "lambda must be a number from 0 to 1, not nan"),
        ([1.0, 2.0], [[1.0]], 1, 0.5, r"relevance and vectors must .*not \(2,\) and \(1, 1\)"),
        ([np.nan], [[1.0]], 1, 0.5, "relevance and vectors must be finite numbers, but some are"),
        ([1.0], [[np.inf]], 1, 0.5, "relevance and vectors must be finite numbers, but some are"),
    ],
)
def test_bad_input_is_named(relevance, vectors, k, lam, message):
    with pytest.raises(ValueError, match=message):
        mmr(relevance, vectors, k, lam)


@given(given=candidates(), k=st.integers(1, 12), lam=LAMBDAS)
def test_known_similarities_pick_the_same(given, k, lam):
    relevance, vectors = given
    among = mmr_among(relevance, vectors @ vectors.T, k, lam)
    plain = mmr(relevance, vectors, k, lam)
    for column in ("order", "values", "relevance", "nearest", "redundancy"):
        assert getattr(among, column).tolist() == getattr(plain, column).tolist()


def test_similarities_that_are_not_square_are_named():
    with pytest.raises(ValueError, match=r"similarity must have the shape \(n, n\), not \(2, 1\)"):
        mmr_among([1.0, 0.5], [[1.0], [1.0]], 1)
