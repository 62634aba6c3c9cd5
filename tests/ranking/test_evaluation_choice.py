"""Choosing a cell, and what the choice is worth on topics that it has not seen."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from argsearch.ranking.evaluation.choice import best_mean, best_safe, folds, held_out

SCORES = arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(2, 9)),
    elements=st.integers(0, 8).map(float),
)


@given(SCORES)
def test_held_out_never_looks_at_the_topic(scores: np.ndarray) -> None:
    fold = folds(scores.shape[1])
    found = held_out(scores, fold, best_mean)
    for topic in range(scores.shape[1]):
        others = np.delete(scores, topic, axis=1).sum(axis=1)
        assert found.chosen[topic] == int(np.argmax(others))
        assert found.values[topic] == scores[found.chosen[topic], topic]
        changed = scores.copy()
        changed[:, topic] = np.arange(len(scores))
        assert held_out(changed, fold, best_mean).chosen[topic] == found.chosen[topic]


def test_undefined_topics_do_not_count() -> None:
    nan = float("nan")
    scores = np.array([[nan, nan, nan], [0.1, nan, 0.3], [0.0, 0.0, 0.3]])
    assert best_mean(scores) == 1
    found = held_out(scores, folds(3), best_mean)
    assert found.chosen.tolist() == [1, 1, 1]
    assert np.isnan(found.values[1])


def test_safe_choice_loses_on_no_measure_if_it_can() -> None:
    gains = np.zeros((3, 2, 2))
    gains[0] = [[0.9, -0.1], [0.9, -0.1]]
    gains[1] = [[0.1, 0.1], [0.1, 0.1]]
    gains[2] = [[0.1, 0.2], [0.1, 0.2]]
    assert best_safe(gains) == 2
    assert best_safe(gains[:1]) == 0
    losing = np.array([[[0.5, -0.3]], [[0.0, -0.2]]])
    assert best_safe(losing) == 1


@given(st.integers(2, 40), st.integers(0, 40), st.integers(0, 3))
def test_folds_are_equal_in_size(topics: int, count: int, seed: int) -> None:
    assume(count != 1 and count <= topics)
    sizes = np.bincount(folds(topics, count, seed))
    assert len(sizes) == (count or topics)
    assert sizes.sum() == topics
    assert sizes.max() - sizes.min() <= 1


def test_folds_follow_the_seed() -> None:
    assert folds(20, 4, 1).tolist() == folds(20, 4, 1).tolist()
    assert folds(20, 4, 1).tolist() != folds(20, 4, 2).tolist()
