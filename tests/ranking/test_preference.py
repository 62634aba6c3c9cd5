"""Preference models recover planted strengths; designs hold the pairs they promise."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from scipy.stats import kendalltau

from argsearch.ranking.preference import (
    Comparisons,
    bradley_terry,
    comparisons,
    components,
    cyclic_design,
    elo,
    log_likelihood,
    win_rate,
)


def simulate(gamma: np.ndarray, m: int, tau: float, seed: int) -> Comparisons:
    """m comparisons of random pairs, drawn from the model itself."""
    rng = np.random.default_rng(seed)
    i = rng.integers(0, gamma.size, m)
    j = (i + rng.integers(1, gamma.size, m)) % gamma.size
    x = gamma[i] - gamma[j]
    wins, loses = 1 / (1 + np.exp(tau - x)), 1 / (1 + np.exp(tau + x))
    u = rng.random(m)
    return comparisons(i, j, np.where(u < wins, 1, np.where(u < wins + loses, -1, 0)), gamma.size)


def test_likelihood_by_the_thesis_formula() -> None:
    gamma, lam, tau = np.array([0.4, -0.2, 1.1]), 0.1, 0.05
    p, theta = np.exp(gamma), np.exp(tau)
    expected = np.log(p[0] / (p[0] + theta * p[1])) + np.log(p[2] / (p[2] + theta * p[1]))
    tie = p[0] * p[2] * (theta**2 - 1) / ((p[0] + theta * p[2]) * (theta * p[0] + p[2]))
    regulariser = (np.log(np.e / (p + np.e)) + np.log(p / (p + np.e))).sum()
    data = comparisons([0, 1, 0], [1, 2, 2], [1, -1, 0], 3)
    value, _ = log_likelihood(gamma, data, lam, tau)
    assert value == pytest.approx(expected + np.log(tie) + lam * regulariser)


@pytest.mark.thorough
@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), lam=st.floats(0, 2), tau=st.floats(0.01, 1))
def test_gradient_is_the_numerical_one(seed: int, lam: float, tau: float) -> None:
    rng = np.random.default_rng(seed)
    data = simulate(rng.normal(size=6), 30, tau, seed)
    gamma = rng.normal(size=6)
    _, gradient = log_likelihood(gamma, data, lam, tau)
    numerical = approx_fprime(gamma, lambda g: log_likelihood(g, data, lam, tau)[0], 1e-7)
    assert gradient == pytest.approx(numerical, abs=2e-4)


@pytest.mark.slow
@settings(max_examples=10)
@given(seed=st.integers(0, 10_000), lam=st.floats(0.05, 1), tau=st.floats(0.01, 1))
def test_newton_reaches_what_lbfgs_reaches(seed: int, lam: float, tau: float) -> None:
    data = simulate(np.random.default_rng(seed).normal(size=12), 40, tau, seed)
    fit = bradley_terry(data, lam, tau)
    other = minimize(
        lambda g: tuple(-v for v in log_likelihood(g, data, lam, tau)),
        np.zeros(12),
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    assert fit.converged
    assert fit.log_likelihood >= -other.fun - 1e-7
    assert fit.scores == pytest.approx(other.x - other.x.mean(), abs=0.01)


@pytest.mark.thorough
@settings(max_examples=10)
@given(seed=st.integers(0, 10_000))
def test_planted_strengths_are_recovered(seed: int) -> None:
    gamma = np.random.default_rng(seed).normal(size=30)
    data = simulate(gamma, 20_000, 0.1, seed)
    fit = bradley_terry(data, lam=0.01, tau=0.1)
    assert np.sqrt(((fit.scores - (gamma - gamma.mean())) ** 2).mean()) < 0.15
    assert np.corrcoef(fit.scores, gamma)[0, 1] > 0.99
    assert kendalltau(win_rate(data), gamma).statistic > 0.8
    assert np.corrcoef(elo(data, K=8), gamma)[0, 1] > 0.9


def test_items_that_only_win_stay_finite() -> None:
    data = comparisons([0, 0, 1], [1, 2, 2], [1, 1, 1], 4)
    fit = bradley_terry(data)
    assert fit.converged
    assert np.isfinite(fit.scores).all()
    assert list(np.argsort(-fit.scores)[[0, -1]]) == [0, 2]
    strong = bradley_terry(data, lam=10.0)
    assert np.ptp(strong.scores) < np.ptp(fit.scores)


def test_no_comparisons() -> None:
    data = comparisons([], [], [], 3)
    assert bradley_terry(data).scores == pytest.approx([0, 0, 0])
    assert np.isnan(win_rate(data)).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0], [0], [1], 2), "compares item 0 with itself"),
        (([0], [2], [1], 2), "items must be from 0 to 1, not 0 to 2"),
        (([0], [1], [2], 2), r"outcome 0 must be 1, -1 or 0 \(tie\), not 2"),
        (([0, 1], [1], [1], 2), r"lists must have the same length, not \(2,\), \(1,\), \(1,\)"),
    ],
)
def test_refused_comparisons(
    arguments: tuple[list[int], list[int], list[int], int], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        comparisons(*arguments)


def test_no_threshold_without_ties() -> None:
    assert bradley_terry(comparisons([0], [1], [1], 2), tau=0).converged


def test_win_rate_and_its_shrinking() -> None:
    data = comparisons([0] + [2] * 10, [1] + [1] * 10, [1] * 11, 4)
    assert win_rate(data)[:3] == pytest.approx([1, 0, 1])
    assert np.isnan(win_rate(data)[3])
    shrunken = win_rate(data, prior=2)
    assert shrunken == pytest.approx([2 / 3, 1 / 13, 11 / 12, 0.5])
    assert win_rate(comparisons([0], [1], [0], 2)) == pytest.approx([0.5, 0.5])


def test_elo_by_hand() -> None:
    assert elo(comparisons([0], [1], [1], 2)) == pytest.approx([1016, 984])
    second = elo(comparisons([0, 0], [1, 1], [1, -1], 2))
    expected = 1 / (1 + 10 ** ((984 - 1016) / 400))
    assert second[0] == pytest.approx(1016 - 32 * expected)
    assert second.sum() == pytest.approx(2000)


@pytest.mark.thorough
@settings(max_examples=100)
@given(n=st.integers(2, 40), data=st.data())
def test_cyclic_design(n: int, data: st.DataObject) -> None:
    groups = data.draw(st.integers(1, n))
    pairs = cyclic_design(n, groups)
    assert len(set(pairs)) == len(pairs)
    assert all(0 <= i < j < n for i, j in pairs)
    graph = comparisons([i for i, _ in pairs], [j for _, j in pairs], [1] * len(pairs), n)
    assert components(graph).max() == 0
    if groups <= 3:
        assert pairs == list(combinations(range(n), 2))
    if n % groups == 0 and groups >= 3:
        size = n // groups  # G19 counts k·((n/k)² + C(n/k, 2)) pairs
        assert len(pairs) == groups * (size**2 + comb(size, 2))


def test_published_shares_of_annotations() -> None:
    total = 32 * 31 / 2
    shares = [len(cyclic_design(32, groups)) / total for groups in (4, 8, 16)]
    assert shares == pytest.approx([0.742, 0.355, 0.161], abs=5e-4)
    with pytest.raises(ValueError, match="groups must be from 1 to 5, the number of items, not 0"):
        cyclic_design(5, 0)
    with pytest.raises(ValueError, match="there must be at least 2 items, not 1"):
        cyclic_design(1, 1)
