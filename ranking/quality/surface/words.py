"""Closed classes of English words that tell a written argument from chatter, and their table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.hashing import fnv
from argsearch.ranking.lexicons import lexicon

WORD_CLASSES = lexicon("word_classes")
"""Class name -> its words, lower-cased. A word may be in several classes."""


class WordTable(NamedTuple):
    """Open addressing over words' hashes: `keys` (0 = free) and `masks`, one bit for each class."""

    keys: NDArray[np.uint64]
    masks: NDArray[np.uint32]


def word_hash(word: bytes) -> int:
    """FNV-1a of the word's bytes, 64 bits, never 0."""
    return fnv(word) or 1


def class_masks() -> dict[bytes, int]:
    """Word -> mask; bit i is set when the word is in the i-th of `WORD_CLASSES`."""
    masks: dict[bytes, int] = {}
    for bit, words in enumerate(WORD_CLASSES.values()):
        for word in map(str.encode, words):
            masks[word] = masks.get(word, 0) | 1 << bit
    return masks


def word_table(size: int = 2048) -> WordTable:
    """The classes as a table of `size` slots (a power of two), linear probing."""
    keys = np.zeros(size, dtype=np.uint64)
    masks = np.zeros(size, dtype=np.uint32)
    for word, mask in class_masks().items():
        key = word_hash(word)
        slot = key & (size - 1)
        while keys[slot] not in (0, key):
            slot = (slot + 1) & (size - 1)
        keys[slot], masks[slot] = key, mask
    return WordTable(keys, masks)
