"""The terms of a stance model, and those in texts: n-grams of words and of word classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from threading import Lock

import numpy as np

from argsearch.engine.stance.wording import CACHED_WORDS, CLASS_OF, SUBJECT, canonical, read_words
from argsearch.engine.text.snippet import LONG_TEXT, TEXTS_REMEMBERED
from argsearch.ranking.hashing import table_of_numbers
from argsearch.ranking.stance import KEY_BITS, Ints, counted_terms


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

    def read(self, texts: Sequence[str], subject: Sequence[str]) -> list[TermsRead]:
        """Return the terms of each text, with SUBJECT in place of the subject's words.

        subject: the distinct roots of its words.
        """
        if not texts:
            return []
        vocabulary = self.vocabulary
        words = [vocabulary.of_text(text) for text in texts]
        lengths = np.array(list(map(len, words)), np.int64)
        # In any other layout, the kernel would be compiled again.
        facts = np.ascontiguousarray(vocabulary.facts[:, np.concatenate(words)])
        # −1 marks a word without a class, which n-grams of classes skip.
        parts, classes, roots = facts
        sought = [vocabulary.roots.get(root, -1) for root in subject]
        own = np.isin(roots, sought)
        parts[own] = self.parts.get(SUBJECT, 0)
        classes[own] = self.parts.get(CLASS_OF[SUBJECT], 0)
        ids, tfs, ends = counted_terms(parts, classes, lengths, self.table)
        within = np.cumsum(lengths)[:-1]
        return [
            TermsRead(len(has), len({*has.tolist()}.intersection(sought)), *counted)
            for has, *counted in zip(
                np.split(roots, within), np.split(ids, ends[:-1]), np.split(tfs, ends[:-1]),
                strict=True,
            )
        ]  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class TermsRead:
    """The terms of a text."""

    words: int
    """Number of words that were read."""
    of_subject: int
    """Number of the subject's roots that occur."""
    ids: Ints
    """The distinct terms, ascending, int64[n]."""
    tfs: Ints
    """Number of occurrences of each term, int64[n]."""
