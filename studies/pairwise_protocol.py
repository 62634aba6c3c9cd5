"""D20's pairwise classifiers as published: features of embeddings, seven kinds, two protocols.

The paper reports accuracies of .78 to .98 and names both "leave-one-query-out" and "shuffled,
32-fold". Shuffled folds leak: every pair is there in both orders, so the mirror of a test pair is
in the training data 31 times of 32. `mirror_accuracy` is what looking the mirror up gives, with no
feature looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import Encoder
from argsearch.lab.judgements.pairs import DIMENSIONS, Ratings

CLASSIFIERS = (
    "random forest",
    "SGD",
    "logistic regression",
    "gradient boosting",
    "SVM",
    "k-NN",
    "naive Bayes",
)
"""The paper's seven, each with scikit-learn's defaults."""

SHUFFLED_FOLDS = 32
"""Shuffled folds of the paper."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Classifier(Protocol):
    """A scikit-learn classifier."""

    def fit(self, X: Any, y: Any) -> Any:
        """Learn labels y, bool[m], of rows X, float[m, d]."""

    def predict(self, X: Any) -> Any:
        """Labels bool[m]."""


def make_classifier(name: str, seed: int = 0) -> Classifier:
    """One of `CLASSIFIERS`, scikit-learn's defaults; `seed` where it draws at random."""
    from sklearn import ensemble, linear_model, naive_bayes, neighbors, svm

    makers: dict[str, Callable[[], Classifier]] = {
        "random forest": lambda: ensemble.RandomForestClassifier(random_state=seed),
        "SGD": lambda: linear_model.SGDClassifier(random_state=seed),
        "logistic regression": lambda: linear_model.LogisticRegression(max_iter=1000),
        "gradient boosting": lambda: ensemble.GradientBoostingClassifier(random_state=seed),
        "SVM": lambda: svm.SVC(random_state=seed),
        "k-NN": neighbors.KNeighborsClassifier,
        "naive Bayes": naive_bayes.GaussianNB,
    }
    if name not in makers:
        raise ValueError(f"classifier is {name!r}; allowed: {', '.join(CLASSIFIERS)}")
    return makers[name]()


def with_query(premises: Floats, query: Floats) -> Floats:
    """(p + q, p − q, p ⊙ q) of each premise and its query, float64[n, 3·d]   (D20)."""
    return np.hstack([premises + query, premises - query, premises * query])


@dataclass(frozen=True, slots=True)
class Examples:
    """Every ordered pair of one dimension: what the paper trains and tests on."""

    first: Ints
    """int64[m], the argument of each example that is asked about."""
    second: Ints
    """int64[m], the argument it is compared with; (b, a) is there for every (a, b)."""
    wins: Flags
    """bool[m], whether the first has the higher mean rating."""
    query: Ints
    """int64[m], the query both answer."""
    parts: Floats
    """float64[n, 3·d], `with_query` of each argument."""

    def rows(self, at: Ints | Flags) -> Floats:
        """The paper's features of some examples, float64[k, 6·d]: both premises side by side."""
        return np.hstack([self.parts[self.first[at]], self.parts[self.second[at]]])

    @property
    def pair(self) -> Ints:
        """A number a pair, whichever its order, int64[m]."""
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        return low * (int(high.max()) + 1) + high


def examples(ratings: Ratings, dimension: str, encoder: Encoder) -> Examples:
    """Both orders of every pair of a query whose mean ratings differ on the dimension   (D20)."""
    pairs = ratings.pairs(dimension)
    premises = encoder.encode(ratings.texts).astype(np.float64)
    queries = encoder.encode(ratings.queries).astype(np.float64)
    wins = np.arange(2 * len(pairs.better)) < len(pairs.better)
    first = np.concatenate([pairs.better, pairs.worse])
    second = np.concatenate([pairs.worse, pairs.better])
    parts = with_query(premises, queries[ratings.query])
    return Examples(first, second, wins, ratings.query[first], parts)


def shuffled(count: int, seed: int, folds: int = SHUFFLED_FOLDS) -> Ints:
    """The paper's other protocol: examples dealt to folds at random, int64[count]."""
    fold = np.empty(count, np.int64)
    fold[np.random.default_rng(seed).permutation(count)] = np.arange(count) % folds
    return fold


def mirrors_together(pair: Ints, seed: int, folds: int = SHUFFLED_FOLDS) -> Ints:
    """Shuffled folds that keep both orders of a pair in one fold, int64[m]."""
    numbers = np.unique(pair, return_inverse=True)[1]
    return shuffled(int(numbers.max()) + 1, seed, folds)[numbers]


def right(cases: Examples, folds: Ints, name: str, seed: int = 0) -> Iterator[tuple[Ints, Flags]]:
    """Fold by fold, (examples left out, whether the classifier was right about each)."""
    for fold in np.unique(folds):
        out, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        classifier = make_classifier(name, seed).fit(cases.rows(rest), cases.wins[rest])
        yield out, np.asarray(classifier.predict(cases.rows(out)) == cases.wins[out])


def mirror_accuracy(cases: Examples, folds: Ints) -> float:
    """What the leak alone is worth: right where the mirror is in the training data, else a coin."""
    found = np.zeros(len(folds), np.bool_)
    for fold in np.unique(folds):
        known = np.unique(cases.pair[folds != fold])
        found |= (folds == fold) & np.isin(cases.pair, known)
    return float(np.mean(np.where(found, 1.0, 0.5)))


def one_annotator(ratings: Ratings) -> dict[str, float]:
    """How often one annotator's rating orders a pair as the mean of the other two, ties ½.

    The mean over the three of them, of the pairs whose two others' means differ: how far people
    agree.
    """
    found = {}
    for dimension in (*DIMENSIONS, "overall quality"):
        votes = ratings.ratings[dimension]
        shares = [_agreement(ratings, votes, one) for one in range(votes.shape[1])]
        found[dimension] = float(np.mean(shares))
    return found


def _agreement(ratings: Ratings, votes: Floats, one: int) -> float:
    own, others = votes[:, one], np.delete(votes, one, axis=1).sum(axis=1)
    a, b = np.triu_indices(len(own), 1)
    keep = (ratings.query[a] == ratings.query[b]) & (others[a] != others[b])
    sign = np.sign(others[a] - others[b])[keep] * np.sign(own[a] - own[b])[keep]
    return float(np.mean((sign + 1) / 2))
