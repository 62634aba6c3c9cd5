"""Counter-arguments: formulas by hand, what each feature is, inputs with nothing in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import cosine_similarity

from argsearch.ranking import word_vectors as rooms
from argsearch.ranking.counters import (
    CUES,
    NAMES,
    RANKS,
    CounterCandidates,
    CounteredArgument,
    CounterWeights,
    coarse_scores,
    combine,
    counterness,
    cue_weights,
    direction,
    explain,
    features,
    first_choice,
    log_rank,
    profile,
)
from argsearch.ranking.neighbours import BELOW, neighbours
from argsearch.ranking.vectors import cosines, quantise
from argsearch.ranking.word_vectors import (
    TABLE_SIZE,
    cosines_to_neighbours,
    frequencies_in,
    idf,
    word_cosines,
    word_vectors,
    word_weight,
)


def counts(seed, n=12, terms=9):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (n, terms)) * (rng.random((n, terms)) < 0.6)


def csr(matrix):
    rows, terms = np.nonzero(matrix)
    begins = np.searchsorted(rows, np.arange(len(matrix) + 1))
    return begins, terms, matrix[rows, terms]


def candidates(seed, n=6, d=8, t=5):
    rng = np.random.default_rng(seed)
    falling = -np.sort(-rng.random((n, len(RANKS))), axis=1)
    return CounterCandidates(
        vectors=rng.integers(-127, 128, (n, d)).astype(np.int8),
        scales=rng.random(n).astype(np.float32),
        hubness=rng.random(n),
        profile=falling.astype(np.float16),
        tf=rng.integers(0, 3, (n, t)),
        norms=5 + rng.random(n),
        word_hubness=rng.random(n),
        word_profile=(falling / 2).astype(np.float16),
        counterness=rng.normal(0, 1, n),
        quality=rng.random(n),
    )


def query(seed, d=8, t=5):
    rng = np.random.default_rng(seed + 1000)
    vector, claim = rng.normal(0, 1, (2, d)).astype(np.float32)
    return CounteredArgument(
        vector, claim, rng.integers(1, 4, t), rng.integers(0, 2, t), 1 + rng.random(t)
    )


def counter_scores(q, c, w):
    found = features(q, c)
    return combine(found, w), found


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_the_explanation_adds_up_to_the_score(seed):
    q, c = query(seed), candidates(seed)
    scores, found = counter_scores(q, c, CounterWeights())
    for place, score in enumerate(scores):
        tree = explain(found, place, CounterWeights())
        assert tree.value == score
        assert sum(detail.value for detail in tree.details) == pytest.approx(score)
        for name, detail in zip(NAMES, tree.details, strict=True):
            weight, value = (part.value for part in detail.details)
            assert detail.value == weight * value
            assert (weight, value) == (getattr(CounterWeights(), name), getattr(found, name)[place])


@pytest.mark.thorough
@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), part=st.permutations(range(6)))
def test_a_candidate_is_scored_by_itself(seed, part):
    q, c = query(seed), candidates(seed)
    some = CounterCandidates(*(getattr(c, name)[list(part[:3])] for name in c.__slots__))
    whole = counter_scores(q, c, CounterWeights())[0]
    np.testing.assert_allclose(counter_scores(q, some, CounterWeights())[0], whole[list(part[:3])])


def test_who_shares_no_word_is_the_last_by_words():
    q, c = query(7), candidates(7)
    c = replace(c, tf=np.zeros_like(c.tf), word_profile=np.zeros((6, len(RANKS))))
    assert features(q, c).word_rank.tolist() == [np.log(64)] * 6


def test_without_a_conclusion_its_features_are_zero():
    q, c = query(2), candidates(2)
    found = features(replace(q, claim=None, claim_tf=np.zeros(5, int)), c)
    assert not found.claim.any()
    assert not found.claim_words.any()
    assert found.cosine.any()


@pytest.mark.parametrize("n", [0, 1, 2])
def test_hardly_any_candidates(n):
    scores, found = counter_scores(query(3), candidates(3, n), CounterWeights())
    assert scores.shape == (n,)
    assert np.isfinite(scores).all()
    assert all(len(getattr(found, name)) == n for name in NAMES)


def test_texts_without_words_and_zero_vectors_score_finite():
    q, c = query(4, t=0), candidates(4, t=0)
    c = replace(c, vectors=np.zeros_like(c.vectors), norms=np.zeros(6))
    q = replace(q, vector=np.zeros(8, np.float32))
    scores, found = counter_scores(q, c, CounterWeights())
    assert np.isfinite(scores).all()
    assert not found.cosine.any()
    assert not found.words.any()


def test_log_rank_by_hand():
    falling = -np.sort(-np.arange(64) / 100)[None, :].astype(np.float32)  # .63, .62, … 0
    held = profile(falling)
    assert held[0].tolist() == pytest.approx([0.63, 0.62, 0.60, 0.56, 0.48, 0.32, 0.0], abs=1e-3)
    assert log_rank(held, [0.7]) == 0  # nothing is nearer
    assert log_rank(held, [0.0]) == pytest.approx(np.log(64))
    assert log_rank(held, [-1.0]) == pytest.approx(np.log(64))
    assert log_rank(held, [held[0, 3]]) == pytest.approx(np.log(8))
    middle = (float(held[0, 3]) + float(held[0, 4])) / 2  # half way from place 8 to 16
    assert log_rank(held, [middle]) == pytest.approx(np.log(8) + np.log(2) / 2)


@given(seed=st.integers(0, 1000), a=st.floats(-1, 1), b=st.floats(-1, 1))
def test_nearer_never_ranks_lower(seed, a, b):
    rng = np.random.default_rng(seed)
    held = profile(-np.sort(-rng.uniform(-1, 1, (1, 64)), axis=1).astype(np.float32))
    low, high = sorted((a, b))
    assert log_rank(held, [high])[0] <= log_rank(held, [low])[0]


def test_a_profile_of_few_neighbours():
    held = profile(np.array([[0.5, 0.25, BELOW]], np.float32))
    assert held[0].tolist() == [0.5, 0.25] + [BELOW] * 5
    assert log_rank(held, [0.6]) == 0
    assert 0 < log_rank(held, [0.2])[0] < np.log(4)
    assert (profile(np.full((2, 64), BELOW, np.float32)) == BELOW).all()
    assert log_rank(profile(np.full((2, 64), BELOW, np.float32)), [0, 1]).tolist() == [0, 0]


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), workers=st.integers(1, 3), n=st.integers(0, 40))
def test_coarse_scores_are_the_formula(seed, workers, n):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-127, 128, (n, 16)).astype(np.int8)
    q, k = rng.normal(0, 1, (2, 16))
    hubness = rng.random(n).astype(np.float32)
    scales = (rng.random(n) / 300).astype(np.float32)
    expected = cosines(q, rows, scales) + 0.5 * cosines(k, rows, scales) - hubness
    found = coarse_scores(direction(q, k), rows, scales, hubness, workers)
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert found.tobytes() == coarse_scores(direction(q, k), rows, scales, hubness).tobytes()
    alone = coarse_scores(direction(q, None), rows, scales, hubness)
    np.testing.assert_allclose(alone, cosines(q, rows, scales) - hubness, atol=1e-3)


def test_widest_rows_do_not_overflow():
    rows, scales = quantise(np.full((1, 1040), 1040**-0.5))
    assert (rows == 127).all()
    found = coarse_scores(direction(np.ones(1040), None), rows, scales, np.zeros(1))
    assert found[0] == pytest.approx(1, abs=1e-3)


@given(
    scores=st.lists(st.integers(0, 4), max_size=12),
    depth=st.integers(0, 14),
    without=st.sets(st.integers(0, 11)),
)
def test_first_choice_is_a_stable_sort(scores, depth, without):
    left = [i for i in range(len(scores)) if i not in without]
    expected = sorted(left, key=lambda i: (-scores[i], i))[:depth]
    barred = [i for i in without if i < len(scores)]
    assert first_choice(np.array(scores, np.float32), depth, barred).tolist() == expected


def test_words_are_scikit_learns_tfidf():
    matrix = counts(0)
    weighed = TfidfTransformer(sublinear_tf=True).fit_transform(matrix)
    v = word_vectors(*csr(matrix), matrix.shape[1])
    rarity = idf((matrix > 0).sum(axis=0), len(matrix))
    expected = cosine_similarity(weighed)
    for row in range(len(matrix)):
        found = word_cosines(matrix[row], matrix, rarity, v.norms)
        np.testing.assert_allclose(found, expected[row], atol=1e-6)
    ids = neighbours(quantise(matrix), 4).ids
    chosen = -np.sort(-np.take_along_axis(expected, ids.astype(int), axis=1), axis=1)
    np.testing.assert_allclose(cosines_to_neighbours(v, ids), chosen, atol=1e-6)


@pytest.mark.parametrize("block", [1, 5, 100])
def test_cosines_are_the_same_bits_in_any_blocks(block, monkeypatch):
    v = word_vectors(*csr(counts(1, 40)), 9)
    ids = np.random.default_rng(2).integers(-1, 40, (40, 6)).astype(np.int32)
    rows = np.zeros((40, 9), np.float32)
    for doc in range(40):
        run = slice(v.begins[doc], v.begins[doc + 1])
        rows[doc, v.terms[run]] = v.weights[run]
    expected = np.full(ids.shape, BELOW, np.float32)
    for (doc, place), other in np.ndenumerate(ids):
        length = np.float64(v.norms[doc]) * v.norms[other]
        if other >= 0:  # products of single precision, added up in double, term by term
            sum_ = sum((rows[doc] * rows[other]).astype(np.float64))
            expected[doc, place] = sum_ / length if length else 0
    monkeypatch.setattr(rooms, "DOCUMENTS", block)
    found = cosines_to_neighbours(v, ids, 3)
    assert found.tobytes() == np.sort(expected, axis=1)[:, ::-1].tobytes()


def test_words_of_empty_documents():
    v = word_vectors([0, 0, 2, 2], [0, 1], [1, 2], 2)
    found = cosines_to_neighbours(v, np.array([[1, 2], [0, -1], [-1, -1]], np.int32))
    assert found.tolist() == [[0, 0], [0, BELOW], [BELOW, BELOW]]
    assert v.norms[[0, 2]].tolist() == [0, 0]


def test_a_word_that_is_said_millions_of_times_is_weighed_like_others():
    tf = np.array([1, TABLE_SIZE, TABLE_SIZE + 1, 25_000_000, TABLE_SIZE + 1], np.int32)
    v = word_vectors([0, 2, 5], [0, 1, 0, 1, 2], tf, 3)
    assert (
        v.weights.tolist()
        == word_weight(tf, idf([2, 2, 1], 2)[[0, 1, 0, 1, 2]]).astype("f").tolist()
    )
    a = 1 + np.log(25_000_000)
    found = counterness([0, 2], [0, 1], [25_000_000, 1], [1, 0])
    assert found == pytest.approx(a / np.hypot(a, 1))


def test_frequencies_are_read_from_postings():
    matrix = counts(1)
    terms, docs = np.nonzero(matrix.T)
    bounds = np.searchsorted(terms, np.arange(matrix.shape[1] + 1))
    asked, rows = np.array([3, 0, 5]), [7, 2, 2, 11]
    runs = (bounds[asked], bounds[asked + 1])
    found = frequencies_in(docs.astype(np.int32), matrix[docs, terms].astype(np.uint8), runs, rows)
    assert found.tolist() == matrix[rows][:, asked].tolist()
    nowhere = frequencies_in(docs.astype(np.int32), matrix[docs, terms], ([0], [0]), rows)
    assert nowhere.tolist() == [[0]] * 4


def test_counterness_by_hand():
    # "not not so": (1 + ln 2)·2 − 1·1 over √((1 + ln 2)² + 1²); an empty text has 0.
    weights = cue_weights([b"not", b"so", b"x"], {"not": 2.0, "so": -1.0})
    assert weights.tolist() == [2, -1, 0]
    found = counterness([0, 2, 2, 3], [0, 1, 2], [2, 1, 5], weights)
    a = 1 + np.log(2)
    assert found == pytest.approx([(2 * a - 1) / np.hypot(a, 1), 0, 0])


def test_cues_are_words_that_the_analyzer_makes():
    from argsearch.indexer.analysis.standard import StandardAnalyzer

    assert all(StandardAnalyzer().tokens(word) == [word] for word in CUES)
    assert CUES["argument"] > 0
    assert CUES["therefore"] < 0


def test_arrays_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"must equal the last value .*not 1, 1 and \[2\]"):
        word_vectors([0, 2], [0], [1], 1)
    with pytest.raises(ValueError, match="tf must .*not 1 and 1 to 1"):
        word_vectors([0, 1], [1], [1], 1)
    with pytest.raises(ValueError, match="tf must .*not 1 and 1 to 1"):
        counterness([0, 1], [1], [1], np.ones(1))
