"""Stance towards a question: a probability from the attitudes of a text and its conclusion.

A claim is about a subject and speaks for it (polarity +1) or against it (−1). An argument's stance
towards the question is its attitude towards the subject, times the question's polarity. So
reversing the question ("banned", "allowed") swaps the sides and changes nothing else.
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
"""Bound on the logit of an attitude: words alone give a text at most a probability of .982."""


@dataclass(frozen=True)
class Attitude:
    """A linear model of attitude over terms: idf and weights, float64[V] each.

    Terms 0 … words − 1 are word n-grams, the others n-grams of word classes. Each of the two blocks
    of a text's tf·idf is normalised to Euclidean length 1.
    """

    idf: Floats
    weights: Floats
    words: int

    def __call__(self, ids: Ints, tfs: Ints) -> float:
        """Return a = Σ_blocks Σ_t w_t · x_t / ‖x‖, x_t = (1 + ln tf_t) · idf_t; 0 without terms.

        Args: ids: distinct terms of one text; tfs: occurrences of each (≥ 1); both int64[n].
        """
        order = np.argsort(ids >= self.words, kind="stable")
        return self.of_texts(ids[order], tfs[order], [len(ids)])[0]

    def of_texts(self, ids: Ints, tfs: Ints, ends: Sequence[int]) -> list[float]:
        """Return a for each of several concatenated texts; ends: where the terms of each text end.

        The word n-grams of a text must come before its n-grams of word classes.
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
    """Return the logit, clipped to [−at, at]."""
    return float(min(max(logit, -at), at))


def linear(values: dict[str, float], weights: dict[str, float]) -> dict[str, float]:
    """Return value × weight by name, the summands of a logit. Raise KeyError without a weight."""
    return {name: weights[name] * value for name, value in values.items()}


def sided(on: float, given: float) -> tuple[float, float]:
    """Return (P(for), P(against)) = P(on the question) · (P(for | on), 1 − P(for | on)).

    on, given: in [0, 1]. The rest of the probability belongs to neither side.
    """
    return on * given, on * (1.0 - given)


def agreement(row: Vector, best: Vector, weights: Floats) -> float:
    """Return A(c) = Σ_i a_i · cos(c, b_i) / Σ_i a_i, the similarity of c to the best hits.

    Args: row: c, [d]; best: b, [m, d], unit or zero rows; weights: a ≥ 0, float64[m], 0 for c's own
    hit. A is in [−1, 1]: near 1 if the weighted hits and c share a topic, low if the hits are
    spread over many topics, and 0 without weight.
    """
    total = float(weights.sum())
    return float(weights @ (best @ row)) / total if total > 0.0 else 0.0


NEAREST_ALONE = 0.02
"""Temperature τ of `prototype`: a cosine higher by τ multiplies the weight by e."""


def prototype(cosines: Floats, rows: Vector) -> Floats:
    """Return p = Σ e^(c_i / τ) · r_i, normalised: a mean dominated by the nearest conclusions.

    Args: cosines: c of the question with each distinct conclusion, float64[m]; rows: their unit
    vectors, [m, d]; τ = NEAREST_ALONE. Returns zeros without conclusions.
    """
    if not len(cosines):
        return np.zeros(rows.shape[1])
    mean = np.exp((cosines - cosines.max()) / NEAREST_ALONE) @ rows.astype(np.float64)
    return np.asarray(mean / (float(np.linalg.norm(mean)) or 1.0), np.float64)


@dataclass(frozen=True)
class Levels:
    """Word vectors as integers from −127 to 127, with d ≤ 1,024 dimensions."""

    rows: NDArray[np.int8]
    """int8[n, d]."""
    lengths: Floats
    """float64[n], the Euclidean length of each row."""

    @classmethod
    def of(cls, rows: NDArray[np.int8]) -> Levels:
        """Build from rows and compute their lengths."""
        whole = rows.astype(np.float64)
        return cls(rows, np.sqrt(np.sum(whole * whole, axis=1)))


def nearness(subject: Levels, words: Levels) -> Floats:
    """Return the similarity of each word to each subject word: max(0, cos(s_i, w_j)).

    float64[k, n] in [0, 1], for k subject words and n words. A row of zeros has similarity 0.
    """
    dots = _dots(subject.rows, words.rows).astype(np.float64)
    lengths = subject.lengths[:, None] * words.lengths
    cosines = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0.0)
    return np.asarray(np.clip(cosines, 0.0, 1.0))


@kernel
def _dots(few, many):  # type: ignore[no-untyped-def]
    """Return the dot products of integer rows, int32[k, n]."""
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
"""Bits per word number; a term's key combines the numbers of its one to three words."""
ENOUGH = 8
"""Maximum number of distinct other words that are counted."""


def term_table(keys: Ints, salt: Any) -> tuple[Hashes, NDArray[np.int32]]:
    """Return an open-addressing table of terms: keys (0: free), and the number of each.

    keys: the keys of the terms in order of term number, distinct and positive.
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
    """Write the numbers of all known n-grams of one to three words to `out`; return their count."""
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
    """Read which subject words each text has, and the terms from which its attitude is computed.

    Args: texts: int64, the words of all texts; bounds: int64[n + 1], where each text begins; words:
    int32[·, 4], the table of words. For each root, places (int16) holds its index in the subject,
    or −1. A subject word is replaced by the part and class in mask, int64[2]. The table of terms
    consists of table, numbers, and salt. The subject has `roots` roots, k.

    Returns bool[n, k], which subject roots each text has. Then int64[n, 3], its numbers of subject
    words, of distinct other roots (at most ENOUGH), and of other words; empty words do not count.
    Then int64: distinct terms, ascending per text; their occurrences; and where each text's terms
    end.
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
