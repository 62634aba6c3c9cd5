"""Intervals and tests against SciPy and golden values; what seeds and ties do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from argsearch.ranking.evaluation.significance import (
    bootstrap_interval,
    holm,
    paired_t,
    randomisation,
)

RNG = np.random.default_rng(3)
A = RNG.uniform(size=50)
B = np.clip(A + RNG.normal(0.03, 0.1, 50), 0, 1)


def test_bootstrap_is_scipys_up_to_sampling() -> None:
    ours = bootstrap_interval(A, seed=1)
    theirs = stats.bootstrap((A,), np.mean, n_resamples=10_000, method="percentile", rng=2)
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.004)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.004)
    assert bootstrap_interval(A, seed=1) == ours
    assert bootstrap_interval(A, seed=2) != ours


def test_bootstrap_of_one_value_and_of_none() -> None:
    assert bootstrap_interval([0.5]).low == 0.5
    with pytest.raises(ValueError, match="at least one number"):
        bootstrap_interval([])


values = st.lists(
    st.tuples(st.floats(0, 1, width=16), st.floats(0, 1, width=16)), min_size=2, max_size=12
)


@pytest.mark.thorough
@settings(max_examples=80)
@given(pairs=values)
def test_paired_t_is_scipys(pairs: list[tuple[float, float]]) -> None:
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    ours = paired_t(a, b)
    if np.ptp(a - b) < 1e-3:
        assert ours.p in (0.0, 1.0) or ours.p == pytest.approx(ours.p)
        return
    theirs = stats.ttest_rel(a, b)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.thorough
@settings(max_examples=40)
@given(pairs=values)
def test_randomisation_is_scipys_exact_test(pairs: list[tuple[float, float]]) -> None:
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    theirs = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=10_000
    )
    assert randomisation(a, b).p == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.thorough
def test_randomisation_by_sampling() -> None:
    exact = paired_t(B, A)
    sampled = randomisation(B, A, samples=200_000, seed=5)
    assert sampled.p == pytest.approx(exact.p, rel=0.15, abs=0.002)
    assert sampled.difference == pytest.approx((B - A).mean())
    assert randomisation(B, A, samples=1_000, seed=5) == randomisation(B, A, samples=1_000, seed=5)
    assert randomisation(np.arange(1, 51), np.zeros(50), samples=999).p == pytest.approx(0.001)


def test_equal_runs() -> None:
    for test in (paired_t, randomisation):
        assert test(A, A).p == 1.0
        assert test(A, A).difference == 0.0
    assert paired_t([1.0, 2.0], [0.0, 1.0]).p == 0.0
    assert np.isnan(paired_t([1.0], [0.0]).p)
    with pytest.raises(ValueError, match=r"both lists must .*not \(1,\) and \(2,\)"):
        paired_t([1.0], [1.0, 2.0])


def test_holm_golden_and_order() -> None:
    adjusted = holm([0.01, 0.04, 0.03, 0.005, 0.6, 0.0499])
    assert adjusted == pytest.approx([0.05, 0.12, 0.12, 0.03, 0.6, 0.12])
    assert holm([0.02, np.nan, 0.5])[[0, 2]] == pytest.approx([0.04, 0.5])
    assert np.isnan(holm([0.02, np.nan, 0.5])[1])
    assert holm([]).size == 0
