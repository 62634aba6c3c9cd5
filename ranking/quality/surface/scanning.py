"""One pass over the bytes of many texts: the fast kernels behind `plain.py`'s counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.hashing import FNV_OFFSET, FNV_PRIME, look_up, scattered
from argsearch.ranking.quality.surface.words import WORD_CLASSES

MAX_WORDS = 300
"""Words of a text that are read: the longest judged argument has 300."""

CHARACTER_COUNTS = (
    "small_letters",
    "capitals",
    "digits",
    "commas",
    "stops",
    "exclamations",
    "question_marks",
    "colons",
    "quotes",
    "brackets",
    "hyphens",
    "sentence_ends",
    "missing_spaces",
    "stray_spaces",
    "repeated_marks",
    "lower_starts",
    "bytes",
)
"""Counts over the bytes of a text's first `MAX_WORDS` words."""

WORD_COUNTS = (
    "words",
    "distinct",
    "long",
    "polysyllables",
    "syllables",
    "word_bytes",
    "shouted",
    "capitalised",
    "numbers",
    "contractions",
    "small_i",
)
"""Counts over the words; then one count for each of `WORD_CLASSES`."""

COUNTS = (*CHARACTER_COUNTS, "starts_lower", "ends_open", *WORD_COUNTS, *WORD_CLASSES)
"""The columns of `count`."""

SPACE, LOWER, UPPER, DIGIT, HIGH, MARK, END, OTHER = range(8)
"""Kinds of bytes; MARK is one of , ; : and END one of . ! ?"""

_N_CHARACTER = len(CHARACTER_COUNTS)
_SEEN = 1024  # slots of the set of a text's distinct words, over three times MAX_WORDS


def _kinds() -> NDArray[np.uint8]:
    kinds = np.full(256, OTHER, dtype=np.uint8)
    kinds[128:] = HIGH
    kinds[ord("a") : ord("z") + 1] = LOWER
    kinds[ord("A") : ord("Z") + 1] = UPPER
    kinds[ord("0") : ord("9") + 1] = DIGIT
    for characters, kind in ((b" \t\n\r\x0b\x0c", SPACE), (b",;:", MARK), (b".!?", END)):
        kinds[list(characters)] = kind
    return kinds


def _columns() -> NDArray[np.int8]:
    columns = np.full(256, -1, dtype=np.int8)
    marks = {"commas": ",", "stops": ".", "exclamations": "!", "question_marks": "?"}
    marks |= {"colons": ":;", "quotes": '"', "brackets": "()[]", "hyphens": "-"}
    for name, characters in marks.items():
        columns[list(characters.encode())] = CHARACTER_COUNTS.index(name)
    for first, last, name in (
        ("a", "z", "small_letters"),
        ("A", "Z", "capitals"),
        ("0", "9", "digits"),
    ):
        columns[ord(first) : ord(last) + 1] = CHARACTER_COUNTS.index(name)
    return columns


BYTE_KINDS = _kinds()
BYTE_COLUMNS = _columns()
VOWELS = np.isin(np.arange(256), list(b"aeiouyAEIOUY"))

_SENTENCE_ENDS, _MISSING, _STRAY, _REPEATED, _LOWER_STARTS, _BYTES = range(
    CHARACTER_COUNTS.index("sentence_ends"), _N_CHARACTER
)
_STARTS_LOWER, _ENDS_OPEN = _N_CHARACTER, _N_CHARACTER + 1
_WORDS, _DISTINCT, _LONG, _POLY, _SYLLABLES, _WORD_BYTES, _SHOUTED, _CAPITALISED, _NUMBERS = range(
    _N_CHARACTER + 2, _N_CHARACTER + 11
)
_CONTRACTIONS, _SMALL_I, _CLASSES = _N_CHARACTER + 11, _N_CHARACTER + 12, _N_CHARACTER + 13


@kernel
def in_word(kind: int) -> bool:
    """Whether bytes of this kind make up words."""
    return 1 <= kind <= 4  # LOWER, UPPER, DIGIT, HIGH


@kernel
def _window_end(text: NDArray[np.uint8], start: int, end: int, max_words: int) -> int:
    """Where the word after the `max_words`-th begins, or `end`."""
    words = 0
    i = start
    while i < end:
        if not in_word(BYTE_KINDS[text[i]]):
            i += 1
            continue
        if words == max_words:
            return i
        words += 1
        i = word_end(text, i, end)
    return end


