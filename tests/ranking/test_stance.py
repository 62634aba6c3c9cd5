"""The mathematics of stance: attitude and sides."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfTransformer

from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.stance import (
    Attitude,
    cut,
    linear,
    prototype,
)

counts = st.lists(st.integers(0, 5), min_size=6, max_size=6)


@given(counts, st.integers(0, 6))
def test_an_attitude_is_what_scikit_learn_makes_of_the_same_counts(tfs, words):
    idf, weights = np.linspace(1.0, 3.0, 6), np.array([1.0, -2.0, 0.5, 3.0, -1.0, 2.0])
    expected = 0.0
    for block in (slice(0, words), slice(words, 6)):
        if not sum(tfs[block]):
            continue
        transformer = TfidfTransformer(sublinear_tf=True)
        transformer.idf_ = idf[block]
        row = transformer.transform(np.array([tfs[block]], dtype=float)).toarray()[0]
        expected += row @ weights[block]
    ids = np.flatnonzero(tfs)
    of_terms = np.array(tfs)[ids]
    thrice = np.tile(ids, 3), np.tile(of_terms, 3), len(ids) * np.arange(1, 4)
    assert Attitude(idf, weights, words)(*thrice) == pytest.approx([expected] * 3, abs=1e-12)


def test_no_term_has_no_attitude():
    nothing = np.zeros(0, dtype=np.int64)
    assert Attitude(np.ones(2), np.ones(2), 1)(nothing, nothing, np.zeros(2, int)) == [0.0] * 2


@given(st.floats(-1e6, 1e6))
def test_a_turned_logit_gives_the_other_probability(logit):
    assert sigmoid(logit) + sigmoid(-logit) == pytest.approx(1.0)
    assert cut(-logit) == -cut(logit)
    assert -4.0 <= cut(logit) <= 4.0


def test_a_value_without_weight_is_an_error():
    assert linear({"a": 2.0}, {"a": 3.0, "b": 1.0}) == {"a": 6.0}
    with pytest.raises(KeyError):
        linear({"c": 1.0}, {"a": 1.0})


@given(st.integers(0, 2**31), st.integers(1, 6))
def test_a_prototype_is_of_the_nearest_conclusions_above_all(seed, n):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 4))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    cosines = np.sort(rng.uniform(-1, 1, n))[::-1]
    p = prototype(cosines, rows)
    assert np.linalg.norm(p) == pytest.approx(1.0)
    weights = [math.exp(50.0 * (c - cosines[0])) for c in cosines]
    plain = sum(weight * row for weight, row in zip(weights, rows, strict=True))
    assert p == pytest.approx(plain / np.linalg.norm(plain))
    far = np.where(np.arange(n) == 0, 1.0, -1.0)
    assert prototype(far, rows) == pytest.approx(rows[0], abs=1e-9)


def test_without_conclusions_there_is_no_prototype():
    assert not prototype(np.zeros(0), np.zeros((0, 3))).any()
    assert not prototype(np.ones(1), np.zeros((1, 3))).any()
