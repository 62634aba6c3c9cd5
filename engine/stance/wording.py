"""The words of several texts as arrays: their terms, and their similarity to other words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.stance.claims import Claim
from argsearch.engine.stance.terms import (
    SAYING_NOTHING,
    SUBJECT,
    canonical,
    read_words,
    word_class,
)
from argsearch.ranking.stance import Attitude, Floats, Ints, nearness
from argsearch.ranking.vectors import quantise

CACHED_WORDS = 1 << 16
"""Maximum number of words whose roots are cached."""
CACHED_VECTORS = 1 << 14
"""Maximum number of phrases, and of words, whose vectors are cached, at about 1 KB each."""
ENCODER = "wordllama"
"""Encoder of words and phrases in every index, because the model's weights are made for it."""
KEY_BITS = 21
"""Bits for each part's number in the key of a term, which has one to three parts."""

Vectors = NDArray[np.float32]


def _encode(texts: list[str]) -> Vectors:
    from argsearch.indexer.encoders import load_encoder

    rows: Vectors = load_encoder(ENCODER).encode(texts)
    return rows


def _levels(words: list[str]) -> Vectors:
    """Return the vectors of words as integers from −127 to 127, so that dot products are exact."""
    return quantise(_encode(words))[0].astype(np.float32)


class RememberedRows:
    """Cached vectors of texts. The cache starts anew when it exceeds CACHED_VECTORS."""

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


@lru_cache(CACHED_WORDS)
def _read_word(word: str) -> tuple[str, str, bool]:
    """Return a word's root, its class, and True if the word says nothing by itself."""
    return canonical(word), word_class(word), len(word) < 2 or word in SAYING_NOTHING


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
        self._order = np.argsort(keys)
        self._keys = keys[self._order]
        self._single = {term[0]: n for n, term in enumerate(terms) if len(term) == 1}

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def names(self) -> list[str]:
        """The terms, in order."""
        return self._names.split("\n")

    def part(self, word: str) -> int:
        """Return the number of a word or class in `parts`, or 0 if it is not there."""
        return self.parts.get(word, 0)

    def single(self, word: str) -> int:
        """Return the number of the term that is only this word, or −1."""
        return self._single.get(word, -1)

    def occurring(self, parts: Ints, texts: Ints) -> tuple[Ints, Ints]:
        """Return the number of every n-gram that is a term, and the text in which it occurs.

        Args: parts: int64[n], numbers of consecutive words, 0 if a word is in no term. texts:
        int64[n], the text of each word, ascending.
        """
        numbers, places = [], []
        keys, there = parts.copy(), parts > 0
        for back in range(3):
            if back:
                before = np.concatenate((np.zeros(back, np.int64), parts))[: len(parts)]
                of = np.concatenate((np.full(back, -1), texts))[: len(parts)]
                there = there & (before > 0) & (of == texts)
                keys |= before << back * KEY_BITS
            ends = np.flatnonzero(there)
            slots = np.searchsorted(self._keys, keys[ends])
            slots[slots == len(self._keys)] = 0
            found = self._keys[slots] == keys[ends]
            numbers.append(self._order[slots[found]])
            places.append(texts[ends[found]])
        return np.concatenate(numbers), np.concatenate(places)


