"""Surface features of argument quality: texts as bytes, their counts, and transformed counts.

The kernels count in one pass. `tests/ranking/quality/plain_counts.py` is a plain reference version.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.hashing import (
    FNV_OFFSET,
    FNV_PRIME,
    fnv,
    look_up,
    salts,
    scattered,
    table_of_sets,
)
from argsearch.ranking.lexicons import lexicon

_FOLDED = {
    "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "...",
    "\xa0": " ", "\u2009": " ", "\u2002": " ", "\xad": "", "\u200b": "", "\u2060": "",
}  # fmt: skip
"""Typographic characters with their ASCII equivalents."""

MAX_CHARACTERS = 4000
"""Maximum number of characters to read; few texts have more, and 300 words only about 1,800."""


def fold(text: str) -> bytes:
    """Return the first `MAX_CHARACTERS` as UTF-8, with typographic characters as ASCII.

    Any string is allowed, including lone surrogates.
    """
    text = text[:MAX_CHARACTERS]
    if not text.isascii():
        for character, plain in _FOLDED.items():
            text = text.replace(character, plain)
    return text.encode("utf-8", "surrogatepass")


def join(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the folded texts joined into one, uint8, and their offsets, int64[n + 1]."""
    parts = [fold(text) for text in texts]
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return np.frombuffer(b"".join(parts), dtype=np.uint8), offsets


WORD_CLASSES = lexicon("word_classes")
"""The words of each class, by class name and in lower case. A word may be in several classes."""


def word_hash(word: bytes) -> int:
    """Return the FNV-1a hash of the word's bytes, never 0."""
    return fnv(word) or 1


def word_table() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the classes as a table: word hashes, with bit i set for words of the i-th class."""
    classes = ([word_hash(word.encode()) for word in words] for words in WORD_CLASSES.values())
    return table_of_sets(classes, 2048)


MAX_WORDS = 300
"""Maximum number of words to read, which is the length of the longest judged argument."""

CHARACTER_COUNTS = (
    "small_letters", "capitals", "digits", "commas", "stops", "exclamations", "question_marks",
    "colons", "quotes", "brackets", "hyphens", "sentence_ends", "missing_spaces", "stray_spaces",
    "repeated_marks", "lower_starts", "bytes",
)  # fmt: skip
"""Names of the counts of bytes in the first `MAX_WORDS` words of a text."""

WORD_COUNTS = (
    "words", "distinct", "long", "polysyllables", "syllables", "word_bytes", "shouted",
    "capitalised", "numbers", "contractions", "small_i",
)  # fmt: skip
"""Names of the word counts. A count for each class of `WORD_CLASSES` follows."""

COUNTS = (*CHARACTER_COUNTS, "starts_lower", "ends_open", *WORD_COUNTS, *WORD_CLASSES)
"""Names of the columns of `count`."""

SPACE, LOWER, UPPER, DIGIT, HIGH, MARK, END, OTHER = range(8)
"""Kinds of bytes. MARK is one of , ; : and END is one of . ! ?"""

_N_CHARACTER = len(CHARACTER_COUNTS)
_SEEN = 1024  # slots of the set of distinct words, over three times MAX_WORDS


def _kinds() -> NDArray[np.uint8]:
    kinds = np.full(256, OTHER, dtype=np.uint8)
    kinds[128:] = HIGH
    kinds[ord("a") : ord("z") + 1] = LOWER
    kinds[ord("A") : ord("Z") + 1] = UPPER
    kinds[ord("0") : ord("9") + 1] = DIGIT
    for characters, kind in ((b" \t\n\r\x0b\x0c", SPACE), (b",;:", MARK), (b".!?", END)):
        kinds[list(characters)] = kind
    return kinds


BYTE_KINDS = _kinds()


def _columns() -> NDArray[np.int8]:
    columns = np.full(256, -1, dtype=np.int8)
    marks = {"commas": ",", "stops": ".", "exclamations": "!", "question_marks": "?"}
    marks |= {"colons": ":;", "quotes": '"', "brackets": "()[]", "hyphens": "-"}
    for name, characters in marks.items():
        columns[list(characters.encode())] = CHARACTER_COUNTS.index(name)
    for kind, name in ((LOWER, "small_letters"), (UPPER, "capitals"), (DIGIT, "digits")):
        columns[kind == BYTE_KINDS] = CHARACTER_COUNTS.index(name)
    return columns


BYTE_COLUMNS = _columns()
VOWELS = np.isin(np.arange(256), list(b"aeiouyAEIOUY"))

_SENTENCE_ENDS, _MISSING, _STRAY, _REPEATED, _LOWER_STARTS, _BYTES = range(
    CHARACTER_COUNTS.index("sentence_ends"), _N_CHARACTER
)
_STARTS_LOWER, _ENDS_OPEN = range(_N_CHARACTER, _N_CHARACTER + 2)
_WORDS, _DISTINCT, _LONG, _POLY, _SYLLABLES, _WORD_BYTES, _SHOUTED, _CAPITALISED, _NUMBERS = range(
    _N_CHARACTER + 2, _N_CHARACTER + 11
)
_CONTRACTIONS, _SMALL_I, _CLASSES = range(_N_CHARACTER + 11, _N_CHARACTER + 14)


@kernel
def in_word(kind: int) -> bool:
    """Return True if bytes of this kind belong to words."""
    return 1 <= kind <= 4  # LOWER, UPPER, DIGIT, HIGH


@kernel
def _window_end(text: NDArray[np.uint8], start: int, end: int, max_words: int) -> int:
    """Return where the word after the `max_words`-th begins, or `end`."""
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
    """Return where the word that begins at i ends. An apostrophe inside it belongs to the word."""
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
    """Count `CHARACTER_COUNTS`, `starts_lower` and `ends_open` in one window of bytes."""
    previous = SPACE  # kind of the previous byte
    visible = OTHER  # kind of the last byte that is not a space
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
    """Add the shape of a word to `out`, and return the hash of the word in lower case."""
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
    """Count `WORD_COUNTS` and the word classes in one window of bytes."""
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
    """Add the `COUNTS` of text i, bytes offsets[i]:offsets[i+1], to row i of `out` (int32)."""
    for i in range(out.shape[0]):
        end = _window_end(text, offsets[i], offsets[i + 1], MAX_WORDS)
        _count_characters(text, offsets[i], end, end < offsets[i + 1], out[i])
        _count_words(text, offsets[i], end, table, out[i])


AS_IS, LOG, LOG_SQUARED, SQUARE_ROOT, ROOT_SHARE, LOG_SPACING = range(6)
"""Features of a count n, with w = max(words, 1): n; log(1+n); log²(1+n); √n; √(n/w);
log(w / max(n, 1))."""

_LENGTHS = (
    ("words", AS_IS),
    ("words", LOG),
    ("words", LOG_SQUARED),
    ("words", SQUARE_ROOT),
    ("bytes", LOG),
)
_FLAGS = ("starts_lower", "ends_open")
_AMOUNTS = (
    "missing_spaces", "stray_spaces", "repeated_marks", "lower_starts", "exclamations",
    "question_marks", "quotes", "brackets", "colons", "commas", "hyphens", "digits", "shouted",
    "small_i", "sentence_ends", "polysyllables", "long", "distinct", "numbers", "unapostrophed",
    "chat", "debate",
)  # fmt: skip
_SHARES = (
    "long", "polysyllables", "syllables", "word_bytes", "distinct", "shouted", "capitalised",
    "numbers", "contractions", "small_i", *WORD_CLASSES, "commas", "sentence_ends", "capitals",
    "missing_spaces", "stray_spaces", "repeated_marks", "lower_starts", "exclamations",
    "question_marks", "quotes", "colons", "hyphens",
)  # fmt: skip
_FEATURE_FORMS = ("{}", "log {}", "log2 {}", "root {}", "share of {}", "words per {}")


class SurfaceFeature(NamedTuple):
    """A feature, made of a count and its transformation."""

    counted: str
    transform: int

    @property
    def name(self) -> str:
        """Name of the feature in model files."""
        return _FEATURE_FORMS[self.transform].format(self.counted)


FEATURES: tuple[SurfaceFeature, ...] = (
    *(SurfaceFeature(*length) for length in _LENGTHS),
    *(SurfaceFeature(name, AS_IS) for name in _FLAGS),
    *(SurfaceFeature(name, LOG) for name in _AMOUNTS),
    *(SurfaceFeature(name, ROOT_SHARE) for name in _SHARES),
    SurfaceFeature("sentence_ends", LOG_SPACING),
)
"""All features, in the order of a model's weights."""

