"""A text in paragraphs: its own lines, and long ones parted where a sentence ends.

Most corpora have lost the paragraphs that their writers made.
"""

from __future__ import annotations

from argsearch.engine.text.snippet import sentences

LONG_LINE = 900
"""Characters from which on a line is parted."""
PARAGRAPH_LENGTH = 500
"""Characters after which the next sentence begins a new paragraph."""


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, none of them blank; joined they are its words, in order."""
    parts = [part for line in text.splitlines() for part in _parted(line.strip())]
    return [part for part in parts if part]


def _parted(line: str) -> list[str]:
    if len(line) <= LONG_LINE:
        return [line]
    begins, begin = [0], 0
    for sentence, _ in sentences(line).tolist():
        if sentence - begin >= PARAGRAPH_LENGTH and len(line) - sentence >= PARAGRAPH_LENGTH // 2:
            begins.append(sentence)
            begin = sentence
    ends = [*begins[1:], len(line)]
    return [line[a:b].strip() for a, b in zip(begins, ends, strict=True)]
