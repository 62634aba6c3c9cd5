"""Arguments as gists are taken from them: read once, remembered while they come back."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.text import cues
from argsearch.engine.text.highlighting import Searched
from argsearch.engine.text.snippet import PREMISES_READ, TEXTS_REMEMBERED, sentences
from argsearch.indexer.analysis.sentences import segment_further
from argsearch.ranking.gist import Floats, GistWeights, SentenceSigns, manner

CHARACTERS = 16_000_000
"""Characters of the premises that are remembered, at most, all arguments together."""
QUESTIONS = 256
"""Questions whose embeddings are remembered."""


def described(counts: NDArray[np.int32]) -> SentenceSigns:
    """The counts of `cues.count` as `argsearch.ranking.gist` takes them."""
    column = dict(zip(cues.CUE_COLUMNS, counts.T, strict=True))
    characters = np.maximum(column["characters"], 1)
    return SentenceSigns(
        words=column["words"].astype(np.float64),
        cues=column["cue"].astype(np.float64),
        digits=column["digits"] / characters,
        asked=column["question"] > 0,
        talk=column["talk"] > 0,
        reference=column["reference"] > 0,
        quoted=column["quoted"] > 0,
        person=column["person"] > 0,
        anaphora=column["anaphora"] > 0,
        example=column["example"] > 0,
        open=column["colon"] > 0,
    )


class Embedded(NamedTuple):
    """Embeddings of some of a text's n sentences."""

    slots: NDArray[np.int64]
    """int64[n], the row of each sentence, or -1."""
    rows: NDArray[np.float32]
    """float32[m, d]."""

    def more(self, numbers: Sequence[int], rows: NDArray[np.float32]) -> Embedded:
        """The same with further sentences."""
        slots = self.slots.copy()
        slots[list(numbers)] = len(self.rows) + np.arange(len(numbers))
        return Embedded(slots, np.vstack([self.rows, rows]) if len(self.rows) else np.array(rows))


class Read:
    """An argument's premises one after the other, their sentences, and what these are worth."""

    def __init__(self, text: str, spans: NDArray[np.int32], manner: Floats) -> None:
        self.searched = Searched.of(text)
        self.spans = spans
        """Begin and end of each sentence, int32[n, 2]; n is 0 for a blank text only."""
        self.lengths = (spans[:, 1] - spans[:, 0]).astype(np.int64)
        """Characters of each."""
        self.manner = manner
        """`argsearch.ranking.gist.manner` of each."""
        self.embedded = Embedded(np.full(len(spans), -1), np.zeros((0, 0), np.float32))
        """The sentences that some question asked for; replaced as a whole by a later one."""

    @property
    def text(self) -> str:
        """The premises, joined."""
        return self.searched.text


def read(texts: Sequence[str], weights: GistWeights) -> Read:
    """Cut and count the first `PREMISES_READ` characters of an argument's premises.

    No sentence reaches from one premise into the next.
    """
    pieces = list(_within(texts))
    text = "\n".join(pieces)
    codes = cues.codes(text)
    found, at = [], 0
    for piece in pieces:
        found.append(sentences(piece) + at)
        at += len(piece) + 1
    whole = np.concatenate(found) if found else np.zeros((0, 2), np.int32)
    spans = segment_further(codes, whole)
    spans = spans if len(spans) else whole
    counts = cues.count(codes, spans, *cues.table())
    return Read(text, spans, manner(described(counts), weights))


def _within(texts: Sequence[str]) -> Iterator[str]:
    left = PREMISES_READ
    for text in texts:
        if left > 0:
            yield text[:left]
        left -= len(text) + 1


class Memory:
    """The arguments and questions last read, within bounds; safe for many threads."""

    def __init__(
        self, weights: GistWeights, arguments: int = TEXTS_REMEMBERED, characters: int = CHARACTERS
    ) -> None:
        self._weights = weights
        self._most, self._room = arguments, characters
        self._lock = Lock()
        self._reads = OrderedDict[tuple[str, ...], Read]()
        self._questions = OrderedDict[str, Floats]()
        self._characters = 0

    def __len__(self) -> int:
        return len(self._reads)

    @property
    def characters(self) -> int:
        """Of the texts that are remembered."""
        return self._characters

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._reads.clear()
            self._questions.clear()
            self._characters = 0

    def read(self, texts: Sequence[str]) -> Read:
        """`read`, remembered."""
        key = tuple(texts)
        with self._lock:
            if known := self._reads.get(key):
                self._reads.move_to_end(key)
                return known
        fresh = read(key, self._weights)
        with self._lock:
            if known := self._reads.get(key):
                return known
            self._reads[key] = fresh
            self._characters += _size(key)
            while len(self._reads) > self._most or self._characters > self._room:
                gone, _ = self._reads.popitem(last=False)
                self._characters -= _size(gone)
        return fresh

    def asked(self, question: str) -> Floats | None:
        """A question's embedding, if it is remembered."""
        with self._lock:
            return self._questions.get(question)

    def ask(self, question: str, vector: Floats) -> None:
        """Remember a question's embedding."""
        with self._lock:
            self._questions[question] = vector
            if len(self._questions) > QUESTIONS:
                self._questions.popitem(last=False)


def _size(texts: Sequence[str]) -> int:
    return sum(map(len, texts))
