"""Counter-ness: how much a text is worded as a reply to another argument, whatever its subject.

CUES are the words that tell ArguAna's counters from the points they answer, with their weights in
a logistic regression; `python -m studies.counter cues` prints their list.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.lexicons import lexicon

CUES: Mapping[str, float] = {
    word: float(weight) for word, weight in map(str.split, lexicon("replies")["cues"])
}
"""Weight of each cue: above 0 in replies, below 0 in arguments of their own."""


def counterness(
    begins: ArrayLike, terms: ArrayLike, tf: ArrayLike, weights: ArrayLike
) -> NDArray[np.float32]:
    """Σ_t a_t·(1 + ln tf) / √(Σ_t (1 + ln tf)²) of n documents, float32[n]; 0 for empty ones.

    begins int[n + 1], terms and tf int[entries]: each document's distinct terms; weights
    float[terms]: a_t, 0 for a term that is no cue (`cue_weights`).
    """
    begins, amounts = np.asarray(begins, np.int64), 1.0 + np.log(np.asarray(tf, np.float64))
    a = np.asarray(weights, np.float64)[np.asarray(terms, np.int64)]
    sums = np.concatenate([[0.0], np.cumsum(a * amounts)])
    squares = np.concatenate([[0.0], np.cumsum(amounts**2)])
    total, length = np.diff(sums[begins]), np.sqrt(np.diff(squares[begins]))
    out = np.divide(total, length, out=np.zeros(len(total)), where=length > 0)
    return np.asarray(out, np.float32)


def cue_weights(terms: list[bytes], cues: Mapping[str, float] = CUES) -> NDArray[np.float64]:
    """The weight of each term (UTF-8) of a vocabulary, float64[terms]; 0 for those not listed."""
    listed = {word.encode(): weight for word, weight in cues.items()}
    return np.array([listed.get(term, 0.0) for term in terms], np.float64)
