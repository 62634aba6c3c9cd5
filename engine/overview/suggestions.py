"""Suggestions while typing: the conclusions of an index that match the input so far."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.base import Contents
from argsearch.engine.query.variants import unify

MOST_CHARACTERS = 200
"""Maximum length of a suggested conclusion, in characters."""
WORDS_TYPED = 12
"""Number of words at the end of the input that are looked up."""
_TYPED_WORD = re.compile(r"\w+")
_LAST = "\U0010ffff"


class Suggestion(NamedTuple):
    """A conclusion and the number of arguments that have it."""

    text: str
    arguments: int


def folded(text: str) -> str:
    """Return a text with its case, spelling and white space normalised."""
    return unify(" ".join(text.split())).casefold()


class Suggestions:
    """Distinct conclusions, found by how they begin or how one of their words begins."""

    def __init__(self, counted: Iterable[tuple[str, int]]) -> None:
        """Index conclusions with their numbers of arguments; merge those with equal keys."""
        sums: dict[str, int] = {}
        worded: dict[str, tuple[int, str]] = {}
        for text, arguments in counted:
            text = " ".join(text.split())
            key = folded(text)
            if not 0 < len(text) <= MOST_CHARACTERS:
                continue
            sums[key] = sums.get(key, 0) + arguments
            if key not in worded or worded[key][0] < arguments:
                worded[key] = arguments, text
        keys = sorted(sums, key=lambda key: (-sums[key], key))
        self._found = [Suggestion(worded[key][1], sums[key]) for key in keys]
        self._order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int32)
        self._keys = sorted(keys)
        self._words, self._starts, self._rows = _postings(keys)

    def __len__(self) -> int:
        return len(self._found)

    def matching(self, typed: str, most: int) -> list[Suggestion]:
        """Return conclusions that begin with the input, then those with another word that does.

        In each group the most frequent conclusions come first, with ties in alphabetical order.
        """
        key = folded(typed)
        if not key:
            return []
        low, high = bisect_left(self._keys, key), bisect_left(self._keys, key + _LAST)
        begun = np.sort(self._order[low:high])[:most].tolist()
        rest = self._having(key, most + len(begun)) if len(begun) < most else []
        return [self._found[row] for row in list(dict.fromkeys([*begun, *rest]))[:most]]

    def _having(self, key: str, most: int) -> list[int]:
        """Return the first rows where each word of `key` is the beginning of some word."""
        words = _TYPED_WORD.findall(key)[-WORDS_TYPED:]
        if not words:
            return []
        fit = np.ones(len(self._found), np.bool_)
        for word in dict.fromkeys(words):
            low, high = bisect_left(self._words, word), bisect_left(self._words, word + _LAST)
            has = np.zeros(len(fit), np.bool_)
            has[self._rows[self._starts[low] : self._starts[high]]] = True
            fit &= has
        rows: list[int] = np.flatnonzero(fit)[:most].tolist()
        return rows


def _postings(keys: list[str]) -> tuple[list[str], NDArray[np.int64], NDArray[np.int32]]:
    """Return the sorted distinct words, the offset of each word's rows, and all rows together."""
    having: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        for word in set(_TYPED_WORD.findall(key)):
            having.setdefault(word, []).append(row)
    words = sorted(having)
    starts = np.cumsum([0, *(len(having[word]) for word in words)], dtype=np.int64)
    rows = np.fromiter((row for word in words for row in having[word]), np.int32, int(starts[-1]))
    return words, starts, rows


def conclusions(contents: Contents) -> Iterable[tuple[str, int]]:
    """Yield each distinct conclusion of an index with the number of arguments that have it."""
    begins = np.asarray(contents.arrays.conclusion_docs)
    for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
        conclusion = contents.store[begin].conclusion if end > begin else None
        if conclusion:
            yield conclusion, end - begin
