"""Texts as numbers of words: what of their words no question changes, looked up once for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stance.claims import Claim
from argsearch.engine.stance.terms import (
    SAYING_NOTHING,
    SUBJECT,
    canonical,
    extracts,
    word_class,
)
from argsearch.engine.stance.vocabulary import Extract, Vocabulary
from argsearch.ranking.hashing import salts
from argsearch.ranking.stance import (
    EMPTY_COLUMN,
    KEY_BITS,
    ROOT_COLUMN,
    Attitude,
    Floats,
    Ints,
    Levels,
    nearness,
    read_terms,
    term_table,
)
from argsearch.ranking.vectors import quantise

CACHED_WORDS = 1 << 16
"""Words that are known at a time, some 350 bytes each; then all are looked up anew."""
MOST_PHRASES = 1 << 12
"""Phrases whose rows are remembered, 1 KB each; then all are embedded anew."""
ENCODER = "wordllama"
"""Whatever encoder an index has: the weights of a model are for this one."""


def _encode(texts: list[str]) -> NDArray[np.float32]:
    from argsearch.indexer.encoders import load_encoder

    rows: NDArray[np.float32] = load_encoder(ENCODER).encode(texts)
    return rows


def levels_of(words: Sequence[str]) -> Levels:
    """The vectors of some words."""
    return Levels.of(quantise(_encode(list(words)))[0])


class RememberedRows:
    """Unit rows of phrases in the encoder's space; up to MOST_PHRASES are remembered."""

    def __init__(self) -> None:
        self._rows: dict[str, NDArray[np.float32]] = {}

    def of(self, phrases: Iterable[str]) -> list[NDArray[np.float32]]:
        """The row of each phrase, float32[d], in order."""
        phrases, known = list(phrases), self._rows
        new = [phrase for phrase in dict.fromkeys(phrases) if phrase not in known]
        if len(known) + len(new) > MOST_PHRASES:
            known, new = {}, list(dict.fromkeys(phrases))
        if new:
            known.update(zip(new, _encode(new), strict=True))
        self._rows = known
        return [known[phrase] for phrase in phrases]


class StanceTerms:
    """The terms of a model: n-grams of one to three words, and of their classes, by number."""

    def __init__(self, names: Sequence[str]) -> None:
        """names: distinct, each its words joined by single spaces."""
        self._names = "\n".join(names)
        words = self._names.replace("\n", " \n ").split(" ")
        order = dict(zip(distinct := dict.fromkeys(["\n", *words]), count(), strict=False))
        placed = np.array([0, 0, *map(order.__getitem__, words), 0], np.int64)
        # strings of their own: those of the terms would keep the memory of all that go
        fresh = "\0".join(distinct).split("\0")
        del words, order, distinct
        self.parts: Mapping[str, int] = dict(zip(fresh, count(), strict=False))
        """A number of each word and class that terms consist of, from 1."""
        ends = np.flatnonzero((placed[:-1] != 0) & (placed[1:] == 0))
        before = placed[ends - 1]
        third = np.where(before, placed[ends - 2], 0)
        keys = placed[ends] | before << KEY_BITS | third << 2 * KEY_BITS
        self.salt = salts()
        self.table, self.numbers = term_table(keys, self.salt)
        self._single = np.full(len(fresh), -1)
        self._single[keys[before == 0]] = np.flatnonzero(before == 0)
        self.mask = np.array([self.part(SUBJECT), self.part(word_class(SUBJECT)) + 1], np.int64)
        """What stands for a word of a question's subject, as `read_terms` has it."""

    @property
    def names(self) -> list[str]:
        """The terms, in order."""
        return self._names.split("\n")

    def part(self, word: str) -> int:
        """The number of a word or class among `parts`; 0 for another."""
        return self.parts.get(word, 0)

    def single(self, word: str) -> int:
        """The number of the term that is this one word; −1 for none."""
        return int(self._single[self.part(word)])


class WordTable:
    """Words, numbered as they come; what is known of each."""

    def __init__(self, terms: StanceTerms) -> None:
        self.terms = terms
        self.vocabulary = Vocabulary(CACHED_WORDS)
        self.roots: dict[str, int] = {}
        self.columns = np.zeros((CACHED_WORDS, 4), np.int32)
        self._learned = 0
        self._rows = np.zeros((0, 0), np.int8)
        self._lengths = np.zeros(CACHED_WORDS)
        self._embedded = np.zeros(CACHED_WORDS, np.bool_)

    def read(self, texts: Sequence[Sequence[Extract]]) -> tuple[Ints, Ints] | None:
        """The numbers of texts' words, and where each text's begin; None where there is no room."""
        found = self.vocabulary.of(texts)
        if found is not None and len(self.vocabulary) > self._learned:
            self._learn()
        return found

    def _learn(self) -> None:
        """Look up the words that are new."""
        part, roots, rows, first = self.terms.part, self.roots, [], self._learned
        for word in self.vocabulary.words(first, len(self.vocabulary)):
            own, kind = canonical(word), word_class(word)
            row = [0, part(word), part(kind) + 1 if kind else 0, 0]
            row[ROOT_COLUMN] = roots.setdefault(own, len(roots))
            row[EMPTY_COLUMN] = len(word) < 2 or word in SAYING_NOTHING
            rows.append(row)
        self.columns[first : first + len(rows)] = rows
        self._learned = first + len(rows)

    def levels(self, numbers: Ints) -> Levels:
        """The vectors of words, each embedded when it is first asked for."""
        new = numbers[~self._embedded[numbers]]
        if len(new):
            rows, _ = quantise(_encode([*map(self.vocabulary.word, new.tolist())]))
            if not self._rows.size:
                self._rows = np.zeros((CACHED_WORDS, rows.shape[1]), np.int8)
            self._rows[new], self._lengths[new] = rows, Levels.of(rows).lengths
            self._embedded[new] = True
        return Levels(self._rows[numbers], self._lengths[numbers])


