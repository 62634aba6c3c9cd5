"""D20's pairwise classifiers: the features, and where their published accuracy comes from."""

from __future__ import annotations

import numpy as np
import pytest

from argsearch.indexer.quality.classifiers import CLASSIFIERS, make_classifier, with_query
from argsearch.lab.judgements.pairs import DIMENSIONS, Ratings
from argsearch.lab.training.pairwise_classifier import examples

QUERIES, EACH, D = 16, 8, 6


class Noise:
    """An encoder whose rows say nothing about the text."""

    name = "noise"
    dimensions = D

    def encode(self, texts):
        seeds = [sum(map(ord, text)) * 7919 + len(text) for text in texts]
        rows = [np.random.default_rng(seed).normal(size=D) for seed in seeds]
        return np.array(rows, np.float32)


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    """Arguments whose ratings were drawn at random: nothing about them can be learned."""
    rng = np.random.default_rng(3)
    n = QUERIES * EACH
    texts = tuple(f"argument {i}" * (i % 5 + 1) for i in range(n))
    queries = tuple(f"query {q}" for q in range(QUERIES))
    query = np.repeat(np.arange(QUERIES), EACH)
    votes = {d: rng.integers(1, 4, (n, 3)).astype(float) for d in (*DIMENSIONS, "overall quality")}
    return Ratings("random", "", texts, queries, queries, query, votes)


@pytest.fixture(scope="module")
def cases(ratings: Ratings):
    return examples(ratings, "cogency", Noise())


def test_the_features_are_the_papers():
    p, q = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
    assert with_query(p, q).tolist() == [[4, 1, -2, 3, 3, -2]]


def test_every_pair_stands_in_both_orders(ratings: Ratings, cases) -> None:
    pairs = ratings.pairs("cogency")
    assert len(cases.wins) == 2 * len(pairs.better)
    assert cases.wins.sum() == len(pairs.better)
    both = set(zip(cases.first.tolist(), cases.second.tolist(), strict=True))
    assert {(b, a) for a, b in both} == both
    assert len(both) == len(cases.wins)
    means = ratings.means("cogency")
    assert ((means[cases.first] > means[cases.second]) == cases.wins).all()
    row = cases.rows(np.array([0]))
    assert row.shape == (1, 6 * D)
    assert row[0, : 3 * D].tolist() == cases.parts[cases.first[0]].tolist()


@pytest.mark.thorough
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_all_seven_learn_what_can_be_learned(name: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] > X[:, 1]
    fitted = make_classifier(name).fit(X[:200], y[:200])
    assert np.mean(fitted.predict(X[200:]) == y[200:]) > 0.8
    again = make_classifier(name).fit(X[:200], y[:200])
    assert (again.predict(X[200:]) == fitted.predict(X[200:])).all()