_COLUMNS = np.array([COUNTS.index(feature.counted) for feature in FEATURES])
_TRANSFORMS = np.array([feature.transform for feature in FEATURES])
_TABLE = word_table()


@kernel
def transform(n: float, words: float, how: int) -> float:
    """Transform a count into a feature. how: one of `AS_IS` … `LOG_SPACING`."""
    w = max(words, 1.0)
    if how == LOG:
        return math.log1p(n)
    if how == LOG_SQUARED:
        return math.log1p(n) ** 2
    if how == SQUARE_ROOT:
        return math.sqrt(n)
    if how == ROOT_SHARE:
        return math.sqrt(n / w)
    if how == LOG_SPACING:
        return math.log(w / max(n, 1.0))
    return n


@kernel
def _derive(counts: Any, columns: Any, transforms: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        words = float(counts[i, _WORDS])
        for j in range(columns.size):
            out[i, j] = transform(float(counts[i, columns[j]]), words, transforms[j])


def counts(texts: Sequence[str]) -> NDArray[np.int32]:
    """Return `COUNTS` of each text's first 300 words: int32[n, len(COUNTS)]."""
    text, offsets = join(texts)
    out = np.zeros((len(texts), len(COUNTS)), dtype=np.int32)
    count(text, offsets, (*_TABLE, salts()), out)
    return out


def derive(counts: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return `FEATURES` from `counts`: float64[n, len(FEATURES)], row by row."""
    out = np.empty((len(counts), len(FEATURES)))
    _derive(counts, _COLUMNS, _TRANSFORMS, out)
    return out


def features(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return `FEATURES` of each text: float64[n, len(FEATURES)], finite for any string."""
    return derive(counts(texts))
