"""Texts as bags of known content words, what word mover's distance compares (W22)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis.standard import StandardAnalyzer
from argsearch.indexer.encoders.word_vectors import WordVectorSource
from argsearch.ranking.lexicons import lexicon
from argsearch.ranking.reranking.word_movers import Bag, weights

WORDS = 100
"""Distinct words of a text that count: its most frequent ones, of equals the earlier."""
CHARACTERS = 20_000
"""Characters of a text that are read (a bound on time): about 3,500 words."""
REMEMBERED_BAGS = 4096
"""Texts whose words are remembered."""

_STOPS = frozenset(lexicon("stop_words")["english"])


@dataclass(frozen=True, slots=True)
class Bags:
    """A query and texts over the rows of one matrix of word vectors."""

    query: Bag
    texts: list[Bag]
    vectors: NDArray[np.float32]
    """float32[words, d]."""
    names: list[str]
    """The word of each row."""


def bags(query: str, texts: Sequence[str], source: WordVectorSource) -> Bags:
    """The bags of a query and of texts, with the vectors of all their known words.

    Words without a vector are dropped before the weights are made (W22).
    """
    counted = [content_words(text) for text in (query, *texts)]
    words = list(dict.fromkeys(word for text in counted for word, _ in text))
    known, vectors = source.vectors(words)
    names = [word for word, is_known in zip(words, known.tolist(), strict=True) if is_known]
    rows = {word: row for row, word in enumerate(names)}
    first, *others = (_bag(text, rows) for text in counted)
    return Bags(first, others, vectors, names)


def content_words(text: str) -> tuple[tuple[str, int], ...]:
    """(word, occurrences) of a text's up to `WORDS` most frequent content words.

    A content word is a token of the standard analyzer, so in lower case, of letters only, and no
    stop word (W22's library drops both; the stop words are scikit-learn's 318 English ones).
    """
    return _remembered(text[:CHARACTERS])


def _counted(text: str) -> tuple[tuple[str, int], ...]:
    words = [word for word in _analyzer().tokens(text) if word not in _STOPS and word.isalpha()]
    return tuple(Counter(words).most_common(WORDS))


_remembered = lru_cache(REMEMBERED_BAGS)(_counted)


@cache
def _analyzer() -> StandardAnalyzer:
    return StandardAnalyzer()


def _bag(words: tuple[tuple[str, int], ...], rows: dict[str, int]) -> Bag:
    kept = [(rows[word], tf) for word, tf in words if word in rows]
    ids = np.array([row for row, _ in kept], np.int64)
    return Bag(ids, _weights(tuple(tf for _, tf in kept)))


@lru_cache(REMEMBERED_BAGS)
def _weights(tf: tuple[int, ...]) -> NDArray[np.float64]:
    """`weights`, read-only: most short texts have each word once."""
    made = weights(tf)
    made.flags.writeable = False
    return made
