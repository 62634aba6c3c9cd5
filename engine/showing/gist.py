"""The gist of each argument of a page: the sentences that carry its point for a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.showing.finding import Sought, Span, occurrences
from engine.showing.reading import Memory, Read
from engine.showing.snippets import ELLIPSIS, WIDTH, Snippet, best_sentence
from indexer.encoders import Encoder
from indexer.encoders.protocol import parse_spec
from ranking.compiled import kernel
from ranking.gist import Floats, Room, Weights, matched, select, worth

PRESELECTED = 8
"""Sentences of an argument that are embedded: the best without the cosines."""
W = Weights()
ROOM = Room(characters=WIDTH)

_memory = Memory(W)


def gists(
    question: str,
    texts_per_argument: Sequence[Sequence[str]],
    words: Mapping[str, float],
    encoder: Encoder | None,
    room: Room = ROOM,
) -> list[Snippet]:
    """The gist of each argument, its premises' texts given, for the same question.

    words: the question's words and their weights, as `engine.showing.snippets.word_weights`
    tells them; they are marked. encoder: the index's; without one, and with one that is not light,
    sentences are chosen without the cosines. One to three sentences of about 320 characters, in the
    text's order; a blank argument has an empty gist. All new sentences are embedded together.
    """
    light = encoder is not None and encoder.dimensions and parse_spec(encoder.name).light
    sought = Sought.of(words)
    reads = [_memory.read(texts) for texts in texts_per_argument]
    judged = list[_Judged]()
    for read in reads:
        found = occurrences(read.text, sought)
        weights = weights_in(found, read.spans, sought.weights)
        judged.append(_Judged(read, found, matched(read.manner, weights, W)))
    if encoder is not None and light:
        judged = _with_cosines(question, judged, encoder)
    return [one.shown(words, room) for one in judged]


def forget() -> None:
    """Forget the arguments that were read: the next page is read anew."""
    _memory.clear()


@dataclass(frozen=True, eq=False, slots=True)
class _Judged:
    """An argument, the places of the question's words in it, and what its sentences are worth."""

    read: Read
    found: NDArray[np.int32]
    worths: Floats
    alike: Floats | None = None

    def preselected(self) -> NDArray[np.int64]:
        """The numbers of the sentences to embed, ascending."""
        return np.sort(np.argsort(-self.worths, kind="stable")[:PRESELECTED])

    def embedded(self, number: int) -> str:
        """What of a sentence is embedded: a longer one says what it is about in the beginning."""
        begin, end = self.read.spans[number].tolist()
        return self.read.text[begin : min(end, begin + WIDTH)]

    def with_cosines(self, numbers: NDArray[np.int64], question: NDArray[np.float32]) -> _Judged:
        """The same with G complete for these sentences."""
        if not len(numbers):
            return self
        vectors = np.stack([self.read.vectors[number] for number in numbers.tolist()])
        worths, alike = self.worths.copy(), np.zeros((len(self.worths),) * 2)
        worths[numbers] = worth(worths[numbers], vectors, question, W)
        alike[np.ix_(numbers, numbers)] = vectors @ vectors.T
        return replace(self, worths=worths, alike=alike)

    def shown(self, words: Mapping[str, float], room: Room) -> Snippet:
        """The chosen sentences, joined and marked."""
        if not len(self.worths):
            return Snippet("")
        lengths = self.read.spans[:, 1] - self.read.spans[:, 0]
        chosen = select(self.worths, lengths, self.alike, room).tolist()
        if lengths[chosen[0]] > WIDTH:
            begin, end = self.read.spans[chosen[0]].tolist()
            return best_sentence(self.read.text[begin:end], words, WIDTH)
        text, marks, last = "", list[Span](), -1
        for number in chosen:
            begin, end = self.read.spans[number].tolist()
            text += "" if last < 0 else " " if number == last + 1 else f" {ELLIPSIS} "
            shift, last = len(text) - begin, number
            text += self.read.text[begin:end]
            inside = (self.found[:, 0] >= begin) & (self.found[:, 1] <= end)
            marks += [(a + shift, b + shift) for a, b, _ in self.found[inside].tolist()]
        return Snippet(text, tuple(marks))


def _with_cosines(question: str, judged: Sequence[_Judged], encoder: Encoder) -> list[_Judged]:
    """G with the cosines for each argument's `PRESELECTED` best sentences, embedded in one call."""
    chosen = [one.preselected() for one in judged]
    wanted = [
        (one, number)
        for one, numbers in zip(judged, chosen, strict=True)
        for number in numbers.tolist()
        if number not in one.read.vectors
    ]
    asked = _memory.asked(question)
    texts = [one.embedded(number) for one, number in wanted]
    new = [question, *texts] if asked is None else texts
    rows = encoder.encode(new) if new else np.zeros((0, encoder.dimensions), np.float32)
    if asked is None:
        asked, rows = rows[0], rows[1:]
        _memory.ask(question, asked)
    for (one, number), row in zip(wanted, rows, strict=True):
        one.read.vectors[number] = row
    return [one.with_cosines(numbers, asked) for one, numbers in zip(judged, chosen, strict=True)]


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
