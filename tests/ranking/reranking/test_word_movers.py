"""Word mover's distance: by hand, against POT itself and a linear programme, and its laws."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from argsearch.ranking.reranking import word_movers
from argsearch.ranking.reranking.word_movers import Bag, costs, distance, distances
from tests.ranking.plain import relaxed

ROWS = 8
COORDINATES = st.integers(-4, 4)


@st.composite
def matrices(draw):
    d = draw(st.integers(1, 3))
    row = st.lists(COORDINATES, min_size=d, max_size=d)
    return np.array(draw(st.lists(row, min_size=ROWS, max_size=ROWS)), np.float32)


@st.composite
def bags(draw, least=0):
    words = draw(st.lists(st.integers(0, ROWS - 1), min_size=least, max_size=5, unique=True))
    tf = draw(st.lists(st.integers(1, 9), min_size=len(words), max_size=len(words)))
    return Bag(np.array(words, np.int64), word_movers.weights(tf))


def cost_of(q, s, vectors):
    return costs(vectors[q.words], vectors[s.words])


def by_linear_programme(q, s, vectors):
    """The definition, solved by HiGHS over scipy's distances."""
    n, m = len(q.words), len(s.words)
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))
    c = cdist(vectors[q.words].astype(float), vectors[s.words].astype(float)).ravel()
    sums = np.concatenate((q.weights, s.weights))
    return linprog(c, A_eq=np.vstack((rows, columns)), b_eq=sums).fun


def test_by_hand():
    # On a line: words at 0, 1 and 4; half of the mass goes 1, the other half 4.
    vectors = np.array([[0.0], [1.0], [4.0]])
    q, s = Bag(np.array([0]), np.ones(1)), Bag(np.array([1, 2]), np.array([0.5, 0.5]))
    assert distances(q, [s, q], vectors) == pytest.approx([2.5, 0])
    assert word_movers.similarity([0.0, 3.0]).tolist() == [1, 0.25]


def test_weights_by_hand():
    # log₂(1 + 1) = 1 and log₂(1 + 3) = 2
    assert word_movers.weights([1, 3]) == pytest.approx([1 / 3, 2 / 3])
    assert word_movers.weights([]).tolist() == []


@given(q=bags(1), s=bags(1), vectors=matrices())
def test_equals_pot_and_the_definition(q, s, vectors):
    pot = word_movers.prepare()
    cost = cdist(vectors[q.words].astype(float), vectors[s.words].astype(float))
    found = distance(q, s, cost_of(q, s, vectors))
    assert found == pytest.approx(pot.emd2(q.weights, s.weights, cost), abs=1e-6)
    assert found == pytest.approx(by_linear_programme(q, s, vectors), abs=1e-6)


@given(q=bags(), rows=st.lists(bags(), max_size=6), vectors=matrices())
def test_a_text_without_known_words_is_as_far_as_the_farthest(q, rows, vectors):
    found = distances(q, rows, vectors)
    assert np.isfinite(found).all()
    for s, far in zip(rows, found, strict=True):
        if not (len(q.words) and len(s.words)):
            assert far == found.max()


@given(vectors=matrices(), scale=st.sampled_from([1e-30, 1e-3, 1, 1e15]))
def test_costs_are_euclidean_distances_in_any_unit(vectors, scale):
    scaled = vectors * np.float32(scale)
    theirs = cdist(scaled.astype(float), scaled.astype(float))
    np.testing.assert_allclose(costs(scaled, scaled), theirs, atol=4e-5 * scale)


def test_bags_of_hundreds_of_words():
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(400, 16)).astype(np.float32)
    q = Bag(np.arange(200), word_movers.weights(rng.integers(1, 5, 200)))
    s = Bag(np.arange(200, 400), word_movers.weights(rng.integers(1, 5, 200)))
    assert np.isfinite(distances(q, [s, s], vectors)).all()


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.array([[np.nan]]), r"vectors must be finite numbers of shape \(words, d\)"),
        (np.zeros(3), r"vectors must be finite numbers of shape \(words, d\)"),
        (np.zeros((0, 2)), "words in a bag must be from 0 to -1, not 0"),
    ],
)
def test_bad_vectors_are_named(vectors, message):
    one = Bag(np.array([0]), np.ones(1))
    with pytest.raises(ValueError, match=message):
        distances(one, [one], vectors)


@pytest.mark.thorough
def test_loads_no_tensor_libraries():
    script = (
        "import sys, numpy as np\n"
        "from argsearch.ranking.reranking import word_movers\n"
        "a = np.full(3, 1 / 3)\n"
        "assert word_movers.cheapest(a, a, np.ones((3, 3))) == 1\n"
        "heavy = {'torch', 'tensorflow', 'jax', 'cupy'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@given(q=bags(), rows=st.lists(bags(), max_size=6), vectors=matrices(), least=st.floats(0.05, 0.95))
def test_within_is_what_every_distance_says(q, rows, vectors, least):
    far = [distance(q, s, cost_of(q, s, vectors)) for s in rows]
    expected = [1 / (1 + d) > least for d in far]
    assert word_movers.within(q, rows, vectors, least).tolist() == expected


@given(q=bags(1), rows=st.lists(bags(1), min_size=1, max_size=6), vectors=matrices())
def test_bounds_of_many_are_those_of_each(q, rows, vectors):
    cost = costs(vectors[q.words], vectors)
    each = [relaxed(q, s, cost[:, s.words]) for s in rows]
    assert word_movers._relaxed(q, rows, cost) == pytest.approx(each)


@given(q=bags(1), s=bags(1), vectors=matrices())
def test_the_short_way_to_pot_gives_its_bits(q, s, vectors):
    cost = np.ascontiguousarray(cost_of(q, s, vectors))
    theirs = word_movers.prepare().emd2(
        q.weights, s.weights, cost, numItermax=word_movers.MOST_PIVOTS, check_marginals=False
    )
    assert distance(q, s, cost) == theirs


def test_an_unfinished_transport_warns(monkeypatch):
    rng = np.random.default_rng(5)
    shares = np.full(30, 1 / 30)
    monkeypatch.setattr(word_movers, "MOST_PIVOTS", 1)
    with pytest.warns(UserWarning, match="numItermax"):
        word_movers.cheapest(shares, shares, rng.random((30, 30)))
