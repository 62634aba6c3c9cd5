"""The two protocols that D20's pairwise classifiers are tried by, and what the one leaks.

The paper reports accuracies of .78 to .98 and names both "leave-one-query-out" and "shuffled,
32-fold". Shuffled folds leak: every pair is there in both orders, so the mirror of a test pair is
in the training data 31 times of 32. `mirror_accuracy` is what looking the mirror up gives, with no
feature looked at.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from argsearch.lab.judgements.pairs import DIMENSIONS, Ratings
from argsearch.lab.training.pairwise_classifier import Examples

SHUFFLED_FOLDS = 32
"""Shuffled folds of the paper."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def shuffled(count: int, seed: int, folds: int = SHUFFLED_FOLDS) -> Ints:
    """The paper's other protocol: examples dealt to folds at random, int64[count]."""
    fold = np.empty(count, np.int64)
    fold[np.random.default_rng(seed).permutation(count)] = np.arange(count) % folds
    return fold


def mirrors_together(pair: Ints, seed: int, folds: int = SHUFFLED_FOLDS) -> Ints:
    """Shuffled folds that keep both orders of a pair in one fold, int64[m]."""
    numbers = np.unique(pair, return_inverse=True)[1]
    return shuffled(int(numbers.max()) + 1, seed, folds)[numbers]


def pairs_of(cases: Examples) -> Ints:
    """A number a pair, whichever its order, int64[m]."""
    low, high = np.minimum(cases.first, cases.second), np.maximum(cases.first, cases.second)
    return low * (int(high.max()) + 1) + high


def mirror_accuracy(cases: Examples, folds: Ints) -> float:
    """What the leak alone is worth: right where the mirror is in the training data, else a coin."""
    found, pair = np.zeros(len(folds), np.bool_), pairs_of(cases)
    for fold in np.unique(folds):
        known = np.unique(pair[folds != fold])
        found |= (folds == fold) & np.isin(pair, known)
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
