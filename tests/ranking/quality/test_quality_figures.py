"""Figures against scikit-learn and scipy; folds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import balanced_accuracy_score, f1_score, mean_squared_error, r2_score

from argsearch.ranking.quality.figures import (
    gate_figures,
    group_folds,
    random_folds,
    regression_figures,
)

RNG = np.random.default_rng(3)


def test_gate_figures_are_scikit_learns() -> None:
    actual, predicted = RNG.random((2, 200)) < [[0.8], [0.6]]
    found = gate_figures(actual, predicted)
    assert found.f1 == pytest.approx(f1_score(actual, predicted))
    assert found.balanced_accuracy == pytest.approx(balanced_accuracy_score(actual, predicted))


def test_regression_figures_are_of_clipped_predictions() -> None:
    actual = RNG.random(300)
    predicted = actual + RNG.normal(size=300)
    words = RNG.integers(1, 300, size=300).astype(float)
    clipped, long = np.clip(predicted, 0, 1), words > 100
    found = regression_figures(actual, predicted, words)
    assert found.mse == pytest.approx(mean_squared_error(actual, clipped))
    assert found.r2 == pytest.approx(r2_score(actual, clipped))
    assert found.pearson == pytest.approx(pearsonr(actual, clipped)[0])
    assert found.pearson_long == pytest.approx(pearsonr(actual[long], clipped[long])[0])


def test_predictions_that_are_all_equal_correlate_with_nothing() -> None:
    found = regression_figures(RNG.random(5), np.full(5, 0.1), np.full(5, 200.0))
    assert (found.pearson, found.pearson_long) == (0.0, 0.0)


def test_random_folds_spread_both_classes_and_follow_the_seed() -> None:
    positive = np.arange(103) % 4 != 0
    folds = random_folds(positive, 10, 0)
    for members in (positive, ~positive):
        sizes = np.bincount(folds[members], minlength=10)
        assert sizes.max() - sizes.min() <= 1
    np.testing.assert_array_equal(folds, random_folds(positive, 10, 0))
    assert (folds != random_folds(positive, 10, 1)).any()


def test_group_folds_split_no_group() -> None:
    groups = np.array([7, 3, 7, 9, 3, 12])
    assert group_folds(groups, 4).tolist() == [1, 0, 1, 2, 0, 3]
    assert group_folds(groups, 2).tolist() == [1, 0, 1, 0, 0, 1]
