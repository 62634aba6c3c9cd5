"""Stems of English words: Snowball's Porter2 (Porter 2001, snowballstem.org)."""

from __future__ import annotations

from collections.abc import Sequence


def stems(words: Sequence[str]) -> list[str]:
    """Return the stem of each lower-case word; `vapes`, `vaping` and `vape` share a stem.

    Words in other languages are returned unchanged, or without an ending that looks English.
    """
    from Stemmer import Stemmer

    # Make a stemmer per call, because two threads may not share one.
    found: list[str] = Stemmer("english", 0).stemWords(words)
    return found
