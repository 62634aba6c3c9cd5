"""The calibration curve by hand, and who counts among the surest."""

from __future__ import annotations

import numpy as np
import pytest

from studies.calibration import calibration, calibration_error, surest


def test_the_curve_counts_each_prediction_once():
    p = np.array([0.5, 0.55, 0.7, 0.95, 1.0])
    right = np.array([True, False, True, True, False])
    low, middle, high = calibration(p, right, np.array([0.5, 0.6, 0.9, 1.0]))
    assert (low.count, middle.count, high.count) == (2, 1, 2)
    assert low.predicted == pytest.approx(0.525)
    assert high.right == 0.5
    error = (2 * 0.025 + 1 * 0.3 + 2 * 0.475) / 5
    assert calibration_error([low, middle, high]) == pytest.approx(error)


def test_the_surest_are_taken_first_and_ties_by_order():
    confidence, right = np.array([0.9, 0.6, 0.6, 0.8]), np.array([True, True, False, False])
    assert surest(confidence, right, 0.75) == pytest.approx(2 / 3)
    assert surest(confidence, right, 0.25) == 1.0
