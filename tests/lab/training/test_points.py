"""Training the model of points: the shared task's measure, and how the logit is weighed anew."""

from __future__ import annotations

import numpy as np
import pytest

from argsearch.lab.training.points import ON_DEBATES, MatchedSide, on_debates, precision
from argsearch.ranking.points import FEATURES


def test_the_measure_is_the_shared_tasks():
    """Of four arguments the two surest count, each with its best key point; one is undecided."""
    labels = np.array([[1, 0], [0, -1], [1, 1], [0, 0]], np.int8)
    scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.1], [0.1, 0.2]])
    side = MatchedSide("topic", np.zeros((4, 2, len(FEATURES))), labels)
    assert precision([(side, scores)], strict=True) == pytest.approx(1 / 2)
    assert precision([(side, scores)], strict=False) == pytest.approx(1.0)


def test_the_logit_is_weighed_beside_two_features():
    weights = np.arange(len(FEATURES), dtype=float)
    model = on_debates(weights, 2.0)
    x = np.linspace(-1, 1, len(FEATURES))
    further = sum(
        ON_DEBATES[name] * x[FEATURES.index(name)] for name in FEATURES if name in ON_DEBATES
    )
    wanted = ON_DEBATES["logit"] * (weights @ x + 2.0) + further + ON_DEBATES["constant"]
    assert x @ model.weights + model.bias == pytest.approx(wanted)
