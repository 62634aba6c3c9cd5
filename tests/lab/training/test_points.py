"""Training the model of points: the shared task's measure, and how the logit is weighed anew."""

from __future__ import annotations

import numpy as np
import pytest

from argsearch.lab.training.points import MatchedSide, fit, labelled, precision
from argsearch.ranking.points import POINT_FEATURES


def test_the_measure_is_the_shared_tasks():
    """Of four arguments the two surest count, each with its best key point; one is undecided."""
    labels = np.array([[1, 0], [0, -1], [1, 1], [0, 0]], np.int8)
    scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.1], [0.1, 0.2]])
    side = MatchedSide("topic", np.zeros((4, 2, len(POINT_FEATURES))), labels)
    assert precision([(side, scores)], strict=True) == pytest.approx(1 / 2)
    assert precision([(side, scores)], strict=False) == pytest.approx(1.0)


def test_a_model_of_both_orders_the_pairs_of_debates():
    """Short arguments, of which fewer make the point, move no constant of the debates."""
    pairs, told = labelled()
    rarer = np.where(np.arange(len(told)) % 4, 0, told).astype(np.int8)
    short = MatchedSide("topic", pairs[:, None], rarer[:, None])
    weights, bias = fit([short])
    scores = pairs @ weights + bias
    assert len(told) > 500
    assert np.mean(scores[told == 1][:, None] > scores[told == 0]) > 0.75
    assert np.mean(1 / (1 + np.exp(-scores))) == pytest.approx(told.mean(), abs=0.02)