@dataclass(frozen=True, eq=False)
class Wording:
    """The words of several texts."""

    terms: StanceTerms
    vocabulary: list[str]
    """Distinct words."""
    words: Ints
    """Positions in the vocabulary of the words of all texts, one text after another."""
    lengths: Ints
    """Number of words of each text, int64[n]."""

    @classmethod
    def of(cls, terms: StanceTerms, texts: Sequence[Sequence[str]]) -> Wording:
        """Read texts that are already split into words."""
        vocabulary: dict[str, int] = {}
        words = [vocabulary.setdefault(word, len(vocabulary)) for text in texts for word in text]
        lengths = np.array([len(text) for text in texts], np.int64)
        return cls(terms, list(vocabulary), np.array(words, np.int64), lengths)

    @classmethod
    def of_texts(cls, terms: StanceTerms, texts: Sequence[str]) -> Wording:
        """Read the words at the beginning and end of texts (`read_words`)."""
        return cls.of(terms, [read_words(text) for text in texts])

    @cached_property
    def texts(self) -> Ints:
        """The index of each word's text, int64[n], ascending."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def roots(self) -> list[str]:
        """The root of each word of the vocabulary."""
        return [_read_word(word)[0] for word in self.vocabulary]

    def _places(self, roots: Sequence[str]) -> Ints:
        """Return the index of each word's root in a list of distinct roots, or −1."""
        place_of = {root: place for place, root in enumerate(roots)}
        return np.array([place_of.get(root, -1) for root in self.roots], np.int64)[self.words]

    def has(self, roots: Sequence[str]) -> NDArray[np.bool_]:
        """Return True for each text and distinct root if the text has such a word, bool[n, k]."""
        places, found = self._places(roots), np.zeros((len(self.lengths), len(roots)), np.bool_)
        known = places >= 0
        found[self.texts[known], places[known]] = True
        return found

    def near(self, words: Sequence[str]) -> Floats:
        """Return the similarity of each of these words to the nearest word of each text.

        The similarity is 1 for a word with the same root or a paraphrase, and otherwise the cosine
        of the vectors. Texts without words have 0. Returns float64[n, k] in [0, 1].
        """
        roots = [canonical(word) for word in words]
        distinct = list(dict.fromkeys(roots))
        near = self.has(distinct)[:, [distinct.index(root) for root in roots]].astype(np.float64)
        lacking = ~near.all(axis=1) & (self.lengths > 0)
        if not lacking.any():  # mostly no word needs a vector
            return near
        inside, each = np.unique(self.words[lacking[self.texts]], return_inverse=True)
        rows = np.array(_word_rows.of(self.vocabulary[i] for i in inside.tolist()))
        cosines = nearness(np.array(_word_rows.of(words)), rows)
        starts = np.append(0, np.cumsum(self.lengths[lacking])[:-1])
        nearest = np.maximum.reduceat(cosines[:, each], starts, axis=1)
        near[lacking] = np.maximum(near[lacking], nearest.T)
        return near

    def read(self, claim: Claim) -> TermsRead:
        """Return which words of each text are about a claim's subject, and the terms of the text.

        Each word of the subject is replaced by SUBJECT.
        """
        terms, words, texts = self.terms, self.words, self.texts
        read = [_read_word(word) for word in self.vocabulary]
        places, has = self._places(claim.subject), self.has(claim.subject)
        own = places >= 0
        parts = np.array([terms.part(word) for word in self.vocabulary], np.int64)[words]
        parts[own] = terms.part(SUBJECT)
        # −1 marks a word without a class, which n-grams of classes skip.
        kinds = [terms.part(kind) if kind else -1 for _, kind, _ in read]
        classes = np.array(kinds, np.int64)[words]
        classes[own] = terms.part(word_class(SUBJECT))
        classed = classes >= 0
        found = [
            terms.occurring(parts, texts),
            terms.occurring(classes[classed], texts[classed]),
        ]
        numbers, of = (np.concatenate(both) for both in zip(*found, strict=True))
        pairs, tfs = np.unique(of * len(terms) + numbers, return_counts=True)
        ends = np.searchsorted(pairs, len(terms) * np.arange(1, len(self.lengths) + 1))
        empty = np.array([is_empty for _, _, is_empty in read], np.bool_)[words]
        further = ~own & ~empty
        number_of = {root: n for n, (root, _, _) in enumerate(read)}
        roots = np.array([number_of[root] for root, _, _ in read], np.int64)[words]
        distinct = np.unique(texts[further] * max(1, len(read)) + roots[further])
        counted = (texts[own], distinct // max(1, len(read)), texts[further])
        counts = [np.bincount(one, minlength=len(self.lengths)) for one in counted]
        return TermsRead(has, np.transpose(counts), pairs % len(terms), tfs, ends)


@dataclass(frozen=True, eq=False, slots=True)
class TermsRead:
    """The terms of several texts, and their words about a subject."""

    has: NDArray[np.bool_]
    """True for each text and root of the subject if the text has such a word, bool[n, k]."""
    counts: Ints
    """Numbers of subject words, distinct roots of other words, and other words, int64[n, 3].

    Empty words are not counted.
    """
    ids: Ints
    """The distinct terms of all texts, ascending within each text."""
    tfs: Ints
    """Number of occurrences of each term in `ids`."""
    ends: Ints
    """The end of each text's terms in `ids`, int64[n]."""

    def attitudes(self, attitude: Attitude) -> list[float]:
        """Return the attitude of each text's words towards the subject, not yet weighted."""
        return attitude.of_texts(self.ids, self.tfs, self.ends.tolist())
