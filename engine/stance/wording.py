"""The words of several texts as arrays: their terms, and their similarity to other words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.stance.claims import Claim
from argsearch.engine.stance.terms import (
    CLASS_OF,
    SUBJECT,
    canonical,
    read_words,
)
from argsearch.engine.text.snippet import LONG_TEXT, TEXTS_REMEMBERED
from argsearch.ranking.hashing import table_of_numbers
from argsearch.ranking.stance import KEY_BITS, Attitude, Floats, Ints, counted_terms, nearness
from argsearch.ranking.vectors import quantise

CACHED_WORDS = 1 << 16
"""Maximum number of words whose roots are cached."""
CACHED_VECTORS = 1 << 14
"""Maximum number of phrase vectors, and of word vectors, to cache (about 1 KB each)."""
ENCODER = "wordllama"
"""Encoder of words and phrases for every index, because the model's weights were made with it."""
Vectors = NDArray[np.float32]


def _encode(texts: list[str]) -> Vectors:
    from argsearch.indexer.encoders import load_encoder

    rows: Vectors = load_encoder(ENCODER).encode(texts)
    return rows


def _levels(words: list[str]) -> Vectors:
    """Return the vectors of words as integers from −127 to 127, so that dot products are exact."""
    return quantise(_encode(words))[0].astype(np.float32)


class RememberedRows:
    """Cached vectors of texts. The cache is cleared when it exceeds CACHED_VECTORS."""

    def __init__(self, encode: Callable[[list[str]], Vectors] = _encode) -> None:
        self._encode = encode
        self._rows: dict[str, NDArray[np.float32]] = {}

    def of(self, texts: Iterable[str]) -> list[NDArray[np.float32]]:
        """Return the vector of each text, float32[d], in order."""
        texts, known = list(texts), self._rows
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if len(known) + len(new) > CACHED_VECTORS:
            known, new = {}, list(dict.fromkeys(texts))
        if new:
            known.update(zip(new, self._encode(new), strict=True))
        self._rows = known
        return [known[text] for text in texts]


_word_rows = RememberedRows(_levels)


class Vocabulary(dict[str, int]):
    """Numbers of the words of earlier texts, and facts about these words; thread-safe."""

    def __init__(self, parts: Mapping[str, int]) -> None:
        """Start without words. parts: `StanceTerms.parts`."""
        super().__init__()
        self._parts, self._lock = parts, Lock()
        self.words: list[str] = []
        self.roots: dict[str, int] = {}
        """The number of each word's root."""
        self.facts = np.zeros((3, 1), np.int64)
        """Per word: its part, its class's part or −1, and its root."""
        self._read = lru_cache(TEXTS_REMEMBERED)(lambda text: self.numbers(read_words(text)))

    def of_text(self, text: str) -> Ints:
        """Return the numbers of the words that `read_words` gives, cached for the last texts."""
        # Long texts would make the cache large.
        return (self._read if len(text) <= LONG_TEXT else self._read.__wrapped__)(text)

    def numbers(self, words: Sequence[str]) -> Ints:
        """Return the number of each word, adding words that have none."""
        return np.fromiter(map(self.__getitem__, words), np.int64, len(words))

    def __missing__(self, word: str) -> int:
        """Add a word and return its number."""
        with self._lock:
            if word in self:  # another thread has just added it
                return self[word]
            number, kind = len(self.words), CLASS_OF.get(word)
            if number == self.facts.shape[1]:
                self.facts = np.pad(self.facts, ((0, 0), (0, number)))
            part, of_kind = self._parts.get(word, 0), self._parts.get(kind, 0) if kind else -1
            root = self.roots.setdefault(canonical(word), len(self.roots))
            self.facts[:, number] = part, of_kind, root
            self.words.append(word)
            # Other threads read the facts of a word as soon as it has a number.
            self[word] = number
        return number


class StanceTerms:
    """The numbered terms of a model: n-grams of one to three words or word classes."""

    def __init__(self, names: Sequence[str]) -> None:
        """Number the terms. names: distinct terms, their words separated by single spaces."""
        self._names = "\n".join(names)
        terms = [name.split(" ") for name in names]
        distinct = dict.fromkeys(chain.from_iterable(terms))
        self.parts = {word: number for number, word in enumerate(distinct, 1)}
        """The number, from 1, of each word and class that occurs in a term."""
        keys = np.zeros(len(terms), np.int64)
        for place in range(3):
            there = np.array([len(term) > place for term in terms], bool)
            last = [self.parts[term[-1 - place]] for term in terms if len(term) > place]
            keys[there] |= np.array(last, np.int64) << place * KEY_BITS
        self.table = table_of_numbers(keys.astype(np.uint64))
        """The keys of the terms and their numbers, for `counted_terms`."""
        self.single = {term[0]: n for n, term in enumerate(terms) if len(term) == 1}
        """The number of each term that is a single word."""
        self._vocabulary = Vocabulary(self.parts)

    @property
    def vocabulary(self) -> Vocabulary:
        """Words read so far; replaced by a new vocabulary after CACHED_WORDS words."""
        if len(self._vocabulary.words) > CACHED_WORDS:
            self._vocabulary = Vocabulary(self.parts)
        return self._vocabulary

    @property
    def names(self) -> list[str]:
        """The terms, in order."""
        return self._names.split("\n")


