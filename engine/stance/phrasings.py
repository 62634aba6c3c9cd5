"""Patterns of phrases with their replacements. A pattern is not compiled until it is needed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

_VARIABLE = re.compile(r"\\.|\[[^\]]*\]|[a-z0-9](?=[?*{])|\([^()]*\)[?*]|\(\?[=!][^()]*\)")
"""Parts of a pattern that have no fixed letters or are optional."""
_GROUP = re.compile(r"\([^()]*\)")
_LETTERS = re.compile(r"[a-z0-9']{2,}")


class Phrasings:
    """Patterns of lower-case words and their replacements, which are applied in order.

    A match contains a run of its pattern's letters, so most patterns never have to be compiled.
    """

    def __init__(self, listed: Iterable[tuple[str, str]]) -> None:
        """Index the patterns by their letters. listed: pairs of a pattern and its replacement."""
        self.listed = tuple(listed)
        self._runs = defaultdict[str, list[tuple[str, int]]](list)
        for number, (old, _) in enumerate(self.listed):
            for run in _needed(old):
                self._runs[run[:3]].append((run, number))

    def put(self, text: str) -> str:
        """Return a text with all replacements. Each pattern reads the result of earlier ones."""
        waiting = self._near(text)
        while waiting:
            number = waiting.pop(0)
            old, new = self.listed[number]
            if (put := _compiled(old).sub(new, text)) != text:
                text, waiting = put, self._near(put, number + 1)
        return text

    def begin(self, text: str) -> bool:
        """Return True if a text begins with any of the phrases."""
        return any(_compiled(self.listed[number][0]).match(text) for number in self._near(text))

    def _near(self, text: str, first: int = 0) -> list[int]:
        """Return the numbers, from `first` on, of the patterns that may match a text."""
        runs, pairs = self._runs, list(map("".join, pairwise(text)))
        begins = {*pairs, *map(str.__add__, pairs, text[2:])}
        return sorted(
            {
                number
                for begin in runs.keys() & begins
                for run, number in runs[begin]
                if number >= first and run in text
            }
        )


def _needed(pattern: str) -> list[str]:
    """Return letter runs of which each match has at least one; if possible, only the longest."""
    outer = put = _VARIABLE.sub(" ", pattern)
    while (less := _GROUP.sub(" ", outer)) != outer:
        outer = less
    longest = max(_LETTERS.findall(outer), key=len, default="")
    return [longest] if len(longest) > 2 and "|" not in outer else _LETTERS.findall(put)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
