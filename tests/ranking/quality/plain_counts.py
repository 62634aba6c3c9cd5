"""The counts of `ranking.quality.surface` said plainly: one expression each."""

from __future__ import annotations

import re

from argsearch.ranking.quality.surface import MAX_WORDS, WORD_CLASSES

_WORD = re.compile(rb"[A-Za-z0-9\x80-\xff]+(?:'[A-Za-z0-9\x80-\xff]+)*")


def window(text: bytes) -> bytes:
    """The text up to where its word number `MAX_WORDS` + 1 begins."""
    words = list(_WORD.finditer(text))
    return text[: words[MAX_WORDS].start()] if len(words) > MAX_WORDS else text


def _found(pattern: bytes, text: bytes) -> int:
    return len(re.findall(pattern, text))


def character_counts(text: bytes) -> dict[str, int]:
    """`CHARACTER_COUNTS`, `starts_lower` and `ends_open` of a folded text."""
    read = window(text)
    cut = len(read) < len(text)
    return {
        "small_letters": _found(rb"[a-z]", read),
        "capitals": _found(rb"[A-Z]", read),
        "digits": _found(rb"[0-9]", read),
        "commas": read.count(b","),
        "stops": read.count(b"."),
        "exclamations": read.count(b"!"),
        "question_marks": read.count(b"?"),
        "colons": _found(rb"[:;]", read),
        "quotes": read.count(b'"'),
        "brackets": _found(rb"[()\[\]]", read),
        "hyphens": read.count(b"-"),
        "sentence_ends": _found(rb"[.!?](?=\s|\Z)", read),
        "missing_spaces": _found(rb"(?<=[a-z][,;:.!?])[A-Za-z]", read),
        "stray_spaces": _found(rb"(?<=\s)[,;:.!?]", read),
        "repeated_marks": _found(rb"(?<=[,;:.!?])[,;:.!?]", read),
        "lower_starts": _found(rb"[.!?]\s+[a-z]", read),
        "bytes": len(read),
        "starts_lower": int(re.match(rb"[^A-Za-z]*[a-z]", read) is not None),
        "ends_open": int(bool(read) and not cut and not read.rstrip().endswith((b".", b"!", b"?"))),
    }


def syllables(word: bytes) -> int:
    """Groups of vowels, y included."""
    return _found(rb"[aeiouyAEIOUY]+", word)


def word_counts(text: bytes) -> dict[str, int]:
    """`WORD_COUNTS` and the counts of `WORD_CLASSES` of a folded text."""
    words = _WORD.findall(window(text))
    lower = [word.lower() for word in words]
    shapes = {
        "words": len(words),
        "distinct": len(set(lower)),
        "long": sum(len(word) > 6 for word in words),
        "polysyllables": sum(syllables(word) > 2 for word in words),
        "syllables": sum(max(syllables(word), 1) for word in words),
        "word_bytes": sum(len(word) for word in words),
        "shouted": sum(re.fullmatch(rb"[A-Z]{2,}", word) is not None for word in words),
        "capitalised": sum(re.match(rb"[A-Z]", word) is not None for word in words),
        "numbers": sum(re.search(rb"[0-9]", word) is not None for word in words),
        "contractions": sum(b"'" in word for word in words),
        "small_i": words.count(b"i"),
    }
    classes = {name: {*map(str.encode, members)} for name, members in WORD_CLASSES.items()}
    return shapes | {name: sum(w in members for w in lower) for name, members in classes.items()}


def counts(text: bytes) -> dict[str, int]:
    """All of `surface.COUNTS` of a folded text, in their order."""
    return character_counts(text) | word_counts(text)
