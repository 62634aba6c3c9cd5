"""The gist of each argument of a page: the sentences that carry its point for a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.text.highlighting import SoughtWords, Span, occurrences
from argsearch.engine.text.reading import Embedded, Memory, Read
from argsearch.engine.text.snippet import ELLIPSIS, WIDTH, Snippet, best_sentence
from argsearch.indexer.encoders import Encoder, parse_spec
from argsearch.ranking.compiled import kernel
from argsearch.ranking.gist import Floats, GistWeights, Room, choose, judge

PRESELECTED = 8
"""SentenceSigns of an argument that are embedded: the best without the cosines."""
W = GistWeights()
COSINES = (W.question, W.centrality)
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

    words: the question's words and their weights, as `argsearch.engine.text.snippet.word_weights`
    tells them; they are marked. encoder: the index's; without one, and with one that is not light,
    sentences are chosen without the cosines. One to three sentences of about 320 characters, in the
    text's order; a blank argument has an empty gist. All new sentences are embedded together.
    """
    light = encoder is not None and encoder.dimensions and parse_spec(encoder.name).light
    sought = SoughtWords.of(words)
    judged = [_Judged.of(_memory.read(texts), sought, bool(light)) for texts in texts_per_argument]
    asked = np.zeros(0)
    if encoder is not None and light:
        asked = _embed(question, judged, encoder)
    limits = astuple(room)
    return [one.shown(asked, words, limits) for one in judged]


def forget() -> None:
    """Forget the arguments that were read: the next page is read anew."""
    _memory.clear()


@dataclass(eq=False, slots=True)
class _Judged:
    """An argument, the places of the question's words in it, and what its sentences are worth."""

    read: Read
    embedded: Embedded
    found: NDArray[np.int32]
    worths: Floats
    """G of each without the cosines."""
    numbers: NDArray[np.int64]
    """The sentences whose cosines count, ascending."""
    missing: int
    """How many of these are not embedded yet."""

    @classmethod
    def of(cls, read: Read, sought: SoughtWords, cosines: bool) -> _Judged:
        """What is known of an argument before its sentences are embedded."""
        found, embedded = occurrences(read.searched, sought), read.embedded
        weights = weights_in(found, read.spans, sought.weights)
        most = PRESELECTED if cosines else 0
        return cls(
            read, embedded, found, *judge(read.manner, weights, W.words, most, embedded.slots)
        )

    def unseen(self) -> list[int]:
        """The numbers of the sentences to embed, ascending."""
        return [n for n in self.numbers.tolist() if self.embedded.slots[n] < 0]

    def beginning(self, number: int) -> str:
        """What of a sentence is embedded: a longer one says what it is about in the beginning."""
        begin, end = self.read.spans[number].tolist()
        return self.read.text[begin : min(end, begin + WIDTH)]

    def shown(self, asked: Floats, words: Mapping[str, float], room: tuple[float, ...]) -> Snippet:
        """The chosen sentences, joined and marked."""
        if not len(self.worths):
            return Snippet("")
        slots, rows = self.embedded
        chosen = choose(
            self.worths, self.numbers, rows, slots, asked, COSINES, self.read.lengths, room
        ).tolist()
        spans, text = self.read.spans[chosen], self.read.text
        if self.read.lengths[chosen[0]] > WIDTH:
            begin, end = spans[0].tolist()
            return best_sentence(text[begin:end], words, WIDTH)
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
    """The question's embedding; sentences that no question asked for yet are embedded with it."""
    wanted = [(one, one.unseen()) for one in judged if one.missing]
    asked = _memory.asked(question)
    texts = [one.beginning(number) for one, numbers in wanted for number in numbers]
    new = [question, *texts] if asked is None else texts
    rows = encoder.encode(new) if new else np.zeros((0, encoder.dimensions), np.float32)
    if asked is None:
        asked, rows = rows[0].astype(np.float64), rows[1:]
        _memory.ask(question, asked)
    at = 0
    for one, numbers in wanted:
        one.embedded = one.read.embedded = one.embedded.more(numbers, rows[at : at + len(numbers)])
        at += len(numbers)
    return asked


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
