"""Where a query's words stand in a text: as its analysis would find them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.analysis.word_classes import lower_case
from argsearch.ranking.compiled import kernel

WEIGHT_STEPS = 1 << 40
"""Steps of a weight of 1: sums of whole numbers are equal in any order."""
# Characters of the longest piece between spaces whose tokens are remembered; pieces at a time.
LONGEST_CHUNK = 64
CACHED_CHUNKS = 1024

Span = tuple[int, int]
"""Begin and end (exclusive) of a word, in Unicode code points."""

Row = tuple[int, int, int]
"""Begin and end of a word, and which one it is."""


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
    weights: NDArray[np.int64]
    """In steps, WEIGHT_STEPS to 1."""
    spellings: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of the words, each with its word."""

    @classmethod
    def of(cls, words: Mapping[str, float]) -> SoughtWords:
        """The words of a mapping, with the other `spellings` that `word_weights` gave it."""
        weights = [round(weight * WEIGHT_STEPS) for weight in words.values()]
        return cls(tuple(words), np.array(weights, np.int64), getattr(words, "spellings", {}))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The place among the words of each of them, and of its other spellings."""
        own = {word: i for i, word in enumerate(self.words)}
        return own | {other: own[word] for other, word in self.spellings.items()}


def occurrences(text: str, sought: SoughtWords) -> NDArray[np.int32]:
    """Begin, end and word of each place of a word, int32[n, 3], in order.

    Letters alone do not tell a whole token: what stands between spaces around them is analyzed.
    """
    lowered, rows = _lowered(text), list[Row]()
    begins = sorted(at for word in sought.numbers for at in _places(lowered, word))
    # no token reaches across a space, so a piece between spaces has the tokens of the whole text
    flat = text.replace("\n", " ").replace("\t", " ").replace("\r", " ") + " " if begins else ""
    done = 0
    for begin in begins:
        if begin >= done:
            first, done = flat.rfind(" ", 0, begin) + 1, flat.find(" ", begin)
            rows += [
                (first + a, first + b, sought.numbers[token])
                for token, (a, b) in _spans(text[first:done])
                if token in sought.numbers
            ]
    return np.array(rows, np.int32).reshape(-1, 3)


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


@lru_cache(CACHED_CHUNKS)
def _chunk_spans(chunk: str) -> tuple[tuple[str, Span], ...]:
    return tuple(word_spans(chunk))


def _spans(chunk: str) -> tuple[tuple[str, Span], ...]:
    return _chunk_spans(chunk) if len(chunk) <= LONGEST_CHUNK else tuple(word_spans(chunk))


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
