"""The spellings of a word and a question: apostrophes, quotation marks, dashes and accents."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import normalize

APOSTROPHES = "'’ʼ‘＇"
"""Apostrophes that a token can have inside, the one of keyboards first."""
_PLAIN = str.maketrans(
    dict.fromkeys("’ʼ‘＇‛′´`", "'")
    | dict.fromkeys("“”„‟«»‹›″＂", '"')
    | dict.fromkeys("‐‑‒–—―−﹣－", "-")
    | {"\u00ad": None}
)


def plain(question: str) -> str:
    """Return a question with the marks of a keyboard and composed accents (NFC)."""
    return normalize("NFC", question).translate(_PLAIN)


def spellings(word: str) -> tuple[str, ...]:
    """Return all spellings of a word of a plain question, its own first."""
    if word.isascii() and "'" not in word:
        return (word,)
    marks = APOSTROPHES if "'" in word else "'"
    written = (word.replace("'", mark) for mark in marks)
    return tuple(dict.fromkeys(normalize(form, one) for one in written for form in ("NFC", "NFD")))


def spelt(words: Iterable[str], every: bool = True) -> list[str]:
    """Return words in all their spellings, or (not `every`) as they are."""
    return [one for word in words for one in (spellings(word) if every else (word,))]
