"""What `ranking.quality.terms` counts, in plain Python."""

from __future__ import annotations

import math
import re
from collections import Counter

from argsearch.ranking.hashing import FNV_PRIME
from argsearch.ranking.quality.surface import MAX_WORDS, fold, word_hash

_LETTER = rb"[A-Za-z0-9\x80-\xff]"
_WORD = re.compile(rb"%b(?:%b|'(?=%b))*" % (_LETTER, _LETTER, _LETTER))
_MASK = 0xFFFFFFFFFFFFFFFF


def terms(text: str) -> list[int]:
    """The hashes of the first `MAX_WORDS` words (FNV-1a, lower case) and of each pair of
    neighbours: after each word its own, then that of it and the word before."""
    found, before = [], 0
    for word in _WORD.findall(fold(text))[:MAX_WORDS]:
        key = word_hash(word.lower())
        found.append(key)
        if before:
            found.append(pair_hash(before, key))
        before = key
    return found


def pair_hash(first: int, second: int) -> int:
    """The hash of two neighbouring words, never 0."""
    return (((first * int(FNV_PRIME)) & _MASK) ^ second) or 1


def weigh(text: str, idf: dict[int, float], weights: dict[int, float]) -> float:
    """Σ_t w_t · x_t, x_t = (1 + ln tf_t) · idf_t over the Euclidean length of x; 0 for no term.

    Terms without an idf do not count.
    """
    tf = Counter(key for key in terms(text) if key in idf)
    x = {key: (1 + math.log(n)) * idf[key] for key, n in tf.items()}
    length = math.sqrt(sum(value**2 for value in x.values()))
    return sum(weights[key] * value for key, value in x.items()) / length if x else 0.0
