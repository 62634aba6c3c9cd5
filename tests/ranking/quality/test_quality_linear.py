"""Ridge, gate and scoring against scikit-learn and plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression, Ridge

from argsearch.ranking.quality.linear import (
    ALPHAS,
    Linear,
    Standard,
    fit_surface,
    logistic,
    prior_shift,
    ridge,
    score,
)


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 6)) * [1, 5, 0.1, 1, 1, 1] + 3
    return X, X @ [0.1, 0.02, 1.0, 0, 0, -0.2] + rng.normal(size=200) * 0.1


@pytest.mark.parametrize("alpha", [0.1, 10.0, 1000.0])
def test_ridge_is_scikit_learns(data: tuple[np.ndarray, np.ndarray], alpha: float) -> None:
    fitted, theirs = ridge(*data, alpha), Ridge(alpha=alpha).fit(*data)
    assert fitted.weights == pytest.approx(theirs.coef_, rel=1e-9)
    assert fitted.bias == pytest.approx(theirs.intercept_, rel=1e-9)


@pytest.mark.thorough
def test_gate_is_scikit_learns_balanced_logistic(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    positive = y > np.quantile(y, 0.2)
    theirs = LogisticRegression(C=0.5, class_weight="balanced", max_iter=5000).fit(X, positive)
    fitted = logistic(X, positive, 0.5)
    expected = theirs.decision_function(X)
    assert X @ fitted.weights + fitted.bias == pytest.approx(expected, rel=1e-9)


def test_prior_shift_gives_back_the_share_of_positives() -> None:
    positive = np.array([True] * 30 + [False] * 10)
    assert expit(0.0 + prior_shift(positive)) == pytest.approx(0.75)


def test_standard_clips_centres_and_scales() -> None:
    standard = Standard.of(np.array([[0.0, 7.0], [2.0, 7.0]]))
    assert standard(np.array([[-100.0, 7.0], [1.0, 9.0], [50.0, 0.0]])).tolist() == [
        [-1.0, 0.0], [0.0, 0.0], [1.0, 0.0],
    ]  # fmt: skip


def test_score_is_the_plain_product_row_by_row(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = data
    standard = Standard.of(X[:100])
    models = Linear(np.arange(6.0), 0.5), Linear(-np.ones(6), -1.0)
    expected = np.column_stack([standard(X) @ m.weights + m.bias for m in models])
    found = score(X, standard, models)
    assert found == pytest.approx(expected, rel=1e-12)
    alone = np.concatenate([score(row[None], standard, models) for row in X])
    np.testing.assert_array_equal(alone, found)


def test_surface_model_is_fitted_on_arguments_only_and_needs_no_luck() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    good = X[:, 0] + 0.3 * rng.normal(size=300) > -0.5
    y = np.where(good, 0.5 + 0.1 * X[:, 1], 1e9)  # a non-argument's quality must not be read
    model = fit_surface(X, good, y, np.arange(300) % 10)
    gate, quality = model.score(X).T
    assert model.penalty == min(ALPHAS)
    assert ((gate > 0) == good).mean() > 0.85
    assert np.corrcoef(quality[good], y[good])[0, 1] > 0.99
    assert quality.max() < 2
