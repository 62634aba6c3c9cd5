"""The gist of each argument of a page: the sentences that carry its point for a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.finding import Sought, Span, occurrences
from engine.showing.reading import Memory, Read
from engine.snippets import ELLIPSIS, WIDTH, Snippet, best_sentence
from indexer.encoders import Encoder
from indexer.encoders.protocol import parse_spec
from ranking.compiled import kernel
from ranking.gist import Floats, Room, Weights, matched, select, worth

PRESELECTED = 10
"""Sentences of an argument that are embedded: the best without the cosines."""
WEIGHTS = Weights()
ROOM = Room(characters=WIDTH)

_memory = Memory()


def gists(
    question: str,
    texts_per_argument: Sequence[Sequence[str]],
    words: Mapping[str, float],
    encoder: Encoder | None,
) -> list[Snippet]:
    """The gist of each argument, its premises' texts given, for the same question.

    words: the question's words and their weights, as `engine.snippets.word_weights` tells them;
    they are marked. encoder: the index's; without one, and with one that is not light, sentences
    are chosen without the cosines. One to three sentences of at most about 320 characters, in the
    text's order; a blank argument has an empty gist. All new sentences are embedded together.
    """
    sought = Sought.of(words)
    reads = [_memory.read(texts, WEIGHTS) for texts in texts_per_argument]
    found = [occurrences(read.text, sought) for read in reads]
    worths = [
        matched(read.manner, weights_in(rows, read.spans, sought.weights), WEIGHTS)
        for read, rows in zip(reads, found, strict=True)
    ]
    if encoder is not None and encoder.dimensions and parse_spec(encoder.name).light:
        worths = _with_cosines(question, reads, worths, encoder)
    return [
        _shown(read, rows, known, words)
        for read, rows, known in zip(reads, found, worths, strict=True)
    ]


def _with_cosines(
    question: str, reads: Sequence[Read], worths: Sequence[Floats], encoder: Encoder
) -> list[Floats]:
    """G with the cosines for each argument's `PRESELECTED` best sentences."""
    chosen = [_best(known) for known in worths]
    wanted = [
        (read, number)
        for read, numbers in zip(reads, chosen, strict=True)
        for number in numbers.tolist()
        if number not in read.vectors
    ]
    rows = encoder.encode([question, *(_embedded(read, number) for read, number in wanted)])
    for (read, number), row in zip(wanted, rows[1:], strict=True):
        read.vectors[number] = row
    complete = []
    for read, numbers, known in zip(reads, chosen, worths, strict=True):
        full = known.copy()
        if len(numbers):
            vectors = np.stack([read.vectors[number] for number in numbers.tolist()])
            full[numbers] = worth(known[numbers], vectors, rows[0], WEIGHTS)
        complete.append(full)
    return complete


def _best(worths: Floats) -> NDArray[np.int64]:
    return np.sort(np.argsort(-worths, kind="stable")[:PRESELECTED])


def _embedded(read: Read, number: int) -> str:
    begin, end = read.spans[number].tolist()
    return read.text[begin : min(end, begin + WIDTH)]


def _shown(
    read: Read, found: NDArray[np.int32], worths: Floats, words: Mapping[str, float]
) -> Snippet:
    """The chosen sentences, joined and marked."""
    if not len(worths):
        return Snippet("")
    lengths = read.spans[:, 1] - read.spans[:, 0]
    chosen = select(worths, lengths, ROOM).tolist()
    if len(chosen) == 1 and lengths[chosen[0]] > WIDTH:
        begin, end = read.spans[chosen[0]].tolist()
        return best_sentence(read.text[begin:end], words, WIDTH)
    text, marks, last = "", list[Span](), -1
    for number in chosen:
        begin, end = read.spans[number].tolist()
        text += "" if last < 0 else " " if number == last + 1 else f" {ELLIPSIS} "
        shift, last = len(text) - begin, number
        text += read.text[begin:end]
        marks += [(a + shift, b + shift) for a, b, _ in found.tolist() if begin <= a and b <= end]
    return Snippet(text, tuple(marks))


@kernel
def weights_in(found, spans, weights):  # type: ignore[no-untyped-def]
    """The weight of the distinct words in each sentence, float64[n].

    `found` are the text's `occurrences`, `spans` its sentences in order, int32[n, 2].
    """
    out = np.zeros(len(spans))
    told = np.full(len(weights), -1, np.int32)
    row = 0
    for span in range(len(spans)):
        begin, end = spans[span]
        while row < len(found) and found[row, 0] < end:
            word = found[row, 2]
            if begin <= found[row, 0] and found[row, 1] <= end and told[word] != span:
                told[word] = span
                out[span] += weights[word]
            row += 1
    return out
