"""Passages of a text: windows of whole sentences, each with its own vector (docs/meaning.md)."""

from __future__ import annotations

import re

from argsearch.indexer.analysis.sentences import segment

WINDOW_WORDS = 60
"""Number of words from which a passage ends with its sentence."""
PASSAGE_LIMIT = 90
"""Largest number of words of a passage; a longer sentence is split."""
_NOT_SPACE = re.compile(r"\S+")


def passages(text: str) -> list[tuple[int, int]]:
    """Return begin and end of each passage, in order and without gaps in the words.

    A passage takes sentences until it has WINDOW_WORDS. It ends earlier if the next sentence would
    give it more than PASSAGE_LIMIT.
    """
    found = list[tuple[int, int]]()
    begin = end = words = 0
    for first, last, count in _units(text):
        if words and words + count > PASSAGE_LIMIT:
            found.append((begin, end))
            words = 0
        begin = begin if words else first
        end, words = last, words + count
        if words >= WINDOW_WORDS:
            found.append((begin, end))
            words = 0
    if words:
        found.append((begin, end))
    return found


def passage_texts(text: str) -> list[str]:
    """Return the text of each passage."""
    return [text[begin:end] for begin, end in passages(text)]


def _units(text: str) -> list[tuple[int, int, int]]:
    """Return begin, end and number of words of each sentence, or of each piece of a long one."""
    found = []
    for first, last in segment(text).tolist():
        words = [(one.start(), one.end()) for one in _NOT_SPACE.finditer(text, first, last)]
        size = WINDOW_WORDS if len(words) > PASSAGE_LIMIT else PASSAGE_LIMIT
        for at in range(0, len(words), size):
            some = words[at : at + size]
            found.append((some[0][0], some[-1][1], len(some)))
    return found
