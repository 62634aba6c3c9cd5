"""The score of H21 Eq. 1 (relevance × topical cluster × quality), with word forms, explained."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.errors import either
from argsearch.ranking.explanation import Explanation

COSINES = ("clipped", "shifted")
"""Readings of C: `clipped` is max(0, cos) in [0, 1], and `shifted` is 1 + cos in [0, 2] (H21)."""

KAPPA = 60
"""κ of reciprocal ranks, as in the paper. The larger κ is, the less the first ranks count."""
NOWHERE = np.inf
"""Rank of a document that is not in a list."""
TOP_M = 10
"""Number of top similarities that `reach` averages."""
PASSAGE_WEIGHT = 2.0 / 3.0
"""The best passage's share of M. The rest is the conclusion's share (docs/meaning.md)."""
# From the first reach on, words find the relevant texts. Up to the second, words miss them.
FOUND_REACH = 0.87
MISSED_REACH = 0.8


def cluster_similarity(cos: ArrayLike, reading: str) -> NDArray[np.float64]:
    """Return C, the cosine of query and centroid in one of the `COSINES` readings (H21).

    Raises ValueError for an unknown reading.
    """
    values = np.asarray(cos, dtype=np.float64)
    if reading == "clipped":
        return np.maximum(0.0, values)
    if reading == "shifted":
        return np.maximum(0.0, 1.0 + values)  # rounding may put a cosine slightly below -1
    raise ValueError(f"cosine must be {either(COSINES)}, not {reading!r}")


def factor(omega: float, value: ArrayLike) -> NDArray[np.float64]:
    """Return one boosting factor of Eq. 1: 1 + ω·value."""
    return 1.0 + omega * np.asarray(value, dtype=np.float64)


def combine(
    R: ArrayLike, C: ArrayLike, Q: ArrayLike, omega_C: float, omega_Q: float
) -> NDArray[np.float64]:
    """Return S(q,d) = R(q,d) · (1 + ω_C·C(q,d)) · (1 + ω_Q·Q(d))   (H21 Eq. 1).

    R, C, and Q broadcast against each other, with R ≥ 0, C in [0, 2] and Q in [0, 1]. C is 0 for a
    document without a conclusion.
    """
    return np.asarray(R, dtype=np.float64) * factor(omega_C, C) * factor(omega_Q, Q)


def of_document(
    Q: ArrayLike, omega_Q: float, columns: Sequence[tuple[float, ArrayLike]]
) -> NDArray[np.float64]:
    """Return the query-independent part of S, (1 + ω_Q·Q)·Π(1 + ω·x). columns: pairs (ω, x)."""
    product = factor(omega_Q, Q)
    for omega, x in columns:
        product = product * factor(omega, x)
    return product


def explain(
    R: Explanation,
    C: Explanation,
    Q: Explanation,
    omega_C: float,
    omega_Q: float,
    columns: Sequence[tuple[str, float, float]] = (),
) -> Explanation:
    """Explain S = R · (1 + ω_C·C) · `of_document(Q, …)`. columns: triples of name, ω and x."""
    weighed = [(omega, x) for _, omega, x in columns]
    score = float(R.value * factor(omega_C, C.value) * of_document(Q.value, omega_Q, weighed))
    cluster = Explanation(
        float(factor(omega_C, C.value)),
        "cluster factor, 1 + w_cluster × C",
        (Explanation(omega_C, "w_cluster, weight of the topical cluster", symbol="ω_C"), C),
        "1 + ω_C·C",
    )
    quality = Explanation(
        float(factor(omega_Q, Q.value)),
        "quality factor, 1 + w_quality × Q",
        (Explanation(omega_Q, "w_quality, weight of the argument quality", symbol="ω_Q"), Q),
        "1 + ω_Q·Q",
    )
    others = [_explain_column(*one) for one in columns]
    said = " × ".join(["relevance", "cluster factor", "quality factor",
                       *(f"{name} factor" for name, _, _ in columns)])  # fmt: skip
    return Explanation(score, f"score, {said}", (R, cluster, quality, *others), "S")


def _explain_column(name: str, omega: float, x: float) -> Explanation:
    weight = Explanation(omega, f"weight of the column {name}", symbol="ω")
    value = Explanation(x, f"{name}, scaled to [0, 1]; 0 if missing", symbol="x")
    described = f"{name} factor, 1 + w × x"
    return Explanation(float(factor(omega, x)), described, (weight, value), "1 + ω·x")


def mixed_forms(R_plain: ArrayLike, R_forms: ArrayLike, f: float) -> NDArray[np.float64]:
    """Return R = (1 − f) · R_plain + f · R_forms, both ≥ 0; raise ValueError unless f is in [0, 1].

    R_forms treats all terms with the same stem as one term, with the tf, df, and ttf of the whole
    class. f = ½ scores best on Webis-ArgQuality-20 (docs/formulas.md).
    """
    if not 0.0 <= f <= 1.0:
        raise ValueError(f"f must be a number from 0 to 1, not {f}")
    plain, forms = np.asarray(R_plain, np.float64), np.asarray(R_forms, np.float64)
    return np.asarray((1.0 - f) * plain + f * forms)


def explain_forms(plain: Explanation, forms: Explanation, f: float) -> Explanation:
    """Explain `mixed_forms(plain.value, forms.value, f)`."""
    weight = Explanation(f, "f, weight of the word forms")
    value = float(mixed_forms(plain.value, forms.value, f))
    said = "R, relevance: (1 - f) × R_plain + f × R_forms"
    return Explanation(value, said, (weight, plain, forms), "R")


def reciprocal_ranks(
    by_words: ArrayLike, by_meaning: ArrayLike, weight: ArrayLike
) -> NDArray[np.float64]:
    """Return F = 1 / (κ + rank by words) + ω_M / (κ + rank by meaning). A rank is ≥ 1 or NOWHERE.

    These are reciprocal ranks (Cormack, Clarke & Büttcher 2009), with a weight for the second list.
    """
    return np.asarray(1.0 / (KAPPA + np.asarray(by_words, np.float64))) + np.asarray(weight) / (
        KAPPA + np.asarray(by_meaning, np.float64)
    )


def reach(by_words: ArrayLike, nearest: ArrayLike) -> float:
    """Return how close the keyword matches come to the nearest texts, in [0, 1].

    This is the sum of the TOP_M highest M in by_words, divided by the same sum in `nearest`. The
    result is 0 without keyword matches, and 1 if no text is near.
    """
    of_words, of_all = (
        float(np.sort(np.asarray(M, np.float64))[::-1][:TOP_M].sum()) for M in (by_words, nearest)
    )
    return min(1.0, max(0.0, of_words / of_all)) if of_all > 0.0 else 1.0


def raised(weight: float, most: float, reach: float) -> float:
    """Return `weight`, raised linearly to `most` as `reach` falls to MISSED_REACH."""
    missed = min(1.0, max(0.0, (FOUND_REACH - reach) / (FOUND_REACH - MISSED_REACH)))
    return weight + missed * max(0.0, most - weight)
