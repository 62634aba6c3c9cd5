"""nDCG, correlations, ensembles and standings, against other implementations and by their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, norm, spearmanr
from sklearn.metrics import ndcg_score

from argsearch.ranking.ltr.lists import ensemble
from argsearch.ranking.ltr.measures import correlations, gains, ndcg
from argsearch.ranking.numbers import percentile_ranks, percentiles, z_scores


@given(st.lists(st.integers(0, 9).map(float), min_size=2, max_size=30), st.integers(0, 999))
def test_ndcg_is_scikit_learns(labels: list[float], seed: int) -> None:
    s = np.random.default_rng(seed).normal(size=len(labels))  # no two scores alike
    if not any(labels):
        assert ndcg(s, labels, 5) == 1.0
        return
    for k in (1, 5, 50):
        linear, powers = [labels], [np.exp2(labels) - 1]
        assert ndcg(s, labels, k, "linear") == pytest.approx(ndcg_score(linear, [s], k=k))
        assert ndcg(s, labels, k) == pytest.approx(ndcg_score(powers, [s], k=k))


def test_gains_never_overflow() -> None:
    assert gains([0.0, 1500.0], "exponential").tolist() == [0.0, 1.0]
    assert gains([0.0, 0.0], "linear").tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match=r"labels must be at least 0, but one is -1\.0"):
        gains([-1.0], "linear")


def test_correlations_are_scipys() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 9, 40), rng.integers(0, 9, 40)
    r, rho, tau = correlations(a, b)
    assert r == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert rho == pytest.approx(spearmanr(a, b).statistic)
    assert tau == pytest.approx(kendalltau(a, b).statistic)
    assert correlations([1, 1, 1], [1, 2, 3]) == (0.0, 0.0, 0.0)


def test_ensemble_by_hand() -> None:
    scores = [[0, 5, 10, 7], [3, 3, 3, -1]]
    assert ensemble(scores, [0, 0, 0, 1]).tolist() == [0.25, 0.5, 0.75, 0.5]
    assert ensemble(scores, [0, 0, 0, 1], "none").tolist() == [1.5, 4.0, 6.5, 3.0]


values = st.lists(st.integers(0, 20).map(lambda q: q / 20), min_size=0, max_size=40)


@given(values)
def test_a_standing_is_the_share_of_others_below(Q: list[float]) -> None:
    n = len(Q)
    share = [
        sum((q > o) + 0.5 * (q == o) for j, o in enumerate(Q) if j != i) / (n - 1)
        for i, q in enumerate(Q)
        if n > 1
    ]
    assert percentile_ranks(Q) == pytest.approx(share if n > 1 else [0.5] * n)
    if n:
        assert percentile_ranks(Q).mean() == pytest.approx(0.5)


@given(values, st.sampled_from(["absolute", "rank", "z"]))
def test_standings_keep_the_order_and_the_range(Q: list[float], reading: str) -> None:
    found = percentiles(Q, reading)
    assert found.size == 0 or (found.min() >= 0 and found.max() <= 1)
    order = np.argsort(Q, kind="stable")
    assert (np.diff(found[order]) >= -1e-12).all()


def test_z_scores() -> None:
    assert z_scores([0.1, 0.1]).tolist() == [0.0, 0.0]
    assert z_scores([1.0, 3.0]).tolist() == [-1.0, 1.0]
    z = z_scores(np.random.default_rng(0).normal(5, 2, 500))
    assert percentiles(z, "z") == pytest.approx(norm.cdf(z), abs=0.01)
    with pytest.raises(ValueError, match="reading must be absolute, rank or z, not 'best'"):
        percentiles([1.0], "best")
