"""Stems of English words: Snowball's Porter2 (Porter 2001, snowballstem.org)."""

from __future__ import annotations

from collections.abc import Sequence


def stems(words: Sequence[str]) -> list[str]:
    """The stem of each word, in lower case: `vapes`, `vaping` and `vape` have one.

    Words that are not English come back as they are, or without what looks like an English ending.
    """
    from Stemmer import Stemmer

    # A stemmer for each call: two threads may not share one.
    found: list[str] = Stemmer("english", 0).stemWords(words)
    return found
