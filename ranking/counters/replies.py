"""Counter-ness: how much a text is worded as a reply to another argument, whatever its subject.

CUES are the words that tell ArguAna's counters from the points they answer, with their weights in
a logistic regression; `python -m studies.counter cues` prints this table.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

CUES: Mapping[str, float] = {
    "argument": 10.67,
    "moreover": 10.42,
    "suggest": 6.33,
    "true": 6.18,
    "not": 5.52,
    "always": 5.04,
    "fact": 4.9,
    "the": 4.71,
    "indeed": 4.47,
    "furthermore": 4.14,
    "unlikely": 3.88,
    "still": 3.85,
    "far": 3.5,
    "does": 3.42,
    "significant": 3.41,
    "rather": 3.35,
    "point": 3.17,
    "reason": 2.96,
    "actually": 2.92,
    "case": 2.65,
    "democratic": 2.57,
    "different": 2.28,
    "benefits": 1.93,
    "is": 1.93,
    "if": 1.68,
    "while": 1.52,
    "no": 1.04,
    "are": 0.71,
    "also": 0.69,
    "be": 0.69,
    "that": 0.59,
    "to": 0.57,
    "will": 0.22,
    "they": -0.89,
    "their": -0.98,
    "a": -1.04,
    "political": -1.14,
    "power": -1.18,
    "as": -1.28,
    "such": -1.28,
    "state": -1.29,
    "people": -1.31,
    "human": -1.47,
    "on": -1.48,
    "should": -1.5,
    "an": -1.53,
    "been": -1.66,
    "international": -1.71,
    "in": -1.73,
    "from": -1.74,
    "who": -1.75,
    "into": -1.82,
    "need": -1.86,
    "only": -1.86,
    "must": -1.92,
    "with": -1.94,
    "because": -1.96,
    "then": -1.98,
    "crime": -2.0,
    "others": -2.0,
    "act": -2.11,
    "which": -2.11,
    "society": -2.15,
    "most": -2.16,
    "clearly": -2.18,
    "greater": -2.22,
    "force": -2.24,
    "time": -2.32,
    "example": -2.36,
    "of": -2.36,
    "life": -2.42,
    "children": -2.43,
    "united": -2.47,
    "africa": -2.5,
    "by": -2.53,
    "had": -2.55,
    "or": -2.55,
    "uk": -2.6,
    "union": -2.67,
    "over": -2.71,
    "under": -2.71,
    "world": -2.72,
    "one": -2.82,
    "members": -2.87,
    "citizens": -2.88,
    "news": -2.89,
    "for": -2.9,
    "how": -2.93,
    "provide": -2.94,
    "august": -2.95,
    "when": -2.96,
    "great": -3.12,
    "and": -3.33,
    "this": -3.33,
    "therefore": -3.4,
    "allow": -3.43,
    "almost": -3.5,
    "british": -3.54,
    "particularly": -3.54,
    "elections": -3.57,
    "million": -3.61,
    "thus": -3.64,
    "legal": -3.66,
    "progress": -3.66,
    "court": -3.8,
    "set": -3.8,
    "spent": -3.82,
    "yet": -3.85,
    "process": -3.94,
    "death": -4.0,
    "our": -4.0,
    "fear": -4.03,
    "longer": -4.1,
    "allows": -4.16,
    "due": -4.19,
    "american": -4.2,
    "february": -4.44,
    "amp": -4.46,
    "april": -4.5,
    "september": -4.69,
    "june": -4.92,
    "article": -5.5,
    "january": -5.54,
    "july": -5.61,
    "november": -5.81,
    "march": -6.43,
    "p": -6.75,
    "guardian": -7.23,
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
