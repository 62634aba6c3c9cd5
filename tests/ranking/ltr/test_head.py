"""The scoring head and Adam: gradients by finite differences, sums in a fixed order."""

from __future__ import annotations

import numpy as np
import pytest

from argsearch.ranking.ltr.head import Adam, backward, forward, score, start


@pytest.fixture(params=[0, 4], ids=["linear", "hidden"])
def weights(request: pytest.FixtureRequest) -> dict[str, np.ndarray]:
    made = start(6, request.param, seed=1)
    rng = np.random.default_rng(2)
    return {name: w + rng.normal(size=w.shape) for name, w in made.items()}


def test_gradients_are_finite_differences(weights: dict[str, np.ndarray]) -> None:
    rng, step = np.random.default_rng(3), 1e-6
    X, slope = rng.normal(size=(5, 6)), rng.normal(size=5)
    found = backward(weights, X, slope)
    for name, w in weights.items():
        for at in np.ndindex(w.shape):
            sides = []
            for sign in (1, -1):
                moved = {key: value.copy() for key, value in weights.items()}
                moved[name][at] += sign * step
                sides.append(float(slope @ forward(moved, X)))
            assert found[name][at] == pytest.approx((sides[0] - sides[1]) / (2 * step), abs=1e-6)


def test_scores_depend_on_no_other_row(weights: dict[str, np.ndarray]) -> None:
    X = np.random.default_rng(4).normal(size=(50, 6))
    whole = score(weights, X)
    assert whole == pytest.approx(forward(weights, X), abs=1e-12)
    assert [float(score(weights, row[None])[0]) for row in X] == whole.tolist()
    assert score(weights, X[:0]).shape == (0,)


def test_adam_is_the_papers_algorithm() -> None:
    ours, adam = {"w": np.array([0.5, -2.0])}, Adam(0.01)
    theta, m, v = [0.5, -2.0], [0.0, 0.0], [0.0, 0.0]
    for t in range(1, 20):
        slope = [float(np.sin(t)), 3.0 * t]
        adam.step(ours, {"w": np.array(slope)})
        for i, g in enumerate(slope):  # Kingma and Ba 2015, algorithm 1
            m[i] = 0.9 * m[i] + 0.1 * g
            v[i] = 0.999 * v[i] + 0.001 * g * g
            theta[i] -= 0.01 * m[i] / (1 - 0.9**t) / ((v[i] / (1 - 0.999**t)) ** 0.5 + 1e-8)
    assert ours["w"] == pytest.approx(np.array(theta), abs=1e-12)