@kernel
def word_end(text: NDArray[np.uint8], i: int, end: int) -> int:
    """Where the word that begins at i ends; an apostrophe inside it belongs to it."""
    while i < end:
        kind = BYTE_KINDS[text[i]]
        inner = text[i] == 39 and i + 1 < end and in_word(BYTE_KINDS[text[i + 1]])
        if not (in_word(kind) or inner):
            return i
        i += 1
    return end


@kernel
def _count_characters(
    text: NDArray[np.uint8], start: int, end: int, cut: bool, out: NDArray[np.int32]
) -> None:
    """`CHARACTER_COUNTS`, `starts_lower` and `ends_open` of one window of bytes into `out`."""
    previous = SPACE  # kind of the byte before
    visible = OTHER  # kind of the last byte that is no space
    first = True
    for i in range(start, end):
        byte = text[i]
        kind = BYTE_KINDS[byte]
        if BYTE_COLUMNS[byte] >= 0:
            out[BYTE_COLUMNS[byte]] += 1
        if kind == SPACE:
            out[_SENTENCE_ENDS] += previous == END
        elif kind in (LOWER, UPPER):
            if first:
                out[_STARTS_LOWER] = kind == LOWER
                first = False
            joined = previous in (END, MARK)
            out[_MISSING] += joined and i >= start + 2 and BYTE_KINDS[text[i - 2]] == LOWER
            out[_LOWER_STARTS] += kind == LOWER and previous == SPACE and visible == END
        elif kind in (MARK, END):
            out[_STRAY] += previous == SPACE and i > start
            out[_REPEATED] += previous in (MARK, END)
        if kind != SPACE:
            visible = kind
        previous = kind
    out[_SENTENCE_ENDS] += previous == END
    out[_ENDS_OPEN] = visible != END and end > start and not cut
    out[_BYTES] = end - start


@kernel
def _count_word(text: NDArray[np.uint8], start: int, end: int, out: NDArray[np.int32]) -> np.uint64:
    """The shape of one word into `out`; returns the hash of the word in lower case."""
    key = FNV_OFFSET
    groups, capitals, digits, apostrophes = 0, 0, 0, 0
    vowel = False
    for i in range(start, end):
        byte = text[i]
        kind = BYTE_KINDS[byte]
        groups += VOWELS[byte] and not vowel
        vowel = VOWELS[byte]
        capitals += kind == UPPER
        digits += kind == DIGIT
        apostrophes += byte == 39
        lower = byte + 32 if kind == UPPER else byte
        key = (key ^ np.uint64(lower)) * FNV_PRIME
    size = end - start
    out[_WORDS] += 1
    out[_LONG] += size > 6
    out[_POLY] += groups > 2
    out[_SYLLABLES] += max(groups, 1)
    out[_WORD_BYTES] += size
    out[_SHOUTED] += size > 1 and capitals == size
    out[_CAPITALISED] += BYTE_KINDS[text[start]] == UPPER
    out[_NUMBERS] += digits > 0
    out[_CONTRACTIONS] += apostrophes > 0
    out[_SMALL_I] += size == 1 and text[start] == 105
    return key if key != 0 else np.uint64(1)


@kernel
def _count_words(text: Any, start: int, end: int, table: Any, out: NDArray[np.int32]) -> None:
    """`WORD_COUNTS` and the word classes of one window into `out`."""
    keys, masks, salt = table
    seen = np.zeros(_SEEN, dtype=np.uint64)
    i = start
    while i < end:
        if not in_word(BYTE_KINDS[text[i]]):
            i += 1
            continue
        stop = word_end(text, i, end)
        key = _count_word(text, i, stop, out)
        slot = look_up(key, scattered(key, salt) >> np.uint64(32), seen)
        out[_DISTINCT] += seen[slot] == 0
        seen[slot] = key
        mask = masks[look_up(key, key, keys)]
        column = _CLASSES
        while mask:
            out[column] += np.int32(mask & np.uint64(1))
            mask >>= np.uint64(1)
            column += 1
        i = stop


@kernel
def count(text: Any, offsets: Any, table: Any, out: Any) -> None:
    """`COUNTS` of text i, bytes offsets[i] to offsets[i+1], into row i of `out` (zeros, int32)."""
    for i in range(out.shape[0]):
        end = _window_end(text, offsets[i], offsets[i + 1], MAX_WORDS)
        _count_characters(text, offsets[i], end, end < offsets[i + 1], out[i])
        _count_words(text, offsets[i], end, table, out[i])
