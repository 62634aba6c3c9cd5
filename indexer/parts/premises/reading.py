"""What the part `premises` reads of documents, and the stored vectors of their premises."""

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
    """What is read of one document: its conclusion, and (text, stance) of each premise."""

    conclusion: str | None
    premises: Sequence[tuple[str, str | None]]
    """The stance is PRO or CON; None (no stance given) counts as PRO."""
    row: int | None = None
    """Its number in the index; None: how many came before it."""


class Stored:
    """Premises' vectors, as the part `vectors` rounds them: the stored one where a document has one
    premise, else made. So a premise has one vector, wherever it is read."""

    def __init__(self, encoder: Encoder, vectors: Part) -> None:
        self.encoder, self.vectors = encoder, vectors
        self.rows: dict[str, int] = {}
        """Of the premises read since the last were embedded: the document that has no other."""

    def embed(self, texts: Sequence[str]) -> Floats32:
        """Vectors, float32[n, dimensions]; texts met before this call are forgotten."""
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
    """Every document in the corpus' order."""
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
