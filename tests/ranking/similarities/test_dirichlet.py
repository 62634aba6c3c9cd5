"""The plain expression of DirichletLM: hand-computed gold, corner statistics, refusals."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.similarities.dirichlet import (
    Dirichlet,
    collection_probability,
    dirichlet,
    explain,
    length_norm,
    term_weight,
)


def test_gold_by_hand() -> None:
    # P = (9 + 1) / (999 + 1) = 1/100; 1 + 2 / (100 · 1/100) = 3; 100 / (100 + 100) = 1/2.
    assert dirichlet(2, 100, 9, 999, mu=100) == pytest.approx(math.log(1.5), rel=1e-15)
    # P = 1/2; 1 + 1 / (2000 · 1/2) = 1.001; 2000 / 2500 = 0.8: below zero, so clamped.
    assert dirichlet(1, 500, 499, 999, mu=2000) == 0.0
    # P = 1e-4; 1 + 4 / (2000 · 1e-4) = 21; 2000 / 2000 = 1.
    assert dirichlet(4, 0, 0, 9999, mu=2000) == pytest.approx(3.044522437723423, rel=1e-15)


def test_a_term_in_every_token_and_an_absent_one() -> None:
    assert collection_probability(7, 7) == 1.0
    assert dirichlet(0, 10, 0, 100) == 0.0
    assert collection_probability(0, 0) == 1.0


@given(
    tf=st.integers(0, 10_000),
    dl=st.integers(0, 10**6),
    ttf=st.integers(0, 10**7),
    mu=st.floats(1e-3, 1e6),
)
def test_explanation_follows_from_its_details(tf: int, dl: int, ttf: int, mu: float) -> None:
    tree = explain(tf, dl, ttf, 10**8, mu)
    weight, norm = tree.details
    assert tree.value == max(0.0, weight.value + norm.value)
    occurrences, smoothing, probability = (detail.value for detail in weight.details)
    ratio = norm.details[1].value / (norm.details[0].value + mu)
    expected = math.log(1 + occurrences / (smoothing * probability))
    assert weight.value == pytest.approx(expected, rel=1e-14)
    assert norm.value == pytest.approx(math.log(ratio), rel=1e-14)
    count, tokens = (detail.value for detail in weight.details[2].details)
    assert probability == (count + 1) / (tokens + 1)


@pytest.mark.parametrize("mu", [0.0, -1.0, math.inf, math.nan])
def test_bad_mu(mu: float) -> None:
    for call in (Dirichlet, lambda m: term_weight(1, 0.5, m), lambda m: length_norm(1, m)):
        with pytest.raises(ValueError, match="mu must be a finite number above 0, not "):
            call(mu)


def test_bad_statistics() -> None:
    with pytest.raises(ValueError, match="tf must be a finite number of at least 0, not -1"):
        dirichlet([1, -1], 10, 5, 100)
    with pytest.raises(ValueError, match="dl must be a finite number of at least 0, not -10"):
        dirichlet(1, -10, 5, 100)
    with pytest.raises(ValueError, match="ttf must .*not 101"):
        dirichlet(1, 10, 101, 100)
    with pytest.raises(ValueError, match=r"P\(t\) must be above 0 and at most 1, but is not"):
        term_weight(1, 0.0)
    with pytest.raises(ValueError, match="T must be a finite number of at least 0, not nan"):
        collection_probability(1, math.nan)
