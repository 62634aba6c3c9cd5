"""Snippets: sentences of a text, with the query's words marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.base import Backend
from argsearch.engine.config import Retrieval
from argsearch.engine.query.terms import distinct
from argsearch.engine.query.variants import as_read
from argsearch.engine.text.highlighting import SoughtWords, Span, occurrences
from argsearch.indexer.analysis.sentences import segment
from argsearch.ranking.lexicons import stop_words

_UNMARKED = stop_words() | {"did", "does"}  # which that list lacks
PREMISES_READ = 100_000
"""Number of characters of an argument's premises to read; the rest is ignored."""
WIDTH = 320
"""Maximum number of characters in a snippet. Longer sentences are cut at their end."""
COMMON = 1e-3
"""The parameter a of `word_weights`: the probability of a word that weighs 1/2."""
LEAST_WORD_WEIGHT = 0.05
"""Minimum weight of a word that is searched for and marked."""
LEAST_SHORT_WEIGHT = 0.15
"""Minimum weight of a word of up to SHORT_WORD letters that is searched for and marked."""
SHORT_WORD = 3
"""Most words of up to this many letters are articles, prepositions or similar."""
TEXTS_REMEMBERED = 512
"""Number of texts whose sentences are cached, because many pages show the same arguments."""
LONG_TEXT = 20_000
"""Maximum length of a cached text, in characters."""
ELLIPSIS = "…"
AS_WRITTEN = Retrieval()
"""Settings in which different spellings are treated as different words."""
BEGINNING_NOTE = "(This is the beginning of the text, as no sentence clearly states its point.)"
"""Note for a snippet that is only the beginning of a text."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A sentence and the positions of the query's words in it."""

    text: str
    marks: tuple[Span, ...] = ()
    beginning: bool = False
    """True if this is only the beginning of the text, as no sentence states the author's point."""

    def telling(self) -> Snippet:
        """Return the snippet without marking English stop words, such as "should" or "we"."""
        marks = (one for one in self.marks if self.text[slice(*one)].lower() not in _UNMARKED)
        return replace(self, marks=tuple(marks))

    def parts(self) -> Iterator[tuple[str, bool]]:
        """Yield the pieces of the text, each with a flag that is True for query words."""
        at = 0
        for begin, end in self.marks:
            if begin > at:
                yield self.text[at:begin], False
            yield self.text[begin:end], True
            at = end
        if at < len(self.text):
            yield self.text[at:], False


class WordWeights(dict[str, float]):
    """Distinct words with their weights."""

    def __init__(self, weights: Mapping[str, float], spellings: Mapping[str, str]) -> None:
        """Create the mapping. spellings: other spellings, each with the word that it spells."""
        super().__init__(weights)
        self.spellings = spellings


def word_weights(query: str, backend: Backend, asked: Retrieval = AS_WRITTEN) -> WordWeights:
    """Return the distinct words of a query with their rarity a / (a + P(t)), in (0, 1].

    P(t) is the word's share of the collection's tokens (smooth inverse frequency, Arora et al.
    2017), so "should" has almost no weight. Words below LEAST_WORD_WEIGHT ("the", "is") are left
    out unless there are no others. If `asked` unifies spellings, they are counted together.
    """
    words = distinct(as_read(query, asked))
    spellings, tokens = backend.spellings(words, asked), max(1, backend.info.tokens)
    every = [one for some in spellings for one in some]
    counts = dict(zip(every, backend.frequencies(every), strict=True))
    weights = {
        word: COMMON / (COMMON + sum(counts[one] for one in some) / tokens)
        for word, some in zip(words, spellings, strict=True)
    }
    discriminative = {
        word: weight
        for word, weight in weights.items()
        if weight >= (LEAST_SHORT_WEIGHT if len(word) <= SHORT_WORD else LEAST_WORD_WEIGHT)
    }
    left = discriminative or weights
    others = {
        one: word
        for word, some in zip(words, spellings, strict=True)
        for one in some
        if word in left and one != word
    }
    return WordWeights(left, others)


def mark(text: str, words: Mapping[str, float], width: int | None = None) -> Snippet:
    """Return the text, or its first `width` characters, with the positions of `words` in it."""
    if width is not None and len(text) > width:
        text = text[: max(text.rfind(" ", 0, width), 0) or width] + ELLIPSIS
    found = occurrences(text, SoughtWords.of(words))
    return Snippet(text, tuple((begin, end) for begin, end, _ in found.tolist()))


def sentences(text: str) -> NDArray[np.int32]:
    """Return where each sentence begins and ends, without surrounding white space, int32[n, 2]."""
    return (_remembered if len(text) <= LONG_TEXT else _remembered.__wrapped__)(text)


@lru_cache(TEXTS_REMEMBERED)
def _remembered(text: str) -> NDArray[np.int32]:
    return segment(text).astype(np.int32)
