"""TF-IDF like Lucene's ClassicSimilarity, its former default vector space model.

Lucene's documentation squares the idf. Lucene's code and this module do not square it, because the
query's idf was removed with the query norm. Terrier's model of this name is different: BM25's
saturation times log2(N/df + 1). Lucene rounds to float32, and this module uses float64.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from argsearch.ranking.explanation import Explanation
from argsearch.ranking.similarities.statistics import Array, Statistics, checked


@dataclass(frozen=True, slots=True)
class TFIDF:
    """TF-IDF score: sqrt(tf) · (1 + ln((N + 1)/(df + 1))) / sqrt(dl). It has no parameters."""

    def score(self, tf: ArrayLike, dl: ArrayLike, term: Statistics) -> Array:
        """Return a term's score, above 0 (see `Similarity.score`)."""
        tf, dl = checked("tf", tf, above=True), checked("dl", dl, above=True)
        idf = 1.0 + np.log((term.N + 1.0) / (term.df + 1.0))
        return np.asarray(np.sqrt(tf) * idf / np.sqrt(dl))

    def explain(self, tf: float, dl: float, term: Statistics) -> Explanation:
        """Explain a term's score (see `Similarity.explain`)."""
        idf = Explanation(
            float(1.0 + np.log((term.N + 1.0) / (term.df + 1.0))),
            "idf, inverse document frequency: 1 + ln((N + 1) / (df + 1))",
            term.explain("N", "df"),
        )
        return Explanation(
            float(self.score(tf, dl, term)),
            "TF-IDF, one term: sqrt(tf) × idf / sqrt(dl)",
            (term.leaf("tf", tf), idf, term.leaf("dl", dl)),
        )