@dataclass(frozen=True, eq=False)
class Wording:
    """The words of some texts."""

    known: WordTable
    lock: RLock
    words: Ints
    """Of all texts, one after the other, as `known` numbers them."""
    bounds: Ints
    """Where each text's begin, int64[n + 1]."""

    @property
    def lengths(self) -> Ints:
        """How many words each text has, int64[n]."""
        return np.diff(self.bounds)

    def has(self, roots: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each text has a word of each distinct root, bool[n, k]."""
        place = self._places(roots)[self.known.columns[self.words, ROOT_COLUMN]]
        found = np.zeros((len(self.lengths), len(roots)), np.bool_)
        known = place >= 0
        found[np.repeat(np.arange(len(found)), self.lengths)[known], place[known]] = True
        return found

    def near(self, words: Sequence[str], levels: Callable[[], Levels]) -> Floats:
        """How near the nearest of each text's words is to each of some, float64[n, k] in [0, 1].

        levels: gives the vectors of these words (`levels_of`), where any is needed. 1 for a word of
        the same root, or one that it paraphrases; 0 for a text without words.
        """
        roots = [canonical(word) for word in words]
        found = self.has(list(dict.fromkeys(roots)))
        place = {root: k for k, root in enumerate(dict.fromkeys(roots))}
        columns = [place[root] for root in roots]
        near = np.ascontiguousarray(found[:, columns], np.float64)
        lacking = np.flatnonzero(~near.all(axis=1) & (self.lengths > 0))
        if not len(lacking):  # mostly no word needs a vector
            return near
        inside = np.concatenate([np.arange(*self.bounds[i : i + 2]) for i in lacking.tolist()])
        there = np.zeros(CACHED_WORDS, np.bool_)
        there[self.words[inside]] = True
        numbers = np.flatnonzero(there)
        with self.lock:
            known = self.known.levels(numbers)
        cosines = nearness(levels(), known)
        starts = np.append(0, np.cumsum(self.lengths[lacking])[:-1])
        each = (np.cumsum(there) - 1)[self.words[inside]]
        nearest = np.maximum.reduceat(cosines[:, each], starts, axis=1)
        near[lacking] = np.maximum(near[lacking], nearest.T)
        return near

    def read(self, claim: Claim) -> TermsRead:
        """What of each text's words concerns a claim's subject, and their terms."""
        known, terms = self.known, self.known.terms
        table = (terms.mask, terms.table, terms.numbers, terms.salt, len(claim.subject))
        places = self._places(claim.subject)
        return TermsRead(*read_terms(self.words, self.bounds, known.columns, places, *table))

    def _places(self, roots: Sequence[str]) -> NDArray[np.int16]:
        """Of each root that is known its place among some, or −1."""
        size = len(self.known.roots)  # further ones, of other threads, are of no word here
        places = np.full(size + 1, -1, np.int16)
        for place, root in enumerate(roots):
            if (number := self.known.roots.get(root, size)) < size:
                places[number] = place
        return places


@dataclass(frozen=True, eq=False, slots=True)
class TermsRead:
    """What `argsearch.ranking.stance.read_terms` tells of texts."""

    has: NDArray[np.bool_]
    counts: Ints
    ids: Ints
    tfs: Ints
    ends: Ints

    def attitudes(self, attitude: Attitude) -> list[float]:
        """The attitude of each text's words towards the subject, before it is weighed."""
        return attitude.of_texts(self.ids, self.tfs, self.ends.tolist())


class KnownWords:
    """The words of texts, by numbers; so many words are remembered."""

    def __init__(self, terms: StanceTerms) -> None:
        self._lock = RLock()
        self._known = WordTable(terms)

    def of(self, texts: Sequence[Sequence[str]]) -> Wording:
        """The words of texts that are given as words; below CACHED_WORDS distinct ones in all."""
        return self._read([[Extract(" ".join(words), len(words), 0)] for words in texts])

    def read(self, texts: Sequence[str]) -> Wording:
        """The words of the beginning and end of texts (`extracts`)."""
        return self._read([extracts(text) for text in texts])

    def _read(self, texts: Sequence[Sequence[Extract]]) -> Wording:
        with self._lock:
            found = self._known.read(texts)
            if found is None:  # all begins anew
                self._known = WordTable(self._known.terms)
                found = self._known.read(texts)
            if found is None:
                raise ValueError(f"texts of more than {CACHED_WORDS:,} distinct words")
            return Wording(self._known, self._lock, *found)
