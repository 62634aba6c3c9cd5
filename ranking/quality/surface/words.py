"""Closed classes of English words that tell a written argument from chatter, and their table."""

from __future__ import annotations

from argsearch.ranking.hashing import Hashes, fnv, table_of_sets
from argsearch.ranking.lexicons import lexicon

WORD_CLASSES = lexicon("word_classes")
"""Class name -> its words, lower-cased. A word may be in several classes."""


def word_hash(word: bytes) -> int:
    """FNV-1a of the word's bytes, never 0."""
    return fnv(word) or 1


def word_table() -> tuple[Hashes, Hashes]:
    """The classes as a table: words' hashes, and bit i where a word is in the i-th class."""
    classes = ([word_hash(word.encode()) for word in words] for words in WORD_CLASSES.values())
    return table_of_sets(classes, 2048)
