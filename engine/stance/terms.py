"""The terms of a stance model, and those in texts: n-grams of words and of word classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stance.claims import ROOT_LETTERS, sentences_of
from argsearch.engine.stance.lexicon import SAYING_NOTHING, SYNONYMS
from argsearch.engine.stance.wording import CLASS_OF, HEAD, SUBJECT, TAIL, expanded
from argsearch.indexer.analysis.sentences import codes
from argsearch.ranking.compiled import inlined, kernel
from argsearch.ranking.hashing import FNV_OFFSET, FNV_PRIME, Hashes, fnv, slot_of, table_of_numbers
from argsearch.ranking.stance import KEY_BITS, Ints, counted_terms

QUESTION_SHARE = 0.2
"""A text repeats the question only if more than this share of its words are the question's."""
MOST_FURTHER = 7
"""Most distinct words that a text which only repeats the question may add."""
SEVERAL = 3
"""Minimum number of sentences of a text that may add words."""
FURTHER_EACH = 3
"""Number of distinct words that such a text may add per sentence after the first."""


@inlined
def _is_letter(code):  # type: ignore[no-untyped-def]
    """Return True for a letter or digit in the code points that `_letters` returns."""
    return 97 <= code <= 122 or 48 <= code <= 57 or code > 127


@kernel
def hashed_words(codes, ends):  # type: ignore[no-untyped-def]
    """Return the hashes of m words and of their `root`, uint64[2, m], and their counts at `ends`.

    A count is the number of words before an end. Args: codes: `_letters` of a text. ends: ascending
    positions in it, each after a space.
    """
    found = np.empty((2, len(codes) // 2 + 1), np.uint64)
    counts = np.empty(len(ends), np.int64)
    word = shorter = beginning = FNV_OFFSET
    m = size = at = 0
    for part in range(len(ends)):
        while at < ends[part]:
            if _is_letter(codes[at]):
                shorter, word = word, (word ^ np.uint64(codes[at])) * FNV_PRIME
                size += 1
                if size <= ROOT_LETTERS:
                    beginning = word
            elif size > 0:
                plural = size > 3 and codes[at - 1] == 115 and codes[at - 2] != 115
                found[0, m] = word
                found[1, m] = shorter if plural and size <= ROOT_LETTERS else beginning
                word, size, m = FNV_OFFSET, 0, m + 1
            at += 1
        counts[part] = m
    return found[:, :m], counts


@inlined
def _added(root, roots, n):  # type: ignore[no-untyped-def]
    """Add a root to n distinct roots unless it is one of them; return how many there are now.

    The result is at most MOST_FURTHER + 1.
    """
    roots[n], same = root, 0
    while roots[same] != root:
        same += 1
    return n + (same == n and n <= MOST_FURTHER)


@kernel
def looked_up(hashes, counts, long, known, subject, wanted):  # type: ignore[no-untyped-def]
    """Return the arguments of `counted_terms` for the wanted texts, and two counts for all texts.

    The counts are int64[n, 2]: `of_subject` and `further` of `TextRead`. Args: hashes, counts:
    `hashed_words` of both `ends` of each text. long, wanted: bool[n]; a long text is not read
    whole. known: `StanceTerms.known`. subject: `table_of_numbers` of the hashes of its roots.
    """
    keys, numbers, facts, roots, (own_part, own_class) = known
    parts, classes = np.empty((2, hashes.shape[1]), np.int64)
    lengths, read = np.zeros(len(wanted), np.int64), np.zeros((len(wanted), 2), np.int64)
    seen, further = np.full(len(subject[0]), -1), np.empty(MOST_FURTHER + 2, np.uint64)
    begin = filled = 0
    for text in range(len(wanted)):
        middle, end = counts[2 * text], counts[2 * text + 1]
        head = min(middle, begin + HEAD)
        skipped = max(end - TAIL, middle if long[text] else head) - head
        row, at, own, others = read[text], filled, 0, 0
        for place in range(begin, end - skipped):
            place += skipped * (place >= head)
            word, root = hashes[0, place], hashes[1, place]
            slot = slot_of(word, keys)
            part, kind, idle = np.int64(0), np.int64(-1), False
            if keys[slot] == word:
                number = numbers[slot]
                part, kind, idle = facts[number, 0], facts[number, 1], facts[number, 2] > 0
                root = roots[number]
            slot = slot_of(root, subject[0])
            if subject[0][slot] == root:
                part, kind = own_part, own_class
                row[0] += seen[slot] != text
                seen[slot] = text
                own += 1
            elif not idle:
                others += 1
                row[1] = _added(root, further, row[1])
            parts[at], classes[at] = part, kind
            at += 1
        if at - filled >= HEAD or own <= QUESTION_SHARE * (own + others):
            row[1] = MOST_FURTHER + 1
        if wanted[text]:
            lengths[text], filled = at - filled, at
        begin = end
    return parts[:filled], classes[:filled], lengths, read


class StanceTerms:
    """The numbered terms of a model: n-grams of one to three words or word classes."""

    def __init__(self, names: Sequence[str]) -> None:
        """Number the terms. names: distinct terms, their words separated by single spaces."""
        self._names = "\n".join(names)
        self.parts: dict[str, int] = {}
        """The number, from 1, of each word and class that occurs in a term."""
        keys = np.zeros(len(names), np.uint64)
        for number, name in enumerate(names):
            key = 0
            for word in name.split(" "):
                key = key << KEY_BITS | self.parts.setdefault(word, len(self.parts) + 1)
            keys[number] = key
        self.table = table_of_numbers(keys)
        """The keys of the terms and their numbers, for `counted_terms`."""
        self.single = {name: number for number, name in enumerate(names) if " " not in name}
        """The number of each term that is a single word."""
        every = {*self.parts, *CLASS_OF, *SYNONYMS, *SAYING_NOTHING}
        words = [word for word in every if word.isalnum() and word == word.lower()]
        of = dict.fromkeys([SUBJECT, *CLASS_OF.values()], 0) | self.parts
        facts = [
            (of.get(one, 0), of.get(CLASS_OF.get(one, ""), -1), one in SAYING_NOTHING)
            for one in words
        ]
        roots = _hashes([SYNONYMS.get(word, word).split(" ")[0] for word in words])[1]
        own = of[SUBJECT], of[CLASS_OF[SUBJECT]]
        self.known = (*table_of_numbers(_hashes(words)[0]), np.array(facts, np.int64), roots, own)
        """The hashes of the words of terms and lists, and what `looked_up` reads about them."""

    @property
    def names(self) -> list[str]:
        """The terms, in order."""
        return self._names.split("\n")

    def read(
        self, texts: Sequence[tuple[str, str]], wanted: Sequence[bool], subject: Sequence[str]
    ) -> tuple[list[list[int]], tuple[Ints, Ints, Ints]]:
        """Return `of_subject` and `further` of each text's `ends`, and `counted_terms` if wanted.

        In terms, SUBJECT replaces the words of the subject. subject: their distinct roots.
        """
        parts = [expanded(part) for text in texts for part in text]
        sought = table_of_numbers(np.array([fnv(map(ord, root)) for root in subject], np.uint64))
        long = np.array([len(part) > 0 for part in parts[1::2]], np.bool_)
        words = hashed_words(*_letters(parts))
        *counting, read = looked_up(*words, long, self.known, sought, np.array(wanted, np.bool_))
        return read.tolist(), counted_terms(*counting, self.table)


def _letters(texts: Sequence[str]) -> tuple[NDArray[np.uint32], Ints]:
    """Return the code points of expanded texts, with 0 for signs beyond ASCII, and the ends."""
    found = codes(" ".join([*texts, ""])).copy()
    others = np.flatnonzero(found > 127)
    found[others] *= np.char.isalnum(found[others].view("U1"))
    return found, np.cumsum([len(text) + 1 for text in texts], dtype=np.int64)


def _hashes(words: Sequence[str]) -> Hashes:
    """Return the hashes of words and of their roots, uint64[2, n]."""
    found: Hashes = hashed_words(*_letters(words))[0]
    return found


class TextRead(NamedTuple):
    """The words of a text that tell its side of a question."""

    of_subject: int
    """Number of the subject's roots that occur."""
    further: int
    """Number of distinct roots that a text adds to the question, at most MOST_FURTHER + 1.

    SAYING_NOTHING does not count. MOST_FURTHER + 1 also stands for texts of HEAD words, and those
    of whose words at most QUESTION_SHARE are the question's.
    """
    attitude: float

    def repeats(self, text: str) -> bool:
        """Return True if the text repeats the question's words and adds almost none of its own.

        A text of SEVERAL different sentences may add FURTHER_EACH distinct words per sentence after
        the first, at most MOST_FURTHER; other texts none.
        """
        if self.further > MOST_FURTHER:
            return False
        sentences = len({one for line in text.lower().splitlines() for one in sentences_of(line)})
        most = min(MOST_FURTHER, FURTHER_EACH * (sentences - 1)) if sentences >= SEVERAL else 0
        return self.further <= most
