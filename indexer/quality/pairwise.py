"""The pairwise model, in which a score per dimension decides which premise beats which (D20).

The model is linear in the difference of two premises' features. The premise with the higher score
therefore wins, and dcf is a rank. The features: the quality model's, and TF-IDF of single words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.model_files import (
    PAIRWISE,
    numbers,
    packed_terms,
    shipped,
    standards,
    unpacked_terms,
)
from argsearch.indexer.quality.classifiers import PairwiseClassifier
from argsearch.indexer.quality.kinds import SCORED_AT_ONCE, check_features
from argsearch.ranking.quality.linear import Linear, Standard, score
from argsearch.ranking.quality.surface import FEATURES, MAX_WORDS, features
from argsearch.ranking.quality.svm import TermCounts, count_terms, weights

DEFAULT_PAIRWISE_FILE = shipped("pairwise-default")

Floats = NDArray[np.float64]


def opening(text: str) -> str:
    """Return the first `MAX_WORDS` words of a text, which are all that the other features read."""
    return " ".join(text.split()[:MAX_WORDS])


def counted(texts: Sequence[str], index: dict[str, int]) -> TermCounts:
    """Count the terms in each text's `opening`."""
    return count_terms([opening(text) for text in texts], index)


@dataclass(frozen=True, slots=True)
class PairwiseModel:
    """Scores premises: w·standard(features) + v·tfidf, with one (w, v) per dimension."""

    name: str
    sha256: str
    dimensions: tuple[str, ...]
    standard: Standard
    surface: Floats
    """float64[dimensions, features]."""
    terms: tuple[str, ...]
    idf: Floats
    """float64[terms]."""
    words: Floats
    """float64[dimensions, terms], what a term with TF-IDF weight 1 adds to the score."""

    def scores(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return scores, float32[n, dimensions]; higher wins. Texts do not affect each other."""
        index = {term: i for i, term in enumerate(self.terms)}
        out = np.empty((len(texts), len(self.dimensions)), np.float32)
        linear = tuple(Linear(w, 0.0) for w in self.surface)
        for start in range(0, len(texts), SCORED_AT_ONCE):
            batch = texts[start : start + SCORED_AT_ONCE]
            found = score(features(batch), self.standard, linear)
            out[start : start + SCORED_AT_ONCE] = found + self._by_words(counted(batch, index))
        return out

    def _by_words(self, counts: TermCounts) -> Floats:
        rows = np.repeat(np.arange(len(counts.starts) - 1), np.diff(counts.starts))
        tfidf, n = weights(counts, self.idf), len(counts.starts) - 1
        sums = [np.bincount(rows, tfidf * v[counts.ids], minlength=n) for v in self.words]
        return np.stack(sums, axis=1)

    def pack(self) -> dict[str, NDArray[Any]]:
        """Return the arrays for a model file."""
        return {
            "standard": self.standard.stacked(),
            "surface": self.surface,
            "terms": packed_terms(self.terms),
            "idf": self.idf,
            "words": self.words,
        }


def load_pairwise_model(spec: str = "default") -> PairwiseModel | PairwiseClassifier:
    """Load the model `default`, which ships with the package, or the model file at a path.

    Raises ModelError with a one-line remedy if the file cannot be used.
    """
    file = PAIRWISE.read(DEFAULT_PAIRWISE_FILE if spec == "default" else Path(spec))
    if "classifier" in file.header:
        return PairwiseClassifier.of(spec, file)
    check_features(PAIRWISE, spec, file)
    arrays = file.arrays
    with PAIRWISE.unpacking(spec):
        terms, dimensions = unpacked_terms(arrays), tuple(file.header["dimensions"])
        return PairwiseModel(
            spec,
            file.sha256,
            dimensions,
            Standard(*standards(arrays, len(FEATURES))),
            numbers(arrays, "surface", len(dimensions), len(FEATURES)),
            terms,
            numbers(arrays, "idf", len(terms)),
            numbers(arrays, "words", len(dimensions), len(terms)),
        )
