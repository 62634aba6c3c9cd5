"""Reads documents for the part `premises`, and the stored vectors of their premises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import Encoder
from argsearch.indexer.format.parts import Part
from argsearch.indexer.parts.base import PartSource
from argsearch.ranking.vectors import quantise

Floats32 = NDArray[np.float32]


class Document(NamedTuple):
    """The conclusion of a document, and the text and stance of each premise."""

    conclusion: str | None
    premises: Sequence[tuple[str, str | None]]
    """The stance is PRO or CON; None (no stance given) counts as PRO."""
    row: int | None = None
    """Number of the document in the index; None: the number of documents before it."""


class Stored:
    """Quantised vectors of premises: stored ones for a document's only premise, otherwise new."""

    def __init__(self, encoder: Encoder, vectors: Part) -> None:
        self.encoder, self.vectors = encoder, vectors
        self.rows: dict[str, int] = {}
        """Document whose only premise is the text, for the texts read since the last embedding."""

    def embed(self, texts: Sequence[str]) -> Floats32:
        """Return vectors, float32[n, dimensions], and forget the texts read before this call."""
        found = np.array([self.rows.get(text, -1) for text in texts], int)
        out = np.zeros((len(texts), self.encoder.dimensions), np.float32)
        at = np.flatnonzero(found >= 0)
        rows = found[at]
        out[at] = self.vectors["rows"][rows] * self.vectors["scales"][rows, None]
        if made := [(i, text) for i, text in enumerate(texts) if found[i] < 0]:
            levels, scales = quantise(self.encoder.encode([text for _, text in made]))
            out[[i for i, _ in made]] = levels * scales[:, None]
        self.rows = {}
        return out


def documents(
    source: PartSource, stored: Stored, progress: Callable[[int, int], None]
) -> Iterator[Document]:
    """Yield all documents in the order of the corpus."""
    for docs, some in source.mapped(_read, progress):
        for row, one in zip(docs.tolist(), some, strict=True):
            if len(one.premises) == 1:
                stored.rows.setdefault(one.premises[0][0], row)
            yield Document(one.conclusion, one.premises, row)


def _read(arguments: list[Argument]) -> list[Document]:
    return [
        Document(one.conclusion, [(p.text, p.stance and p.stance.value) for p in one.premises])
        for one in arguments
    ]
