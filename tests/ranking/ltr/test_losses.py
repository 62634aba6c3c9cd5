"""The six losses: values by hand and by plain loops, gradients by finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.ltr.losses import LOSSES, make

NAMES = sorted(LOSSES)


def _log(x: float) -> float:
    return math.log1p(math.exp(x))


def plain(name: str, s: list[float], y: list[float]) -> float:
    """The formulas of the thesis as loops."""
    n = len(s)
    pairs = [(i, j) for i in range(n) for j in range(n) if y[i] > y[j]]
    if name == "mse":
        return sum((a - b) ** 2 for a, b in zip(s, y, strict=True)) / n
    if name == "hinge":
        return sum(max(0.0, 1 - (s[i] - s[j])) for i, j in pairs)
    if name == "logistic":
        return sum(_log(-(s[i] - s[j])) for i, j in pairs)
    if name == "softmax":
        total = sum(math.exp(x) for x in s)
        return -sum(b * math.log(math.exp(a) / total) for a, b in zip(s, y, strict=True))
    if name == "listmle":
        left, loss = sorted(range(n), key=lambda i: -y[i]), 0.0
        while left:
            loss -= math.log(math.exp(s[left[0]]) / sum(math.exp(s[k]) for k in left))
            left = left[1:]
        return loss
    ranks = [
        1 + sum(1 / (1 + math.exp(-(s[j] - s[i]) / 0.1)) for j in range(n) if j != i)
        for i in range(n)
    ]
    found = sum((2**b - 1) / math.log2(1 + r) for b, r in zip(y, ranks, strict=True))
    best = sorted(y, reverse=True)
    ideal = sum((2**b - 1) / math.log2(2 + i) for i, b in enumerate(best))
    return 1 - found / ideal if ideal else 0.0


scored = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-4, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 12).map(float), min_size=n, max_size=n),
    )
)


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
@given(scored)
def test_values_are_those_of_plain_loops(name: str, given: tuple[list[float], ...]) -> None:
    s, y = given
    found = make(name).value(np.array(s), np.array(y))
    assert found == pytest.approx(plain(name, s, y), abs=1e-9)
    assert found >= -1e-12


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
@given(scored, st.integers(0, 1000))
def test_gradients_are_finite_differences(
    name: str, given: tuple[list[float], ...], seed: int
) -> None:
    y, loss, step = np.array(given[1]), make(name), 1e-6
    s = np.random.default_rng(seed).normal(size=len(y))  # away from the kinks of the hinge
    expected = [
        (loss.value(s + step * e, y) - loss.value(s - step * e, y)) / (2 * step)
        for e in np.eye(len(s))
    ]
    assert loss.gradient(s, y) == pytest.approx(np.array(expected), abs=2e-5, rel=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_overflows(name: str) -> None:
    loss = make(name)
    s, y = np.array([900.0, -900.0, 0.0, 900.0]), np.array([1.0, 300.0, 1500.0, 1500.0])
    assert np.isfinite(loss.value(s, y))
    assert np.isfinite(loss.gradient(s, y)).all()


def test_a_loss_takes_its_own_settings_only() -> None:
    assert make("mse", temperature=0.5) == make("mse")
