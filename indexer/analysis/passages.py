"""Splits a text into passages of whole sentences, each with its own vector (docs/meaning.md)."""

from __future__ import annotations

import re

from argsearch.indexer.analysis.sentences import segment

WINDOW_WORDS = 60
"""Number of words after which a passage ends at the next sentence boundary."""
PASSAGE_LIMIT = 90
"""Maximum number of words in a passage; longer sentences are split."""
_NOT_SPACE = re.compile(r"\S+")


def passages(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each passage, in order; together they cover all words.

    A passage ends with the sentence in which it reaches WINDOW_WORDS words. It ends earlier if the
    next sentence would take it above PASSAGE_LIMIT words.
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
    """Return the start, end and word count of each sentence, or of each piece of a long one."""
    found = []
    for first, last in segment(text).tolist():
        words = [(one.start(), one.end()) for one in _NOT_SPACE.finditer(text, first, last)]
        size = WINDOW_WORDS if len(words) > PASSAGE_LIMIT else PASSAGE_LIMIT
        for at in range(0, len(words), size):
            some = words[at : at + size]
            found.append((some[0][0], some[-1][1], len(some)))
    return found
