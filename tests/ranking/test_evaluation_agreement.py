"""Agreement against golden values of the krippendorff and statsmodels packages and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from argsearch.ranking.evaluation.agreement import (
    Level,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    vote_counts,
)

_ = np.nan
KRIPPENDORFF_2011 = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
)


def random_votes() -> np.ndarray:
    rng = np.random.default_rng(7)
    base = rng.integers(0, 5, 40)
    votes = np.clip(base[None] + rng.integers(-1, 2, (5, 40)), 0, 4).astype(float)
    votes[rng.random(votes.shape) < 0.3] = np.nan
    return votes


def alpha(votes: np.ndarray, level: Level) -> float:
    units = [unit for _ in range(votes.shape[0]) for unit in range(votes.shape[1])]
    return krippendorff_alpha(*vote_counts(units, votes.ravel()), level)


@pytest.mark.parametrize(
    ("level", "published", "random"),
    [
        ("nominal", 0.743421052631579, 0.23905094578583974),
        ("ordinal", 0.8153875037548814, 0.7382350127593404),
        ("interval", 0.8491071428571428, 0.7404268080942009),
    ],
)
def test_krippendorff_golden(level: Level, published: float, random: float) -> None:
    assert alpha(KRIPPENDORFF_2011, level) == pytest.approx(published, abs=1e-12)
    assert alpha(random_votes(), level) == pytest.approx(random, abs=1e-12)


def test_krippendorff_edges() -> None:
    assert alpha(np.array([[1.0, 2.0], [1.0, 2.0]]), "nominal") == 1.0
    assert np.isnan(alpha(np.ones((2, 3)), "ordinal"))


@pytest.mark.thorough
@settings(max_examples=60)
@given(labels=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40))
def test_cohen_is_scikit_learns(labels: list[tuple[int, int]]) -> None:
    a, b = (list(side) for side in zip(*labels, strict=True))
    if len(set(a + b)) == 1:
        assert np.isnan(cohen_kappa(a, b))
        return
    expected = cohen_kappa_score(a, b)
    assert cohen_kappa(a, b) == pytest.approx(expected, abs=1e-12)


def test_cohen_takes_words() -> None:
    assert cohen_kappa(["A", "B", "Tie"], ["A", "B", "Tie"]) == 1.0
    with pytest.raises(ValueError, match=r"both lists must .*not \(1,\) and \(2,\)"):
        cohen_kappa([1], [1, 2])


def test_fleiss_golden() -> None:
    counts = np.random.default_rng(7)
    counts.integers(0, 5, 40), counts.integers(-1, 2, (5, 40)), counts.random((5, 40))
    votes = counts.multinomial(6, [0.5, 0.3, 0.2], 25)
    assert fleiss_kappa(votes) == pytest.approx(0.04727690760166693, abs=1e-12)
    assert np.isnan(fleiss_kappa([[3, 0], [3, 0]]))
