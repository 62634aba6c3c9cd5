"""Vectors of single words, and texts as bags of words, for word mover's distance (W22)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis.standard import StandardAnalyzer
from argsearch.indexer.analysis.tagging import SpacyTagger, TaggerUnavailable, load_tagger
from argsearch.indexer.encoders.base import clean
from argsearch.indexer.encoders.wordllama import WordLlamaEncoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.lexicons import stop_words
from argsearch.ranking.reranking.word_movers import Bag, weights

WORD_VECTOR_SPECS = "wordllama, spacy:MODEL or spacy-content:MODEL"
"""Description of the specs that `load_word_vectors` reads."""


class WordVectorSource(Protocol):
    """A source of word vectors."""

    def vectors(self, words: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return which words are known, bool[n], and their vectors, float32[known, dimensions]."""


def load_word_vectors(spec: str) -> WordVectorSource:
    """Load `wordllama` (the default), or a spaCy model by its name or folder.

    A process has one object per spec. Raises InvalidParameter for another spec, PackageBroken if
    the package wordllama is broken, and MissingExtra or TaggerUnavailable if spaCy or its model is
    missing.
    """
    if spec.strip().lower() == "wordllama":
        return _load_pieces()
    kind, _, model = spec.strip().partition(":")
    if kind in ("spacy", "spacy-content") and model:
        return _spacy(model, kind == "spacy")
    raise InvalidParameter("word vectors", spec, WORD_VECTOR_SPECS)


class PieceVectors:
    """WordLlama's vectors: the vector of a word is the mean of its pieces' vectors.

    A word is known if the vocabulary's pieces can spell it without pieces that stand for single
    bytes.
    """

    def __init__(self) -> None:
        self._encoder = WordLlamaEncoder()
        self._bytes = self._encoder.ids([f"<0x{byte:02X}>" for byte in range(256)])

    def vectors(self, words: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return which words are known, bool[n], and their vectors, float32[known, 256]."""
        pieces, bounds = self._encoder.pieces([clean(word) for word in words])
        of_bytes = np.append(0, np.cumsum(np.isin(pieces, self._bytes)))
        sizes = np.diff(bounds)
        known = (sizes > 0) & (np.diff(of_bytes[bounds]) == 0)
        sums = self._encoder.sums(pieces, bounds)[known]
        return known, np.asarray(sums / sizes[known, None], np.float32)


_load_pieces = lru_cache(1)(PieceVectors)


class SpacyVectors:
    """A spaCy model's word vectors; with `as_published`, for the words of W22's tool, wmd-relax.

    These are the tokens made of letters, in their original case, without spaCy's stop words.
    Unknown words get the zero vector.
    """

    def __init__(self, model: str, as_published: bool) -> None:
        tagger = load_tagger(f"spacy:{model}")
        assert isinstance(tagger, SpacyTagger)
        self._model, self._as_published = tagger.model, as_published
        if not self._model.vocab.vectors_length:
            raise TaggerUnavailable(f"model spacy:{model} has no word vectors; name another")
        self.words = lru_cache(REMEMBERED_BAGS)(self._words) if as_published else content_words
        """Function that returns the words of a text to compare, as `content_words` does."""

    def vectors(self, words: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return which words are known, bool[n], and their vectors, float32[known, d]."""
        vocab = self._model.vocab
        known = np.array([self._as_published or vocab.has_vector(word) for word in words], np.bool_)
        rows = [vocab.get_vector(word) for word, has in zip(words, known, strict=True) if has]
        return known, np.array(rows, np.float32).reshape(len(rows), vocab.vectors_length)

    def _words(self, text: str, most: int) -> tuple[tuple[str, int], ...]:
        tokens = self._model.make_doc(text[:TEXT_CHARACTERS])
        words = [token.text for token in tokens if token.is_alpha and not token.is_stop]
        return tuple(Counter(words).most_common(most))


_spacy = lru_cache(2)(SpacyVectors)

WORDS = 100
"""Default limit on a text's distinct words: the most frequent, and among equals the earliest. W22
has no limit. The time for a distance grows with the third power of the number of words."""
TEXT_CHARACTERS = 20_000
"""Maximum number of characters to read from a text (about 3,500 words), to limit the time."""
REMEMBERED_BAGS = 4096
"""Number of texts whose words are cached."""


@dataclass(frozen=True, slots=True)
class Bags:
    """Bags of words of a query and of texts, which share one matrix of word vectors."""

    query: Bag
    texts: list[Bag]
    vectors: NDArray[np.float32]
    """float32[words, d]."""
    names: list[str]
    """The word of each row."""


def bags(query: str, texts: Sequence[str], source: WordVectorSource, most: int = WORDS) -> Bags:
    """Return the bags of words of a query and of texts, with the vectors of all known words.

    Words that the source does not know are dropped before weighting. most: see `content_words`.
    """
    words_of = source.words if isinstance(source, SpacyVectors) else content_words
    counted = [words_of(text, most) for text in (query, *texts)]
    words = list(dict.fromkeys(word for text in counted for word, _ in text))
    known, vectors = source.vectors(words)
    names = [word for word, is_known in zip(words, known.tolist(), strict=True) if is_known]
    rows = {word: row for row, word in enumerate(names)}
    first, *others = (_bag(text, rows) for text in counted)
    return Bags(first, others, vectors, names)


def content_words(text: str, most: int = WORDS) -> tuple[tuple[str, int], ...]:
    """Return the most frequent content words of a text, at most `most`, with their counts.

    A content word is a token of the standard analyzer (hence in lower case) that consists of
    letters and is not a stop word. The stop words are scikit-learn's 318 English ones.
    """
    return _remembered(text[:TEXT_CHARACTERS], most)


def _counted(text: str, most: int) -> tuple[tuple[str, int], ...]:
    tokens = StandardAnalyzer().tokens(text)
    words = [word for word in tokens if word not in stop_words() and word.isalpha()]
    return tuple(Counter(words).most_common(most))


_remembered = lru_cache(REMEMBERED_BAGS)(_counted)


def _bag(words: tuple[tuple[str, int], ...], rows: dict[str, int]) -> Bag:
    kept = [(rows[word], tf) for word, tf in words if word in rows]
    ids = np.array([row for row, _ in kept], np.int64)
    return Bag(ids, _weights(tuple(tf for _, tf in kept)))


@lru_cache(REMEMBERED_BAGS)
def _weights(tf: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the read-only `weights`, cached because words rarely recur in short texts."""
    made = weights(tf)
    made.flags.writeable = False
    return made
