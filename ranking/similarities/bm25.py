"""BM25 (Robertson et al., TREC-3), as Lucene's BM25Similarity computes it.

Deviations follow Lucene. The idf = ln(1 + (N - df + 0.5)/(df + 0.5)) is never negative. The
numerator omits the factor k1 + 1, because it does not change the order. Lucene rounds to float32,
and this module uses float64.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from argsearch.ranking.explanation import Explanation
from argsearch.ranking.parameters import parameter
from argsearch.ranking.similarities.statistics import Array, Statistics, check_parameter, checked

K1 = "BM25 and BM25F: how slowly a term's occurrences saturate"


def idf(df: ArrayLike, N: ArrayLike) -> Array:
    """Return ln(1 + (N - df + 0.5) / (df + 0.5)) > 0, the weight of a term in df of N documents."""
    n = np.asarray(df, dtype=np.float64)
    return np.asarray(np.log(1.0 + (np.asarray(N) - n + 0.5) / (n + 0.5)))


def explain_idf(term: Statistics) -> Explanation:
    """Explain `idf`."""
    return Explanation(
        float(idf(term.df, term.N)),
        "idf, inverse document frequency: ln(1 + (N - df + 0.5) / (df + 0.5))",
        term.explain("N", "df"),
    )


@dataclass(frozen=True, slots=True)
class BM25:
    """BM25 score: idf · tf / (tf + k1·(1 - b + b·dl/avgdl)).

    The parameter k1 ≥ 0 sets how slowly a term's occurrences saturate, and b in [0, 1] sets the
    length penalty. Raises ValueError for an invalid k1 or b.
    """

    k1: float = parameter(1.2, K1, low=0.0, high=1000.0)
    b: float = parameter(0.75, "BM25: penalty for long documents", low=0.0, high=1.0)

    def __post_init__(self) -> None:
        check_parameter("k1", self.k1)
        check_parameter("b", self.b, high=1.0)

    def score(self, tf: ArrayLike, dl: ArrayLike, term: Statistics) -> Array:
        """Return a term's score in (0, idf] (see `Similarity.score`)."""
        tf, dl = checked("tf", tf, above=True), checked("dl", dl, above=True)
        return np.asarray(idf(term.df, term.N) * (tf / (tf + self.saturation(dl, term.avgdl))))

    def saturation(self, dl: ArrayLike, avgdl: float) -> Array:
        """Return K = k1·(1 - b + b·dl/avgdl); a term that occurs K times has half its idf."""
        return np.asarray(self.k1 * (1.0 - self.b + self.b * np.asarray(dl) / avgdl))

    def explain(self, tf: float, dl: float, term: Statistics) -> Explanation:
        """Explain a term's score (see `Similarity.explain`)."""
        K = Explanation(
            float(self.saturation(dl, term.avgdl)),
            "K, saturation for this length: k1 × (1 - b + b × dl / avgdl)",
            (
                Explanation(self.k1, "k1, term saturation"),
                Explanation(self.b, "b, length normalisation"),
                term.leaf("dl", dl),
                *term.explain("avgdl"),
            ),
        )
        return Explanation(
            float(self.score(tf, dl, term)),
            "BM25, one term: idf × tf / (tf + K)",
            (explain_idf(term), term.leaf("tf", tf), K),
        )
