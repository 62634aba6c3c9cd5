"""Cosines of meaning and reciprocal ranks, held to their plain expressions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking import combination, meaning
from argsearch.ranking.combination import NOWHERE, reciprocal_ranks
from argsearch.ranking.vectors import norms


def _rows(levels):
    return levels, norms(levels)


def _unit(row):
    length = np.sqrt(float((row.astype(np.float64) ** 2).sum()))
    return row / length if length else row.astype(np.float64)


@given(seed=st.integers(0, 2**31), n=st.integers(0, 60), claims=st.integers(1, 9))
def test_similarities_are_the_plain_means_of_cosines_whatever_the_threads(seed, n, claims):
    rng = np.random.default_rng(seed)
    d, distinct = int(rng.integers(1, 70)), int(rng.integers(1, 50))
    question, conclusions = (
        _rows(
            rng.integers(-127, 128, (size, d)).astype(np.int8)
            * rng.integers(0, 2, (size, 1), np.int8)
        )
        for size in (1, claims)
    )
    passages = _rows(rng.integers(1, 128, (distinct, d)).astype(np.int8))
    of = rng.integers(0, claims, n).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 4, n))])
    passage_of = rng.integers(0, distinct, starts[-1]).astype(np.int32)
    held = passages, passage_of, starts, conclusions, of
    found = meaning.similarities(question, *held)

    plain, asked = np.zeros(n), _unit(question[0][0])
    for i in range(n):
        own = passages[0][passage_of[starts[i] : starts[i + 1]]]
        near = [asked @ _unit(row) for row in own]
        claim = conclusions[0][of[i]]
        if near and claim.any():
            plain[i] = (2 * max(near) + asked @ _unit(claim)) / 3
        elif near or claim.any():
            plain[i] = max(near) if near else asked @ _unit(claim)
    assert np.allclose(found, plain, atol=1e-6)

    threads = meaning.similarities(question, *held, workers=2)
    assert found.tobytes() == threads.tobytes()
    own = passages[0][passage_of], passages[1][passage_of]
    near = meaning.best_passages(question, own, starts)
    claims_held = conclusions[0][of], conclusions[1][of]
    cosines = np.where(claims_held[1] == 0, np.nan, meaning.cosines(question, claims_held))
    assert meaning.mean_of(near.best, cosines).tobytes() == found.tobytes()


def test_blocks_and_threads_change_nothing_of_many_rows():
    rng = np.random.default_rng(0)
    n = 3 * meaning.THREAD_ROWS + 5
    passages = _rows(rng.integers(-127, 128, (n, 4)).astype(np.int8))
    question = _rows(np.array([[3, -1, 127, 9]], np.int8))
    nothing = _rows(np.zeros((1, 4), np.int8)), np.zeros(n, np.int32)
    order = rng.permutation(n)
    found = meaning.similarities(question, passages, order, np.arange(n + 1), *nothing, workers=2)
    assert found.tobytes() == meaning.cosines(question, passages)[order].tobytes()


@pytest.mark.parametrize(
    ("shape", "passage_of", "starts", "of", "message"),
    [
        ((2, 3), [0, 1], [0, 1, 2], [0, 0], r"rows must have the shape \(2, 4\), not \(2, 3\)"),
        ((2, 4), [0, 1], [0, 1, 2], [0, 5], "conclusion_of must .*not 0 to 5"),
        ((2, 4), [0, 1], [0, 1, 2], [0, -1], "from 0"),
        ((2, 4), [0, 2], [0, 1, 2], [0, 0], "passage_of must have numbers from 0 to 1, not 0 to 2"),
        ((2, 4), [0, 1], [0, 2, 1], [0, 0], "starts must be 3 numbers that rise from 0 to 2, not "),
        ((2, 4), [0, 1], [0, 2], [0, 0], "starts must be 3 numbers that rise from 0 to 2, not "),
        ((2, 4), [0, 1], [0, 2, 0, 2], [0, 0, 0], "starts must .*not 4 up to 2"),
    ],
)
def test_what_cannot_be_compared_is_refused(shape, passage_of, starts, of, message):
    question = conclusions = _rows(np.ones((1, 4), np.int8))
    passages = _rows(np.ones(shape, np.int8))
    places = np.array(passage_of), np.array(starts)
    with pytest.raises(ValueError, match=message):
        meaning.similarities(question, passages, *places, conclusions, np.array(of))


def test_reciprocal_ranks_add_a_term_for_each_list_that_has_it():
    ranks = [1.0, NOWHERE, 3.0], [NOWHERE, 1.0, 2.0]
    found = reciprocal_ranks(*ranks, weight=0.5)
    assert found.tolist() == [1 / 61, 0.5 / 61, 1 / 63 + 0.5 / 62]


M = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30)


@given(by_words=M, others=M)
def test_reach_is_the_share_of_the_nearest_that_words_come_to(by_words, others):
    of = [sum(sorted(some)[::-1][:10]) for some in (by_words, by_words + others)]
    reached = combination.reach(by_words, by_words + others)
    assert reached == pytest.approx(of[0] / of[1] if of[1] else 1.0)
    assert 0.0 <= reached <= 1.0
    assert combination.reach(by_words, by_words) == pytest.approx(1.0)


def test_what_words_do_not_find_at_all_is_out_of_reach():
    assert combination.reach([], [0.5, 0.4]) == 0.0
    assert combination.reach([], []) == combination.reach([], [-0.1]) == 1.0  # nothing is near


@given(weight=st.floats(0, 10), most=st.floats(0, 10), reach=st.floats(0, 1))
def test_the_weight_is_raised_where_words_miss_what_is_near(weight, most, reach):
    raised = combination.raised(weight, most, reach)
    assert weight <= raised <= max(weight, most) + 1e-9
    assert combination.raised(weight, most, combination.FOUND_REACH) == weight
    assert combination.raised(weight, most, combination.MISSED_REACH) == pytest.approx(
        max(weight, most)
    )
    assert combination.raised(weight, most, max(0.0, reach - 0.01)) >= raised


def test_the_best_passage_is_the_largest_cosine_and_the_first_of_equal_ones():
    draw = np.random.default_rng(4)
    levels = draw.integers(-127, 128, (900, 16), dtype=np.int8)
    levels[5] = levels[4]
    starts = np.append(0, np.sort(draw.integers(0, 901, 299)))
    starts = np.concatenate([starts[:1], [4, 6], starts[starts > 6], [900]])
    question, held = (levels[4:5], norms(levels[4:5])), (levels, norms(levels))
    near, found = meaning.cosines(question, held), meaning.best_passages(question, held, starts)
    for i, (a, b) in enumerate(pairwise(starts)):
        best = (near[a:b].max(), near[a:b].argmax()) if b > a else (np.nan, -1)
        mean = np.sort(near[a:b])[::-1][:3].mean() if b > a else np.nan
        assert np.array_equal([found.best[i], found.place[i]], best, equal_nan=True)
        assert found.several[i] == pytest.approx(mean, nan_ok=True)
    assert found.place[1] == 0
