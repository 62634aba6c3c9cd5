"""Tokens as Lucene's StandardAnalyzer makes them, without stop words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np

from argsearch.indexer.analysis.automaton import DEAD, START, Automaton, compile_pattern
from argsearch.indexer.analysis.word_classes import CLASSES, class_table, lower_case
from argsearch.indexer.analysis.word_rules import TOKEN

MAX_TOKEN = 255
"""Longest token in UTF-16 units, as Lucene counts; what is longer is split."""

_ASCII = re.compile(  # the word rules where only ASCII can occur, for texts in lower case
    r"(?<!_)_*+[a-z0-9]++"
    r"(?:_++[a-z0-9]++|(?<=[a-z])[.':][a-z][a-z0-9]*+|(?<=[0-9])[.',;][0-9][a-z0-9]*+)*+_*+"
)


@cache
def token_automaton() -> Automaton:
    """The automaton of `word_rules.TOKEN` over the codes of `word_classes.CLASSES`."""
    return compile_pattern(TOKEN, "".join(CLASSES))


class StandardAnalyzer:
    """Words, numbers, ideographs and emoji of a text, in lower case; equal to Lucene's, one by one.

    A token longer than 255 UTF-16 units is cut there, and what follows begins a new one.
    """

    name = "standard"

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text, in order; repeated words stay repeated."""
        if text.isascii():
            found = _ASCII.findall(text.lower())
            if max(map(len, found), default=0) <= MAX_TOKEN:
                return found
        lower = lower_case()
        return [text[start:end].translate(lower) for start, end in spans(text)]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each token in a text, by the automaton alone."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    codes = class_table()[points].tobytes()
    units = (1 + (points > 0xFFFF)).astype(np.uint8).tobytes()
    start = 0
    while start < len(codes):
        end = _longest(codes, units, start)
        if end > start:
            yield start, end
        start = max(end, start + 1)


def _longest(codes: bytes, units: bytes, start: int) -> int:
    """End of the longest token that begins at `start`; `start` when none does."""
    step, accepting = _walkable()
    state, end, room = START, start, MAX_TOKEN
    for at in range(start, len(codes)):
        state = step[state][codes[at]]
        room -= units[at]
        if state == DEAD or room < 0:
            break
        if accepting[state]:
            end = at + 1
    return end


@cache
def _walkable() -> tuple[list[bytes], list[bool]]:
    automaton = token_automaton()
    return [row.tobytes() for row in automaton.step], automaton.accepting.tolist()
