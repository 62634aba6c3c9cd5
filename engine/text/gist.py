"""Gists of the arguments on a page: the sentences that state each one's point for a question.

Arguments are read once and cached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.text import cues
from argsearch.engine.text.borders import split_further, trimmed
from argsearch.engine.text.highlighting import SoughtWords, Span, occurrences, weights_in
from argsearch.engine.text.snippet import (
    ELLIPSIS,
    LONG_TEXT,
    PREMISES_READ,
    TEXTS_REMEMBERED,
    WIDTH,
    Snippet,
    mark,
    sentences,
)
from argsearch.indexer.analysis.sentences import segment_further
from argsearch.indexer.encoders import Encoder, parse_spec, question_row
from argsearch.ranking.gist import Floats, GistWeights, Room, choose, judge, manners

PRESELECTED = 8
"""Number of sentences per argument to embed: those that score best without cosines."""
W = GistWeights()
_WEIGHTS = np.array(astuple(W))
COSINE_WEIGHTS = (W.question, W.centrality)
_MANNER = (
    "words cue digits characters question talk reference quoted person anaphora example "
    "colon announcement opposed unended answer"
)
MANNER_COLUMNS = np.array([cues.CUE_COLUMNS.index(name) for name in _MANNER.split()])
"""Columns of `cues.count` in the order that `manners` expects."""
GIST_ROOM = Room(characters=WIDTH)
LONG_REMEMBERED = 16
"""Number of cached arguments of more than LONG_TEXT characters."""
CACHED_EMBEDDINGS = 64
"""Number of sentences per argument whose embeddings are cached."""
LARGEST_ANSWER = 100
"""Number of arguments in the largest answer that is cached."""


class Embedded(NamedTuple):
    """Embeddings of some of a text's n sentences."""

    slots: NDArray[np.int64]
    """Row of each sentence in `rows`, or −1, int64[n]."""
    rows: NDArray[np.float32]
    """Embeddings, float32[m, d]."""

    def more(
        self, numbers: Sequence[int], rows: NDArray[np.float32], needed: NDArray[np.int64]
    ) -> Embedded:
        """Return the rows and the new ones; beyond CACHED_EMBEDDINGS, keep only `needed` ones."""
        slots, old = self.slots.copy(), self.rows
        if len(old) + len(numbers) > CACHED_EMBEDDINGS:
            kept = needed[slots[needed] >= 0]
            old = old[slots[kept]]
            slots[:] = -1
            slots[kept] = np.arange(len(kept))
        slots[list(numbers)] = len(old) + np.arange(len(numbers))
        return Embedded(slots, np.vstack([old, rows]) if len(old) else np.array(rows))


class Read:
    """An argument's premises, their sentences, and the sentences' scores without a question."""

    def __init__(self, text: str, spans: NDArray[np.int32], manner: Floats) -> None:
        self.text = text
        """The premises, joined."""
        self.spans = spans
        """Begin and end of each sentence, int32[n, 2]; n is 0 only for a blank text."""
        self.lengths = (spans[:, 1] - spans[:, 0]).astype(np.int64)
        """Number of characters of each sentence."""
        self.manner = manner
        """Scores of the sentences by `argsearch.ranking.gist.manners`."""
        self.embedded = Embedded(np.full(len(spans), -1), np.zeros((0, 0), np.float32))
        """Embeddings of sentences, cached; replaced as a whole if a question needs more of them."""


def read(texts: Sequence[str]) -> Read:
    """Read the sentences in the first `PREMISES_READ` characters of an argument's premises.

    No sentence extends from one premise into the next.
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
    spans = split_further(text, codes, spans if len(spans) else whole)
    # A label counts as debate talk, although it is not shown.
    counts = cues.count(codes, spans, *cues.table())
    return Read(text, trimmed(text, spans), manners(counts, MANNER_COLUMNS, _WEIGHTS))


def _within(texts: Sequence[str]) -> Iterator[str]:
    left = PREMISES_READ
    for text in texts:
        if left > 0:
            yield text[:left]
        left -= len(text) + 1


_short, _long = lru_cache(TEXTS_REMEMBERED)(read), lru_cache(LONG_REMEMBERED)(read)


def remembered(texts: Sequence[str]) -> Read:
    """Return an argument's premises as read for a gist; the latest ones are cached."""
    key = tuple(texts)
    # Caching as many long texts as short ones would take hundreds of megabytes per process.
    return (_short if sum(map(len, key)) <= LONG_TEXT else _long)(key)


