"""Correct spelling: find the frequent term of an index that a rare word most likely stands for.

The distance is optimal string alignment: inserting, deleting or changing a letter, and swapping two
adjacent letters, each count as one (Damerau 1964).
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.arrays import SortedStrings

# A correction must occur at least this often and make up at least this share of all tokens.
LEAST_OCCURRENCES = 3
SHARE = 3e-7
# Many words are similar to a word of up to FEW_LETTERS letters. So its correction must have this
# higher share of all tokens or be another form of the word.
FEW_LETTERS = 4
SHARE_SHORT = 1e-5
RARE = 1e-5
"""A longer word in the index may be a misspelling up to this share of all tokens."""
TIMES = 30
"""Smallest ratio of a correction's frequency to the frequency of the misspelling."""
# Shorter and longer words are not corrected. Unknown words of MANY_LETTERS may have two mistakes.
FEWEST_LETTERS = 4
MANY_LETTERS = 8
MOST_LETTERS = 40
WORDS_REMEMBERED = 4096
"""Number of words whose corrections are cached."""
FIRST_LETTERS = 64
"""Number of first letters whose words are cached."""


class Shelf(NamedTuple):
    """Possible corrections with the same first letter and length, most frequent first."""

    words: list[str]
    counts: NDArray[np.int64]


class Spelling:
    """Spelling corrections from the vocabulary of one index; safe to share between threads."""

    def __init__(self, terms: SortedStrings, totals: NDArray[np.int64], tokens: int) -> None:
        self.terms, self.totals, self.tokens = terms, totals, tokens
        self._remembered = lru_cache(WORDS_REMEMBERED)(self._correct)
        self._shelves = lru_cache(FIRST_LETTERS)(self._under)

    def _under(self, letter: str) -> dict[int, Shelf]:
        """Return the possible corrections that begin with a letter, by length."""
        first = letter.encode()
        begin, end = bisect_left(self.terms, first), bisect_left(self.terms, first + b"\xff")
        rows = begin + np.flatnonzero(
            self.totals[begin:end] >= max(LEAST_OCCURRENCES, SHARE * self.tokens)
        )
        rows = rows[np.argsort(-self.totals[rows], kind="stable")]
        found: dict[int, tuple[list[str], list[int]]] = {}
        for row, count in zip(rows.tolist(), self.totals[rows].tolist(), strict=True):
            word = self.terms[row].decode()
            if len(word) >= FEWEST_LETTERS and word.isalpha():
                words, counts = found.setdefault(len(word), ([], []))
                words.append(word)
                counts.append(count)
        return {n: Shelf(words, np.array(counts)) for n, (words, counts) in found.items()}

    def doubtful(self, word: str, count: int) -> bool:
        """Return True if a word that occurs `count` times may be a misspelling."""
        fits = FEWEST_LETTERS <= len(word) <= MOST_LETTERS and word.isalpha()
        return fits and (not count or (len(word) > FEW_LETTERS and count <= RARE * self.tokens))

    def correction(self, word: str, found: bool = False) -> str | None:
        """Return the word that a misspelling most likely stands for, or None.

        For an unknown word, another form of the same word comes first, then the smallest distance,
        then the highest frequency. A correction keeps the first letter, which is seldom wrong.
        found: true if the word matched any arguments, for example through its other forms.
        """
        return self._remembered(word, found) if len(word) <= MOST_LETTERS else None

    def _correct(self, word: str, found: bool) -> str | None:
        row = self.terms.find(word.encode())
        count = int(self.totals[row]) if row >= 0 else 0
        if not self.doubtful(word, count):
            return None
        from argsearch.indexer.analysis.stemming import stems

        near = self._near(word, count)
        stem, *others = stems([word, *(one for _, _, one in near)])
        forms = [one == stem for one in others]
        least = SHARE_SHORT * self.tokens if len(word) <= FEW_LETTERS else 0.0
        ranked = [
            (not form, *one)
            for form, one in zip(forms, near, strict=True)
            if not (form and (count or found)) and (form or -one[1] >= least)
        ]  # a rare form of a frequent word is correct
        return min(ranked)[3] if ranked else None

    def _near(self, word: str, count: int) -> list[tuple[int, int, str]]:
        """Return similar words, each preceded by its distance and its negated frequency."""
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        # For a word in the index the limit is 1, as nearly every word has another within 2 letters.
        most = 2 if len(word) >= MANY_LETTERS and not count else 1
        near, shelves = [], self._shelves(word[0])
        for length in range(len(word) - most, len(word) + most + 1):
            words, counts = shelves.get(length, EMPTY)
            end = int(np.searchsorted(-counts, -TIMES * count, side="right"))
            found = extract(word, words[:end], scorer=OSA.distance, score_cutoff=most, limit=None)
            near += [(int(d), -int(counts[at]), w) for w, d, at in found]
        return near


EMPTY = Shelf([], np.zeros(0, np.int64))
