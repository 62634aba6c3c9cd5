"""Find a query's words in a text, with the same analysis as the index."""

from __future__ import annotations

import string
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
"""Number of steps that make up a weight of 1. Integers have the same sum in any order."""
# Pieces between spaces are cached with their tokens, up to this length and this number.
LONGEST_CHUNK = 64
CACHED_CHUNKS = 1024

JOINING = frozenset(string.ascii_lowercase + string.digits + "_")
"""Characters that belong to the same token as an ASCII letter or digit beside them."""
BREAKING = frozenset(" \n\t\r()[]{}!?/-+*=<>&%$#@^~|\\“”–—")
"""Characters that never belong to the same token as an ASCII letter or digit beside them."""
ENDING = frozenset(".,:;")
"""Characters that do not belong to that token either if one of BREAKING follows."""

Span = tuple[int, int]
"""The beginning and the (exclusive) end of a word, in Unicode code points."""

Row = tuple[int, int, int]
"""Start, end and number of a word."""


@lru_cache(maxsize=1)
def analyzer() -> StandardAnalyzer:
    """Return the analyzer that queries and indexed texts share."""
    return StandardAnalyzer()


def word_spans(text: str) -> Iterator[tuple[str, Span]]:
    """Yield the analyzer's tokens in a text, each with its span."""
    lowered = _lowered(text)
    at = 0
    for token in analyzer().tokens(text):
        begin = lowered.find(token, at)
        if begin >= 0:
            at = begin + len(token)
            yield token, (begin, at)


def _lowered(text: str) -> str:
    """Lower-case a text letter by letter, as Lucene does, without changing its length.

    Python's `str.lower` is ten times faster. But it turns İ into two characters and looks at the
    letters around Σ. It also lowers capitals newer than Lucene's Unicode, but no token has any.
    """
    return text.translate(lower_case()) if "İ" in text or "Σ" in text else text.lower()


@dataclass(frozen=True, eq=False)
class SoughtWords:
    """Words to search for: distinct tokens with their weights."""

    words: tuple[str, ...]
    weights: NDArray[np.int64]
    """The weights in steps of 1 / WEIGHT_STEPS."""
    spellings: Mapping[str, str] = field(default_factory=dict)
    """Alternative spellings, each mapped to the word that it spells."""

    @classmethod
    def of(cls, words: Mapping[str, float]) -> SoughtWords:
        """Read words from a mapping of weights, with its `spellings` if it is a `WordWeights`."""
        weights = [round(weight * WEIGHT_STEPS) for weight in words.values()]
        return cls(tuple(words), np.array(weights, np.int64), getattr(words, "spellings", {}))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Index in `words` of each word and of each alternative spelling's word."""
        own = {word: i for i, word in enumerate(self.words)}
        return own | {other: own[word] for other, word in self.spellings.items()}


def occurrences(text: str, sought: SoughtWords) -> NDArray[np.int32]:
    """Return where each occurrence begins and ends and its word's index, int32[n, 3], in order.

    The neighbours of a word of ASCII letters and digits mostly tell whether it is a token. If they
    do not, and for other words, the piece between spaces is analyzed. No token contains a space, so
    the piece has the same tokens as in the text. A word in a run of more than 255 letters, which
    the analyzer splits, may be missed.
    """
    lowered, rows, unsure = _lowered(text) + "  ", set[Row](), list[int]()
    for word, number in sought.numbers.items():
        at, plain = lowered.find(word), word.isascii() and word.isalnum()
        while at >= 0:
            end = at + len(word)
            before, after = lowered[at - 1], lowered[end]
            if after in ENDING and lowered[end + 1] in BREAKING:
                after = " "
            if plain and before in BREAKING and after in BREAKING:
                rows.add((at, end, number))
            elif not plain or (before not in JOINING and after not in JOINING):
                unsure.append(at)
            at = lowered.find(word, end)
    flat = text.replace("\n", " ").replace("\t", " ").replace("\r", " ") + " " if unsure else ""
    done = 0
    for at in sorted(unsure):
        if at >= done:
            first, done = flat.rfind(" ", 0, at) + 1, flat.find(" ", at)
            rows.update(
                (first + a, first + b, sought.numbers[token])
                for token, (a, b) in _spans(text[first:done])
                if token in sought.numbers
            )
    return np.array(sorted(rows), np.int32).reshape(-1, 3)


@lru_cache(CACHED_CHUNKS)
def _chunk_spans(chunk: str) -> tuple[tuple[str, Span], ...]:
    return tuple(word_spans(chunk))


def _spans(chunk: str) -> tuple[tuple[str, Span], ...]:
    return _chunk_spans(chunk) if len(chunk) <= LONGEST_CHUNK else tuple(word_spans(chunk))


@kernel
def weights_in(found, spans, weights):  # type: ignore[no-untyped-def]
    """Return the summed weight of the distinct words found in each sentence, float64[n].

    found: the text's `occurrences`. spans: its sentences in order, int32[n, 2].
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