def gists(
    question: str,
    texts_per_argument: Sequence[Sequence[str]],
    words: Mapping[str, float],
    encoder: Encoder | None,
    room: Room = GIST_ROOM,
    within: Sequence[Sequence[tuple[int, float]]] = (),
) -> list[Snippet]:
    """Return the gist of each argument for one question. An argument is a list of premises.

    Args: words: the question's words and weights (`snippet.word_weights`), which are marked.
    encoder: the index's encoder. Without a light encoder, no cosines are used. within: where each
    argument's passages begin in its joined premises, and what they are worth, which is added to
    their sentences' scores. Passages do not count if this leaves no sentence a finite score.

    A gist has one to three sentences in order, about 320 characters in all. The gist of a blank
    argument is empty.
    """
    light = encoder is not None and encoder.dimensions and parse_spec(encoder.name).light
    sought = SoughtWords.of(words)
    # A few large answers would push everything that small answers reuse out of the caches.
    reader = remembered if len(texts_per_argument) <= LARGEST_ANSWER else read
    judged = [
        _Judged.of(reader(texts), sought, bool(light), spans)
        for texts, spans in zip(texts_per_argument, within or repeat(()), strict=bool(within))
    ]
    asked = _embed(question, judged, encoder) if encoder is not None and light else np.zeros(0)
    limits = astuple(room)
    return [one.shown(asked, words, limits) for one in judged]


@dataclass(eq=False, slots=True)
class _Judged:
    """An argument, the positions of a question's words in it, and its sentences' scores."""

    read: Read
    embedded: Embedded
    found: NDArray[np.int32]
    worths: Floats
    """G of each sentence, computed without cosines."""
    numbers: NDArray[np.int64]
    """Numbers of the sentences whose cosines count, ascending."""
    missing: int
    """Number of these sentences that are not embedded yet."""

    @classmethod
    def of(
        cls,
        read: Read,
        sought: SoughtWords,
        cosines: bool,
        within: Sequence[tuple[int, float]],
    ) -> _Judged:
        """Judge an argument's sentences before they are embedded."""
        found, embedded = occurrences(read.text, sought), read.embedded
        weights = weights_in(found, read.spans, sought.weights)
        most, manner = PRESELECTED if cosines else 0, read.manner
        if within:
            begins, worths = np.array(within).T
            at = np.maximum(begins.searchsorted(read.spans[:, 0], side="right") - 1, 0)
            if np.isfinite(manner + worths[at]).any():
                manner = manner + worths[at]
        return cls(read, embedded, found, *judge(manner, weights, W.words, most, embedded.slots))

    def unseen(self) -> list[int]:
        """Return the numbers of the sentences to embed, ascending."""
        return [n for n in self.numbers.tolist() if self.embedded.slots[n] < 0]

    def beginning(self, number: int) -> str:
        """Return the part of a sentence to embed: its beginning, which shows the subject."""
        begin, end = self.read.spans[number].tolist()
        return self.read.text[begin : min(end, begin + WIDTH)]

    def shown(self, asked: Floats, words: Mapping[str, float], room: tuple[float, ...]) -> Snippet:
        """Return the chosen sentences, joined and marked, or the beginning if none has a point."""
        if not len(self.worths):
            return Snippet("")
        if not np.isfinite(self.worths).any():
            text = self.read.text[self.read.spans[0, 0] : self.read.spans[-1, 1]].replace("\n", " ")
            return replace(mark(text, words, WIDTH), beginning=len(text) > WIDTH)
        slots, rows = self.embedded
        chosen = choose(
            self.worths, self.numbers, rows, slots, asked, COSINE_WEIGHTS, self.read.lengths, room
        ).tolist()
        spans, text = self.read.spans[chosen], self.read.text
        if self.read.lengths[chosen[0]] > WIDTH:
            begin, end = spans[0].tolist()
            return mark(text[begin:end], words, WIDTH)
        shown, marks, last = "", list[Span](), -1
        places = self.found[:, 0].searchsorted(spans).tolist()
        for number, (begin, end), rows_in in zip(chosen, spans.tolist(), places, strict=True):
            shown += "" if last < 0 else " " if number == last + 1 else f" {ELLIPSIS} "
            shift, last = len(shown) - begin, number
            shown += text[begin:end]
            found = self.found[slice(*rows_in)].tolist()
            marks += [(a + shift, b + shift) for a, b, _ in found if b <= end]
        return Snippet(shown, tuple(marks))


def _embed(question: str, judged: Sequence[_Judged], encoder: Encoder) -> Floats:
    """Return the question's embedding; embed the sentences that no earlier question needed."""
    wanted = [(one, one.unseen()) for one in judged if one.missing]
    texts = [one.beginning(number) for one, numbers in wanted for number in numbers]
    # One call per page, because starting an encoder takes longer than embedding a sentence.
    rows = encoder.encode(texts) if texts else np.zeros((0, 0), np.float32)
    for one, numbers in wanted:
        new, rows = np.split(rows, [len(numbers)])
        one.embedded = one.read.embedded = one.embedded.more(numbers, new, one.numbers)
    return question_row(encoder, question).astype(np.float64)
