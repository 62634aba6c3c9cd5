"""Stance towards a question: from a text's attitude and its conclusion's to a probability.

A claim is about a subject and speaks for it (polarity +1) or against it (−1). An argument's
attitude towards the subject times the question's polarity is its stance towards the question, so
that turning the question round ("banned", "allowed") swaps the sides and changes nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.hashing import Hashes, look_up, scattered

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
        order = np.argsort(ids >= self.words, kind="stable")
        return self.of_texts(ids[order], tfs[order], [len(ids)])[0]

    def of_texts(self, ids: Ints, tfs: Ints, ends: Sequence[int]) -> list[float]:
        """a of each of several texts, one after the other; where each one's terms end is given.

        Of a text the n-grams of words come first.
        """
        x = (1.0 + np.log(tfs)) * self.idf[ids]
        square, weights, first = x**2, self.weights[ids], ids < self.words
        found, begin = [], 0
        for end in ends:
            middle, total = begin + int(np.count_nonzero(first[begin:end])), 0.0
            for block in (slice(begin, middle), slice(middle, end)):
                norm = math.sqrt(square[block].sum())
                if norm > 0.0:
                    total += float(weights[block] @ x[block]) / norm
            found.append(total)
            begin = end
        return found


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
    """Vectors of words in whole numbers from −127 to 127, d of them, d up to 1,024."""

    rows: NDArray[np.int8]
    """int8[n, d]."""
    lengths: Floats
    """float64[n]: the Euclidean length of each."""

    @classmethod
    def of(cls, rows: NDArray[np.int8]) -> Levels:
        """With the lengths of the rows."""
        whole = rows.astype(np.float64)
        return cls(rows, np.sqrt(np.sum(whole * whole, axis=1)))


def nearness(subject: Levels, words: Levels) -> Floats:
    """How near each word is to each of a subject's: max(0, cos(s_i, w_j)).

    float64[k, n] in [0, 1] of k words of the subject and n words. A row of zeros is near nothing.
    """
    dots = _dots(subject.rows, words.rows).astype(np.float64)
    lengths = subject.lengths[:, None] * words.lengths
    cosines = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0.0)
    return np.asarray(np.clip(cosines, 0.0, 1.0))


@kernel
def _dots(few, many):  # type: ignore[no-untyped-def]
    """Dot products of rows of whole numbers, int32[k, n]."""
    out = np.empty((len(few), len(many)), np.int32)
    for i in range(len(few)):
        for j in range(len(many)):
            dot = np.int32(0)
            for at in range(few.shape[1]):
                dot += np.int32(few[i, at]) * np.int32(many[j, at])
            out[i, j] = dot
    return out


ROOT_COLUMN, PART_COLUMN, CLASS_COLUMN, EMPTY_COLUMN = range(4)
"""Columns of a table of words: the number of its root, its place among the words that terms are
made of (from 1, 0 for none), that of its class + 1 (0 for no class), whether it says nothing."""
KEY_BITS = 21
"""Bits of such a place; a term's key holds those of its one to three words."""
ENOUGH = 8
"""Distinct further words beyond which they are not counted."""


def term_table(keys: Ints, salt: Any) -> tuple[Hashes, NDArray[np.int32]]:
    """Return an open-addressing table of terms: keys (0: free), and the number of each.

    keys: of the terms in the order of their numbers, distinct, above 0.
    """
    size = 1 << (2 * len(keys) + 1).bit_length()
    table, numbers = np.zeros(size, np.uint64), np.zeros(size, np.int32)
    _fill(keys.astype(np.uint64), table, numbers, salt)
    return table, numbers


@kernel
def _fill(keys, table, numbers, salt):  # type: ignore[no-untyped-def]
    for number in range(len(keys)):
        key = keys[number]
        slot = look_up(key, scattered(key, salt) >> np.uint64(32), table)
        table[slot], numbers[slot] = key, number


@kernel
def _terms(parts, table, numbers, salt, out):  # type: ignore[no-untyped-def]
    """Write the numbers of the terms of one to three neighbours; return how many there are."""
    count, one, two = 0, np.int64(0), np.int64(0)
    for place in range(len(parts)):
        part = parts[place]
        for longer in range(3 if part else 0):
            if (longer > 0 and one == 0) or (longer > 1 and two == 0):
                break
            words = part
            if longer > 0:
                words |= one << KEY_BITS
            if longer > 1:
                words |= two << 2 * KEY_BITS
            key = np.uint64(words)
            slot = look_up(key, scattered(key, salt) >> np.uint64(32), table)
            if table[slot]:
                out[count] = numbers[slot]
                count += 1
        one, two = part, one
    return count


@kernel
def read_terms(texts, bounds, words, places, mask, table, numbers, salt, roots):  # type: ignore[no-untyped-def]
    """What of some texts' words concerns a subject, and the terms by which attitude is known.

    texts: the words of all, int64; bounds: where each text's begin, int64[n + 1]; words: the table
    of words, int32[·, 4]; places: of each root its place in the subject, or −1, int16; mask: the
    part and the class that stand for a word of the subject, int64[2]; table, numbers, salt: of the
    terms; roots: k, of the subject.

    Returns which of the subject's roots a text has, bool[n, k]; how many of its words are the
    subject's, of how many distinct roots others are that say something (up to ENOUGH), and how many
    these are, int64[n, 3]; its distinct terms, ascending, how often each occurs, and where each
    text's end, int64.
    """
    n, most = len(bounds) - 1, 0
    for text in range(n):
        most = max(most, bounds[text + 1] - bounds[text])
    has, counts = np.zeros((n, roots), np.bool_), np.zeros((n, 3), np.int64)
    ids, tfs = np.empty(6 * len(texts), np.int64), np.empty(6 * len(texts), np.int64)
    ends, total = np.empty(n, np.int64), 0
    parts, classes = np.empty(most, np.int64), np.empty(most, np.int64)
    found, further = np.empty(6 * most, np.int64), np.empty(ENOUGH, np.int64)
    for text in range(n):
        length, classed = bounds[text + 1] - bounds[text], 0
        for at in range(length):
            word = texts[bounds[text] + at]
            root = words[word, ROOT_COLUMN]
            part, kind = np.int64(words[word, PART_COLUMN]), np.int64(words[word, CLASS_COLUMN])
            if places[root] >= 0:
                has[text, places[root]] = True
                counts[text, 0] += 1
                part, kind = mask[0], mask[1]
            elif not words[word, EMPTY_COLUMN]:
                counts[text, 2] += 1
                distinct = counts[text, 1]
                if distinct < ENOUGH and not (further[:distinct] == root).any():
                    further[distinct] = root
                    counts[text, 1] += 1
            parts[at] = part
            if kind:
                classes[classed] = kind - 1
                classed += 1
        count = _terms(parts[:length], table, numbers, salt, found)
        count += _terms(classes[:classed], table, numbers, salt, found[count:])
        found[:count].sort()
        for at in range(count):
            if at and found[at] == found[at - 1]:
                tfs[total - 1] += 1
            else:
                ids[total], tfs[total] = found[at], 1
                total += 1
        ends[text] = total
    return has, counts, ids[:total], tfs[:total], ends
