"""Stance towards a question: a probability derived from the attitudes of a text and its conclusion.

A claim has a subject and is for it (polarity +1) or against it (−1). An argument's stance towards
the question is its attitude towards the subject, times the question's polarity. So reversing the
question ("banned", "allowed") swaps the sides and changes nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.hashing import slot_of

Floats = NDArray[np.float64]
Vector = NDArray[np.floating]
Ints = NDArray[np.int64]

KEY_BITS = 21
"""Number of bits for each part of a term's key; a term has one to three parts."""
STEEP = 4.0
"""Bound on the logit of an attitude. From words alone, the probability is at most .982."""


@dataclass(frozen=True)
class Attitude:
    """A linear model of attitude over terms, with idf and weights, float64[V] each.

    Terms 0 … words − 1 are n-grams of words, and the others are n-grams of word classes. Each of
    the two blocks of a text's tf·idf is normalised to Euclidean length 1.
    """

    idf: Floats
    weights: Floats
    words: int

    def __call__(self, ids: Ints, tfs: Ints, ends: Ints) -> list[float]:
        """Return a = Σ_blocks Σ_t w_t · x_t / ‖x‖ of each text, 0 for no terms.

        x_t = (1 + ln tf_t) · idf_t. Args: as from `counted_terms`, ascending in each text.
        """
        x = (1.0 + np.log(tfs)) * self.idf[ids]
        parts, found = x * self.weights[ids], list[float]()
        for begin, end in pairwise([0, *ends.tolist()]):
            middle, total = begin + int(ids[begin:end].searchsorted(self.words)), 0.0
            for block in (slice(begin, middle), slice(middle, end)):
                norm = sqrt(x[block] @ x[block])
                total += float(np.add.reduce(parts[block])) / norm if norm > 0.0 else 0.0
            found.append(total)
        return found


@kernel
def counted_terms(words, classes, lengths, table):  # type: ignore[no-untyped-def]
    """Return the terms of several texts, ascending in each: numbers, frequencies, and ends.

    A term is an n-gram of up to three parts; its key has KEY_BITS bits for each, lowest for the
    last. Args: words, classes: part of each word and of its class, int64[n]; no n-gram has a part
    0, and −1 is skipped. lengths: words of each text. table: `table_of_numbers` of the keys.
    """
    keys, numbers = table
    ids, tfs = np.empty(6 * len(words), np.int64), np.empty(6 * len(words), np.int64)
    ends, found, begin = np.empty(len(lengths), np.int64), 0, 0
    for text in range(len(lengths)):
        first, end = found, begin + lengths[text]
        for parts in (words[begin:end], classes[begin:end]):
            last, earlier = np.int64(0), np.int64(0)
            for part in parts:
                if part < 0:
                    continue
                key = part
                for size in range((part > 0) * (1 + (last > 0) * (1 + (earlier > 0)))):
                    if size > 0:
                        key |= (last if size == 1 else earlier) << size * KEY_BITS
                    slot = slot_of(np.uint64(key), keys)
                    ids[found] = numbers[slot]
                    found += keys[slot] == np.uint64(key)
                last, earlier = part, last
        terms = np.sort(ids[first:found])
        found = first
        for term in terms:
            if found > first and ids[found - 1] == term:
                tfs[found - 1] += 1
            else:
                ids[found], tfs[found] = term, 1
                found += 1
        ends[text], begin = found, end
    return ids[:found], tfs[:found], ends


def cut(logit: float, at: float = STEEP) -> float:
    """Return the logit, clipped to [−at, at]."""
    return float(min(max(logit, -at), at))


def linear(values: dict[str, float], weights: dict[str, float]) -> dict[str, float]:
    """Return value × weight by name, a logit's summands. Raises KeyError if a weight is missing."""
    return {name: weights[name] * value for name, value in values.items()}


NEAREST_ALONE = 0.02
"""Temperature τ of `prototype`. Raising the cosine by τ multiplies the weight by e."""


def prototype(cosines: Floats, rows: Vector) -> Floats:
    """Return p = Σ e^(c_i / τ) · r_i, normalised: a mean in which the nearest conclusions dominate.

    Args: cosines: c of the question and each distinct conclusion, float64[m]. rows: their unit
    vectors, [m, d]. τ is NEAREST_ALONE. Returns zeros if there are no conclusions.
    """
    if not len(cosines):
        return np.zeros(rows.shape[1])
    mean = np.exp((cosines - cosines.max()) / NEAREST_ALONE) @ rows.astype(np.float64)
    return np.asarray(mean / (float(np.linalg.norm(mean)) or 1.0), np.float64)
