"""Arguments as gists are taken from them: read once, remembered while they come back."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from engine.showing import cues
from engine.showing.cutting import cut
from engine.snippets import LONG, READ, REMEMBERED, sentences
from ranking.gist import Floats, Sentences, Weights, manner


def described(counts: NDArray[np.int32]) -> Sentences:
    """The counts of `cues.count` as `ranking.gist` takes them."""
    column = dict(zip(cues.COLUMNS, counts.T, strict=True))
    characters = np.maximum(column["characters"], 1)
    return Sentences(
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


@dataclass(frozen=True, eq=False, slots=True)
class Read:
    """An argument's premises one after the other, their sentences, and what these are worth."""

    text: str
    spans: NDArray[np.int32]
    """Begin and end of each sentence, int32[n, 2]; n is 0 for a blank text only."""
    manner: Floats
    """`ranking.gist.manner` of each."""
    vectors: dict[int, NDArray[np.float32]] = field(default_factory=dict)
    """Embeddings of the sentences that some question asked for, by their number."""


def read(texts: Sequence[str], weights: Weights) -> Read:
    """Cut and count the first `READ` characters of an argument's premises.

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
    spans = cut(codes, whole)
    spans = spans if len(spans) else whole
    counts = cues.count(codes, spans, *cues.table())
    return Read(text, spans, manner(described(counts), weights))


def _within(texts: Sequence[str]) -> Iterator[str]:
    left = READ
    for text in texts:
        if left > 0:
            yield text[:left]
        left -= len(text) + 1


class Memory:
    """The arguments last read, at most `size` of them; safe for many threads."""

    def __init__(self, size: int = REMEMBERED) -> None:
        self._size = size
        self._lock = Lock()
        self._reads: OrderedDict[tuple[str, ...], Read] = OrderedDict()

    def __len__(self) -> int:
        return len(self._reads)

    def read(self, texts: Sequence[str], weights: Weights) -> Read:
        """`read`, remembered but for texts of more than `LONG` characters."""
        key = tuple(texts)
        with self._lock:
            known = self._reads.get(key)
            if known is not None:
                self._reads.move_to_end(key)
                return known
        fresh = read(key, weights)
        if len(fresh.text) > LONG:
            return fresh
        with self._lock:
            known = self._reads.setdefault(key, fresh)
            if len(self._reads) > self._size:
                self._reads.popitem(last=False)
            return known
