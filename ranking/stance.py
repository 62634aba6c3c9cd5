"""Stance towards a question: from a text's attitude and its conclusion's to a probability.

A claim is about a subject and speaks for it (polarity +1) or against it (−1). An argument's
attitude towards the subject times the question's polarity is its stance towards the question, so
that turning the question round ("banned", "allowed") swaps the sides and changes nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Vector = NDArray[np.floating]
Ints = NDArray[np.int64]

STEEP = 4.0
"""Beyond ± this an attitude's logit is cut: no text is surer than .982 by its words alone."""


@dataclass(frozen=True)
class Attitude:
    """A linear model of the terms of texts: idf and weights, float64[V] each.

    Terms 0 … words − 1 are word n-grams, the others n-grams of word classes; each block of a
    text's tf·idf has Euclidean length 1.
    """

    idf: Floats
    weights: Floats
    words: int

    def __call__(self, ids: Ints, tfs: Ints) -> float:
        """a = Σ_blocks Σ_t w_t · x_t / ‖x‖ with x_t = (1 + ln tf_t) · idf_t; 0 for no term.

        ids: distinct terms of one text, tfs: how often each occurs (≥ 1), int64[n] both.
        """
        x = (1.0 + np.log(tfs)) * self.idf[ids]
        total = 0.0
        for block in (ids < self.words, ids >= self.words):
            norm = float(np.sqrt(np.sum(x[block] ** 2)))
            if norm > 0.0:
                total += float(self.weights[ids[block]] @ x[block]) / norm
        return total


def cut(logit: float, at: float = STEEP) -> float:
    """The logit, no further from 0 than `at`."""
    return float(min(max(logit, -at), at))


def linear(values: dict[str, float], weights: dict[str, float]) -> dict[str, float]:
    """Each named value times its weight: the summands of a logit. Raises KeyError for no weight."""
    return {name: weights[name] * value for name, value in values.items()}


def sided(on: float, given: float) -> tuple[float, float]:
    """(P(for), P(against)) = P(on the question) · (P(for | on), 1 − P(for | on)).

    on, given in [0, 1]; what is missing to 1 is the probability of neither side.
    """
    return on * given, on * (1.0 - given)


def agreement(row: Vector, best: Vector, weights: Floats) -> float:
    """A(c) = Σ_i a_i · cos(c, b_i) / Σ_i a_i: how far something is about what the best hits are.

    row: c, [d]; best: b, [m, d]; unit or zero rows; weights a ≥ 0, float64[m], 0 for c's own hit.
    In [−1, 1]: near 1 where the hits with weight are all about one thing and c is too, low where
    they are about many; 0 for no hit with weight.
    """
    total = float(weights.sum())
    return float(weights @ (best @ row)) / total if total > 0.0 else 0.0


NEAREST_ALONE = 0.02
"""By how much nearer to the question a conclusion has e times the weight in the prototype."""


def prototype(cosines: Floats, rows: Vector) -> Floats:
    """p = Σ e^(c_i / τ) · r_i, unit: the mean of conclusions, above all of the nearest.

    cosines: c of the question with each distinct conclusion, float64[m]; rows: their unit vectors,
    [m, d]; τ = NEAREST_ALONE. Zeros for no conclusion.
    """
    if not len(cosines):
        return np.zeros(rows.shape[1])
    mean = np.exp((cosines - cosines.max()) / NEAREST_ALONE) @ rows.astype(np.float64)
    return np.asarray(mean / (float(np.linalg.norm(mean)) or 1.0), np.float64)


@dataclass(frozen=True)
class Levels:
    """Vectors of words in whole numbers from −127 to 127, d of them, d up to 1,024.

    Single precision adds their products up exactly, in any order.
    """

    rows: NDArray[np.float32]
    """float32[n, d]."""
    lengths: Floats
    """float64[n]: the Euclidean length of each."""

    @classmethod
    def of(cls, rows: NDArray[np.integer]) -> Levels:
        """With the lengths of the rows."""
        whole = rows.astype(np.float64)
        return cls(rows.astype(np.float32), np.sqrt(np.sum(whole * whole, axis=1)))


def spoken(subject: Levels, words: Levels) -> Floats:
    """How near the nearest of some words is to each of a subject's: max(0, max_j cos(s_i, w_j)).

    float64[k] in [0, 1] of k words of the subject; n ≥ 1 words. A row of zeros is near nothing.
    """
    dots = (subject.rows @ words.rows.T).astype(np.float64)
    lengths = subject.lengths[:, None] * words.lengths
    cosines = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0.0)
    return np.asarray(np.clip(cosines.max(axis=1), 0.0, 1.0))
