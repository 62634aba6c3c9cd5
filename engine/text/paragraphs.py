"""Paragraphs of a text: its lines. Long lines are split between sentences.

Most corpora do not preserve their authors' paragraphs.
"""

from __future__ import annotations

from argsearch.engine.text.snippet import sentences

LONG_LINE = 900
"""Length in characters at which a line is split."""
PARAGRAPH_LENGTH = 500
"""Number of characters after which the next sentence begins a new paragraph."""


def paragraphs(text: str) -> list[str]:
    """Return a text's paragraphs that are not blank; together they contain all of its words."""
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