@dataclass(frozen=True, eq=False)
class Wording:
    """The words of several texts."""

    terms: StanceTerms
    vocabulary: Vocabulary
    words: Ints
    """Vocabulary numbers of the words in all texts, one text after another."""
    lengths: Ints
    """Number of words of each text, int64[n]."""

    @classmethod
    def of(cls, terms: StanceTerms, texts: Sequence[str | Sequence[str]]) -> Wording:
        """Read texts that are already split into words, or those that `read_words` gives."""
        vocabulary = terms.vocabulary
        words = [
            vocabulary.of_text(text) if isinstance(text, str) else vocabulary.numbers(text)
            for text in texts
        ]
        lengths = np.array(list(map(len, words)), np.int64)
        return cls(terms, vocabulary, np.concatenate([np.zeros(0, np.int64), *words]), lengths)

    @cached_property
    def texts(self) -> Ints:
        """The index of each word's text, int64[n], ascending."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def _places(self, roots: Sequence[str]) -> Ints:
        """Return the index of each word's root in a list of distinct roots, or −1."""
        number_of, own = self.vocabulary.roots, self.vocabulary.facts[2, self.words]
        places = np.full(len(number_of), -1, np.int64)
        for place, root in enumerate(roots):
            # Another thread may add a root meanwhile; none of these words has it.
            if (number := number_of.get(root, len(places))) < len(places):
                places[number] = place
        found: Ints = places[own]
        return found

    def has_words(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return whether each text has each word, a form of it or a paraphrase, bool[n, k]."""
        roots = [canonical(word) for word in words]
        distinct = list(dict.fromkeys(roots))
        has = self._having(self._places(distinct), len(distinct))
        return has[:, [distinct.index(root) for root in roots]]

    def _having(self, places: Ints, number: int) -> NDArray[np.bool_]:
        found, known = np.zeros((len(self.lengths), number), np.bool_), places >= 0
        found[self.texts[known], places[known]] = True
        return found

    def near(self, words: Sequence[str]) -> Floats:
        """Return the similarity of each of these words to the nearest word of each text.

        The similarity is 1 for a word with the same root or a paraphrase, and otherwise the cosine
        of the vectors. Texts without words get 0. Returns float64[n, k] in [0, 1].
        """
        near = self.has_words(words).astype(np.float64)
        lacking = ~near.all(axis=1) & (self.lengths > 0)
        if not lacking.any():  # mostly no word needs a vector
            return near
        inside, each = np.unique(self.words[lacking[self.texts]], return_inverse=True)
        rows = np.array(_word_rows.of(self.vocabulary.words[i] for i in inside.tolist()))
        cosines = nearness(np.array(_word_rows.of(words)), rows)
        starts = np.append(0, np.cumsum(self.lengths[lacking])[:-1])
        nearest = np.maximum.reduceat(cosines[:, each], starts, axis=1)
        near[lacking] = np.maximum(near[lacking], nearest.T)
        return near

    def read(self, claim: Claim) -> TermsRead:
        """Return which words of each text are about a claim's subject, and the terms of the text.

        Each word of the subject is replaced by SUBJECT.
        """
        terms = self.terms
        # −1 marks a word without a class, which n-grams of classes skip.
        parts, classes, _ = self.vocabulary.facts[:, self.words]
        places = self._places(claim.subject)
        own = places >= 0
        parts[own] = terms.parts.get(SUBJECT, 0)
        classes[own] = terms.parts.get(CLASS_OF[SUBJECT], 0)
        found = counted_terms(parts, classes, self.lengths, terms.table)
        return TermsRead(self._having(places, len(claim.subject)), *found)


@dataclass(frozen=True, eq=False, slots=True)
class TermsRead:
    """The terms of several texts, and their words about a subject."""

    has: NDArray[np.bool_]
    """True for each text and root of the subject if the text has such a word, bool[n, k]."""
    ids: Ints
    """The distinct terms of all texts, ascending within each text."""
    tfs: Ints
    """Number of occurrences of each term in `ids`."""
    ends: Ints
    """The end of each text's terms in `ids`, int64[n]."""

    def attitudes(self, attitude: Attitude) -> list[float]:
        """Return the attitude of each text's words towards the subject, not yet weighted."""
        return attitude.of_texts(self.ids, self.tfs, self.ends.tolist())
