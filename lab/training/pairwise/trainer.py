"""Fitting the pairwise model: ridge regression of 1 on the difference of two texts' features.

Why so little: on issues it has not seen it is as good as anything tried (docs/premises.md), and a
model that is linear in the difference makes dcf a rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.quality.pairwise import PairwiseModel, counted, opening
from argsearch.lab.judgements.pairs import TextPairs
from argsearch.ranking.quality.linear import Standard
from argsearch.ranking.quality.surface import features
from argsearch.ranking.quality.svm import TfIdfVocabulary, fit_vocabulary, weights

TERMS = 1000
"""Words of the vocabulary, the most frequent of the judged texts."""

WORD_SCALE = 8.0
"""What TF-IDF is multiplied by, so that one ridge penalty fits both blocks of features."""

ALPHA = 1.0
"""Ridge penalty, where the squared errors of each source sum to its weight."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sources:
    """What each dimension learns from: its own pairs, and pairs that all share."""

    own: dict[str, TextPairs]
    """Dimension -> its pairs."""
    shared: tuple[TextPairs, ...]

    def without(self, topics: frozenset[str], own: frozenset[str]) -> Sources:
        """The same less the shared pairs of some topics and the own pairs of some queries."""
        return Sources(
            {name: _less(pairs, own) for name, pairs in self.own.items()},
            tuple(_less(pairs, topics) for pairs in self.shared),
        )

    @property
    def texts(self) -> list[str]:
        """Every text that occurs in a pair, once, in order."""
        found: dict[str, None] = {}
        for pairs in chain(self.shared, self.own.values()):
            for row in np.unique(np.concatenate([pairs.better, pairs.worse])).tolist():
                found.setdefault(pairs.texts[row])
        return list(found)


def _less(pairs: TextPairs, topics: frozenset[str]) -> TextPairs:
    return pairs.only(np.array([topic not in topics for topic in pairs.topics], np.bool_))


@dataclass(frozen=True, slots=True)
class Space:
    """The features of some texts, and what they were made with."""

    standard: Standard
    vocabulary: TfIdfVocabulary
    row: dict[str, int]
    X: Floats
    """float64[texts, features + terms], TF-IDF multiplied by `WORD_SCALE`."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> Space:
        """Ranges and vocabulary from these very texts."""
        surface = features(texts)
        standard = Standard.of(surface)
        vocabulary = fit_vocabulary((opening(text) for text in texts), (), TERMS)
        words = WORD_SCALE * tfidf(texts, vocabulary)
        rows = {text: i for i, text in enumerate(texts)}
        return cls(standard, vocabulary, rows, np.hstack([standard(surface), words]))

    def normal(self, pairs: TextPairs) -> tuple[Floats, Floats]:
        """(DᵀD / m, Dᵀ1 / m) of the m differences D = X_better − X_worse; zeros for no pair."""
        if not len(pairs.better):
            width = self.X.shape[1]
            return np.zeros((width, width)), np.zeros(width)
        better, worse = ([self.row[pairs.texts[i]] for i in s] for s in (pairs.better, pairs.worse))
        D = self.X[better] - self.X[worse]
        return D.T @ D / len(D), D.mean(axis=0)


def tfidf(texts: Sequence[str], vocabulary: TfIdfVocabulary) -> Floats:
    """TF-IDF of the texts' openings, dense: float64[n, terms], rows of length 1 or 0."""
    index = {term: i for i, term in enumerate(vocabulary.terms)}
    counts = counted(texts, index)
    out = np.zeros((len(texts), len(vocabulary.terms)))
    rows = np.repeat(np.arange(len(texts)), np.diff(counts.starts))
    out[rows, counts.ids] = weights(counts, vocabulary.idf)
    return out


def fit_pairwise(sources: Sources) -> PairwiseModel:
    """argmin_w Σ_s mean_{(a,b) ∈ s} (1 − w·(x_a − x_b))² + α‖w‖², one w a dimension.

    The sources s of a dimension are its own pairs and all the shared ones, of equal weight.
    """
    space = Space.of(sources.texts)
    split = len(space.standard.mean)
    shared = [space.normal(pairs) for pairs in sources.shared]
    fitted = []
    for pairs in sources.own.values():
        normals = [*shared, space.normal(pairs)]
        gram = ALPHA * np.eye(space.X.shape[1]) + sum(gram for gram, _ in normals)
        fitted.append(np.linalg.solve(gram, sum(moment for _, moment in normals)))
    w = np.array(fitted)
    return PairwiseModel(
        "",
        "",
        tuple(sources.own),
        space.standard,
        w[:, :split].copy(),
        space.vocabulary.terms,
        space.vocabulary.idf,
        WORD_SCALE * w[:, split:],
    )
