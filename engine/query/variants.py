"""Spellings of one word: with different apostrophes, or with accents composed differently.

Like Lucene, the index treats `don't` and `don’t` as different tokens, and also é in NFC and in NFD.
With `retrieval.spelling_conflation`, a configuration counts them as one term.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import permutations, product
from math import prod
from typing import TYPE_CHECKING
from unicodedata import is_normalized, normalize

from argsearch.indexer.format.arrays import SortedStrings

if TYPE_CHECKING:
    from argsearch.engine.config import Retrieval

MODIFIER = "ʼ"
"""The apostrophe that the analyzer treats as a letter, so that it may begin or end a word."""
APOSTROPHES = f"’‘＇{MODIFIER}"
"""Characters that stand for ' inside a token."""
MOST_VARIANTS = 32
"""Maximum number of spellings of a word to look up; beyond, those that mix marks are left out."""
CACHED_VARIANTS = 1 << 14
"""Number of words whose spellings are cached."""
TERMS_READ = 1 << 16
"""Number of terms to read in one block."""
_MARKS = str.maketrans(
    dict.fromkeys(APOSTROPHES, "'")
    | dict.fromkeys("“”„‟«»＂", '"')
    | dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
)
# The analyzer splits words at these marks, so they are apostrophes only at the edge of a word.
_SINGLE_QUOTES = re.compile(r"(?<!\w)[‚‛‹›]|[‚‛‹›](?!\w)")
_HEBREW = "\u0591-\u05c7\u05d0-\u05f2\ufb1d-\ufb4f"
# After a Hebrew letter the analyzer takes ' for a letter, but no other quotation mark.
_HEBREW_END = re.compile(rf"(?<=[{_HEBREW}])'(?!\w)")
_HEBREW_LAST = re.compile(rf"[{_HEBREW}]\Z")


def _composed(text: str) -> str:
    """Return a text in NFC, except for characters that NFC itself decomposes or replaces.

    The index could not find such a character, for example Bengali \u09df, in its NFC form.
    """
    kept = "".join({one for one in text if normalize("NFC", one) != one})
    if not kept:
        return normalize("NFC", text)
    pieces = re.split(f"([{re.escape(kept)}])", text)
    return "".join(one if one in kept else normalize("NFC", one) for one in pieces if one)


def unify(question: str) -> str:
    """Return a question with keyboard punctuation and composed accents (NFC).

    The tokens of the result differ from those of the typed question only in their spelling.
    """
    if question.isascii():
        return question
    text = _SINGLE_QUOTES.sub("'", _composed(question).translate(_MARKS))
    return _HEBREW_END.sub("’", text)


def as_read(question: str, retrieval: Retrieval) -> str:
    """Return a question, with spellings unified if the configuration counts them as one term."""
    return unify(question) if retrieval.unifies_spellings else question


def unify_word(token: str) -> str:
    """Return the spelling that stands for all spellings of a token."""
    if token.isascii():
        return token
    return _composed(token).translate(_MARKS).strip("'") or token


def variants(word: str, marks: str = APOSTROPHES, *, decomposed: bool = True) -> tuple[str, ...]:
    """Return the possible spellings of a token, beginning with the one from `unify_word`.

    `word` comes from `unify_word`. `marks` are the characters of APOSTROPHES that occur in the
    index. With `decomposed`, an accent can also be a separate character.
    """
    found = [word]
    if "'" in word or (decomposed and not word.isascii()):
        ways = [_ways(character, marks) for character in word]
        if prod(map(len, ways)) <= MOST_VARIANTS:
            found += map("".join, product(*ways))
        else:
            written = (word.replace("'", mark) for mark in f"'{marks}")
            found += (form for one in written for form in (one, normalize("NFD", one)))
    if _HEBREW_LAST.search(word):
        found += [f"{one}'" for one in found]
    if MODIFIER in marks and word.strip(MODIFIER):
        edges = ((MODIFIER, ""), ("", MODIFIER), (MODIFIER, MODIFIER))
        found += [begin + one + end for one in found for begin, end in edges]
    return tuple(dict.fromkeys(found))


@lru_cache(CACHED_VARIANTS)
def _ways(character: str, marks: str) -> tuple[str, ...]:
    """Return every way to write one character of a word."""
    if character == "'":
        return (character, *marks)
    parts = normalize("NFD", character)
    base, accents = parts[0], parts[1:]
    # Of the circumflex and the acute in ế, the first, both or neither can be composed with the e.
    written = (
        _composed(base + "".join(order[:n])) + "".join(order[n:])
        for order in permutations(accents)
        for n in range(len(accents) + 1)
    )
    same = (one for one in written if _composed(one) == character)
    return tuple(dict.fromkeys((character, *same)))


class VariantRows:
    """Finds an index's terms that are spellings of one word; safe to share between threads."""

    def __init__(self, vocabulary: SortedStrings) -> None:
        self.vocabulary = vocabulary
        self.rows = lru_cache(CACHED_VARIANTS)(self._rows)

    @cached_property
    def _written(self) -> tuple[str, bool]:
        """The apostrophes in the index, and whether any accent is a separate character.

        Most indexes have one or two kinds of apostrophe and no such accent, so spellings are few.
        """
        offsets, data = self.vocabulary.offsets, self.vocabulary.data
        marks, decomposed = set[str](), False
        # Reads blocks, as the terms of a large index take a hundred megabytes.
        for row in range(0, len(self.vocabulary), TERMS_READ):
            end = min(row + TERMS_READ, len(self.vocabulary))
            terms = data[offsets[row] : offsets[end]].tobytes().decode()
            marks.update(mark for mark in APOSTROPHES if mark in terms)
            decomposed = decomposed or not is_normalized("NFC", terms)
        return "".join(sorted(marks)), decomposed

    def words(self, word: str) -> tuple[str, ...]:
        """Return the spellings of a word that are terms, in the order of their rows."""
        return tuple(self.vocabulary[row].decode() for row in self.rows(word))

    def _rows(self, word: str) -> tuple[int, ...]:
        """Return the rows of a word's spellings, ascending, even if the word is not a term."""
        marks, decomposed = self._written
        spellings = variants(unify_word(word), marks, decomposed=decomposed)
        found = (self.vocabulary.find(one.encode()) for one in spellings)
        return tuple(sorted(row for row in found if row >= 0))
