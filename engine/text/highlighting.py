"""Where a query's words stand in a text: as its analysis would find them, without analyzing it."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.analysis.word_classes import lower_case
from argsearch.ranking.compiled import inlined, kernel

EXACT = 1 << 40
"""Steps of a weight of 1: sums of whole numbers are equal in any order."""
CHUNK, CHUNKS = 64, 1024
"""Characters of the longest piece between spaces whose tokens are remembered; pieces at a time."""

FREE, JOINED, CLOSING, UNSURE = range(4)
"""What a sign beside a word means: the word ends, goes on, ends unless another word follows the
sign directly ("e.g"), or only analysis can tell."""

OTHER = 0x7F
"""Stands for every sign beyond ASCII; what it means beside a word only analysis can tell."""

Span = tuple[int, int]
"""Begin and end (exclusive) of a word, in Unicode code points."""

Row = tuple[int, int, int]
"""Begin and end of a word, and which one it is (-1: analysis must tell)."""


SIGN_KINDS = np.full(128, UNSURE, np.uint8)
"""What each ASCII sign means beside a word of ASCII letters and digits, uint8[128]."""
for _kind, _signs in (
    (FREE, '\t\n\r !?()[]{}/-<>=+&%$@|~^`\\"'),
    (JOINED, f"{string.ascii_letters}{string.digits}_"),
    (CLOSING, ".,;:'"),
):
    SIGN_KINDS[[ord(sign) for sign in _signs]] = _kind


@lru_cache(maxsize=1)
def analyzer() -> StandardAnalyzer:
    """The analyzer of queries and indexed texts."""
    return StandardAnalyzer()


def word_spans(text: str) -> Iterator[tuple[str, Span]]:
    """The analyzer's tokens of a text, each with its place in it."""
    lowered = _lowered(text)
    at = 0
    for token in analyzer().tokens(text):
        begin = lowered.find(token, at)
        if begin >= 0:
            at = begin + len(token)
            yield token, (begin, at)


def _lowered(text: str) -> str:
    """Lower case letter by letter, as Lucene: as long as the text itself.

    Python's own way, ten times faster, differs at İ, which becomes two characters, at Σ, which
    looks at its neighbours, and at capitals younger than Lucene's Unicode, which no token has.
    """
    return text.translate(lower_case()) if "İ" in text or "Σ" in text else text.lower()


@dataclass(frozen=True, eq=False)
class SoughtWords:
    """Words to look for, distinct tokens, each with its weight."""

    words: tuple[str, ...]
    """First the `plain` ones, of ASCII letters and digits, which the kernel can tell apart."""
    weights: NDArray[np.int64]
    """In steps, EXACT to 1."""
    plain: int

    @classmethod
    def of(cls, words: Mapping[str, float]) -> SoughtWords:
        """The words of a mapping, prepared once for many texts."""
        return _prepared(tuple(words.items()))

    @cached_property
    def letters(self) -> NDArray[np.uint8]:
        """The plain words' letters, one word after the other."""
        return _codes("".join(self.words[: self.plain]))

    @cached_property
    def ends(self) -> NDArray[np.int32]:
        """Where each word ends in `letters`."""
        return np.cumsum([len(word) for word in self.words[: self.plain]], dtype=np.int32)

    @cached_property
    def pairs(self) -> NDArray[np.bool_]:
        """Whether a plain word begins with letters of these last five bits, bool[1024]."""
        pairs = np.zeros((32, 32), np.bool_)
        for word in self.words[: self.plain]:
            second = ord(word[1]) & 31 if len(word) > 1 else slice(None)
            pairs[ord(word[0]) & 31, second] = True
        return pairs.ravel()

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Each word's place among them."""
        return {word: i for i, word in enumerate(self.words)}


@lru_cache(maxsize=64)
def _prepared(items: tuple[tuple[str, float], ...]) -> SoughtWords:
    strange = [not (word.isascii() and word.isalnum()) for word, _ in items]
    ordered = [items[i] for i in np.argsort(strange, kind="stable").tolist()]
    weights = np.array([round(weight * EXACT) for _, weight in ordered], np.int64)
    return SoughtWords(tuple(word for word, _ in ordered), weights, len(items) - sum(strange))


