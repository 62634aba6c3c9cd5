"""DirichletLM: the language model with Dirichlet smoothing (R of H21 Eq. 1), as Lucene computes it.

Symbols: tf = occurrences of the term t in the document, dl = length of the document in tokens. In
the whole collection, ttf = occurrences of t and T = tokens. The smoothing parameter μ is a number
of tokens. All arguments broadcast against each other.

Two deviations from Zhai and Lafferty follow Lucene: the clamp at 0 is per term, and a term that is
not in the document contributes nothing. Lucene rounds each term's score to float32. This module
uses float64 (relative difference ≤ 6e-8).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from argsearch.ranking.explanation import Explanation
from argsearch.ranking.parameters import parameter
from argsearch.ranking.similarities.statistics import Array, Statistics, check_parameter, checked

MU = 2000.0
"""The usual smoothing μ (H21; default of Lucene and Elasticsearch)."""


def collection_probability(ttf: ArrayLike, T: ArrayLike) -> Array:
    """Return P(t) = (ttf + 1) / (T + 1), in (0, 1]   (H21, R; Lucene's default collection model).

    Raises ValueError if ttf or T is negative or ttf exceeds T.
    """
    ttf, T = checked("ttf", ttf), checked("T", T)
    if np.any(ttf > T):
        raise ValueError(f"ttf must be from 0 to T, {np.max(T):g} tokens, not {np.max(ttf):g}")
    return (ttf + 1.0) / (T + 1.0)


def term_weight(tf: ArrayLike, P: ArrayLike, mu: float = MU) -> Array:
    """Return ln(1 + tf / (μ·P)) ≥ 0, the part that depends on the term. P is in (0, 1]   (H21, R).

    Raises ValueError if a tf is negative, a P is outside (0, 1], or μ is invalid.
    """
    tf, P = checked("tf", tf), np.asarray(P, dtype=np.float64)
    if not np.all((P > 0) & (P <= 1)):
        raise ValueError("P(t) must be above 0 and at most 1, but is not")
    check_parameter("mu", mu, above=True)
    return np.asarray(np.log(1.0 + tf / (mu * P)))


def length_norm(dl: ArrayLike, mu: float = MU) -> Array:
    """Return ln(μ / (dl + μ)) ≤ 0, the length penalty   (H21, R).

    Raises ValueError if a dl is negative or μ is invalid.
    """
    check_parameter("mu", mu, above=True)
    return np.asarray(np.log(mu / (checked("dl", dl) + mu)))


def dirichlet(tf: ArrayLike, dl: ArrayLike, ttf: ArrayLike, T: ArrayLike, mu: float = MU) -> Array:
    """Return max(0, ln(1 + tf / (μ·P(t))) + ln(μ / (dl + μ))) per term and document   (H21, R).

    R(q, d) is the sum over the query's terms in d, and a repeated query term counts each time. To
    get Lucene's scores, round dl as `smallfloat` does. Raises ValueError for an invalid value.
    """
    P = collection_probability(ttf, T)
    return np.maximum(0.0, term_weight(tf, P, mu) + length_norm(dl, mu))


def explain(tf: float, dl: float, ttf: float, T: float, mu: float = MU) -> Explanation:
    """Explain a term's score in a document. The root is `dirichlet(tf, dl, ttf, T, mu)`."""
    P = float(collection_probability(ttf, T))
    smoothing = Explanation(mu, "mu, smoothing in tokens")
    probability = Explanation(
        P,
        "P(t), probability in the collection, (ttf + 1) / (T + 1)",
        (Statistics.leaf("ttf", ttf), Statistics.leaf("T", T)),
    )
    weight = Explanation(
        float(term_weight(tf, P, mu)),
        "term weight, ln(1 + tf / (mu × P(t)))",
        (Statistics.leaf("tf", tf), smoothing, probability),
    )
    norm = Explanation(
        float(length_norm(dl, mu)),
        "length norm, ln(mu / (dl + mu))",
        (Statistics.leaf("dl", dl), smoothing),
    )
    score = max(0.0, weight.value + norm.value)
    return Explanation(score, "DirichletLM, max(0, term weight + length norm)", (weight, norm))


@dataclass(frozen=True, slots=True)
class Dirichlet:
    """`dirichlet` and `explain` as a `Similarity`. Raises ValueError for an invalid μ."""

    mu: float = parameter(MU, "Dirichlet prior μ", low=1e-3, high=1e9)

    def __post_init__(self) -> None:
        check_parameter("mu", self.mu, above=True)

    def score(self, tf: ArrayLike, dl: ArrayLike, term: Statistics) -> Array:
        """Return a term's score, from 0 (see `Similarity.score`)."""
        tf, dl = checked("tf", tf, above=True), checked("dl", dl, above=True)
        return dirichlet(tf, dl, term.ttf, term.T, self.mu)

    def explain(self, tf: float, dl: float, term: Statistics) -> Explanation:
        """Explain a term's score (see `Similarity.explain`)."""
        return explain(tf, dl, term.ttf, term.T, self.mu)
