"""Phrasings and the words that stand for them, each compiled when a text first may have it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache

_VARIABLE = re.compile(r"\\.|\[[^\]]*\]|[a-z0-9](?=[?*{])|\([^()]*\)[?*]|\(\?[=!][^()]*\)")
"""What of a pattern stands for no letters, or may be missing."""
_GROUP = re.compile(r"\([^()]*\)")
_LETTERS = re.compile(r"[a-z0-9']{2,}")


class Phrasings:
    """Patterns of lower-case words and what they are replaced by, in order.

    A match has at least one of the runs of letters of its pattern, so that most patterns need not
    be compiled, nor tried.
    """

    def __init__(self, listed: Iterable[tuple[str, str]]) -> None:
        """listed: each pattern and its replacement."""
        self.listed = tuple(listed)
        self._runs = defaultdict[str, list[tuple[str, int]]](list)
        for number, (old, _) in enumerate(self.listed):
            for run in _needed(old):
                self._runs[run[:3]].append((run, number))

    def put(self, text: str) -> str:
        """Return a text with the replacements in place; each pattern reads what others wrote."""
        waiting = self._near(text)
        while waiting:
            number = waiting.pop(0)
            old, new = self.listed[number]
            if (put := _compiled(old).sub(new, text)) != text:
                text, waiting = put, self._near(put, number + 1)
        return text

    def begin(self, text: str) -> bool:
        """Whether a text begins with any of the phrasings."""
        return any(_compiled(self.listed[number][0]).match(text) for number in self._near(text))

    def _near(self, text: str, first: int = 0) -> list[int]:
        """The numbers, from the first on, of the patterns of which a text has a run."""
        runs = self._runs
        return sorted(
            {
                number
                for at in range(len(text) - 1)
                for begin in (text[at : at + 2], text[at : at + 3])
                if begin in runs
                for run, number in runs[begin]
                if number >= first and text.startswith(run, at)
            }
        )


def _needed(pattern: str) -> list[str]:
    """Runs of letters, one of which each match has: if long, the longest outside of groups."""
    outer = put = _VARIABLE.sub(" ", pattern)
    while (less := _GROUP.sub(" ", outer)) != outer:
        outer = less
    longest = max(_LETTERS.findall(outer), key=len, default="")
    return [longest] if len(longest) > 2 and "|" not in outer else _LETTERS.findall(put)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