def _codes(text: str) -> NDArray[np.uint8]:
    """One byte a character: its ASCII code, or OTHER."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.minimum(points, OTHER).astype(np.uint8)


@dataclass(frozen=True, eq=False, slots=True)
class Searched:
    """A text made ready to be looked through, again and again."""

    text: str
    codes: NDArray[np.uint8]
    """Its characters in lower case, with two spaces around them, a byte each."""

    @classmethod
    def of(cls, text: str) -> Searched:
        """A text, its letters as bytes."""
        return cls(text, _codes(f"  {_lowered(text)}  "))


def occurrences(searched: Searched, sought: SoughtWords) -> NDArray[np.int32]:
    """Begin, end and word of each place of a word, int32[n, 3], in order.

    Whether a place is a whole token is told from the signs beside it; where they do not tell, and
    for words that are not plain, what stands between spaces around it is analyzed: no token reaches
    across a space.
    """
    found: NDArray[np.int32]
    found, unsure = places(searched.codes, sought.letters, sought.ends, sought.pairs, SIGN_KINDS)
    strange = sought.words[sought.plain :]
    lowered = _lowered(searched.text) if strange else ""
    others = [row for word in strange for row in _substrings(lowered, word)]
    if not unsure and not others:
        return found
    rows = _settled(searched.text, sorted([*map(tuple, found.tolist()), *others]), sought)
    return np.array(rows, np.int32).reshape(-1, 3)


def _substrings(text: str, word: str) -> Iterator[Row]:
    at = text.find(word)
    while at >= 0:
        yield at, at + len(word), -1
        at = text.find(word, at + len(word))


def _settled(text: str, found: Sequence[Row], sought: SoughtWords) -> list[Row]:
    """The places, those that are unsure replaced by the words that analysis finds there."""
    flat = text.replace("\n", " ").replace("\t", " ").replace("\r", " ") + " "
    rows: set[Row] = set()
    done = 0
    for begin, end, word in found:
        if word >= 0:
            rows.add((begin, end, word))
        elif begin >= done:
            first, done = flat.rfind(" ", 0, begin) + 1, flat.find(" ", end)
            rows.update(
                (first + a, first + b, sought.numbers[token])
                for token, (a, b) in _spans(text[first:done])
                if token in sought.numbers
            )
    return sorted(rows)


@lru_cache(CHUNKS)
def _chunk_spans(chunk: str) -> tuple[tuple[str, Span], ...]:
    return tuple(word_spans(chunk))


def _spans(chunk: str) -> tuple[tuple[str, Span], ...]:
    return _chunk_spans(chunk) if len(chunk) <= CHUNK else tuple(word_spans(chunk))


@inlined
def _beside(codes, kinds, last, step):  # type: ignore[no-untyped-def]
    """What stands beside a word whose last sign in the direction of `step` is at `last`."""
    kind = kinds[codes[last + step]]
    if kind == CLOSING:
        far = kinds[codes[last + 2 * step]]
        kind = FREE if far in (FREE, CLOSING) else UNSURE
    return kind


@kernel
def places(codes, letters, ends, pairs, kinds):  # type: ignore[no-untyped-def]
    """Places of plain words in a text of lower case with two spaces around it.

    `codes` are the text's characters, uint8; `letters`, `ends` and `pairs` of `SoughtWords`.
    Returns begin and end (without the first two spaces) and word, int32[n, 3], and whether
    analysis must tell of some whether they are words; these have -1 for it.
    """
    found = np.empty((len(codes), 3), np.int32)
    count, unsure = 0, False
    for i in range(2, len(codes) - 2):
        if not pairs[(codes[i] & 31) << 5 | codes[i + 1] & 31]:
            continue
        if kinds[codes[i - 1]] == JOINED:
            continue
        for word in range(len(ends)):
            first = ends[word - 1] if word else 0
            end = i + ends[word] - first
            at = i
            while at < end and codes[at] == letters[first + at - i]:
                at += 1
            if at < end:
                continue
            left, right = _beside(codes, kinds, i, -1), _beside(codes, kinds, end - 1, 1)
            if right != JOINED:
                sure = left == right == FREE
                found[count] = i - 2, end - 2, word if sure else -1
                count, unsure = count + 1, unsure or not sure
    return found[:count], unsure


@kernel
def weights_in(found, spans, weights):  # type: ignore[no-untyped-def]
    """The weight of the distinct words in each sentence, float64[n].

    `found` are the text's `occurrences`, `spans` its sentences in order, int32[n, 2].
    """
    out = np.zeros(len(spans))
    counted_in = np.full(len(weights), -1, np.int32)
    row = 0
    for span in range(len(spans)):
        begin, end = spans[span]
        while row < len(found) and found[row, 0] < end:
            word = found[row, 2]
            if begin <= found[row, 0] and found[row, 1] <= end and counted_in[word] != span:
                counted_in[word] = span
                out[span] += weights[word]
            row += 1
    return out
