"""What the part `premises` reads of documents, and what it knows of their premises already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import Encoder
from argsearch.indexer.format.parts import Part
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.parts.base import Carried, PartSource
from argsearch.ranking.premises.clusters import HeldClusters

if TYPE_CHECKING:
    from argsearch.indexer.quality.pairwise import PairwiseModel

Floats32 = NDArray[np.float32]


class Document(NamedTuple):
    """What is read of one document: its conclusion, and (text, stance) of each premise."""

    conclusion: str | None
    premises: Sequence[tuple[str, str | None]]
    """The stance is PRO or CON; None (no stance given) counts as PRO."""
    row: int | None = None
    """Its number in the index; None: how many came before it."""


RECLUSTERED = 0.2
"""Share of premises that came or went, beyond which all are clustered anew."""
NOWHERE = -1, 0, True
"""The place of a premise whose document began before the last were embedded: it is made anew."""


class Stored:
    """Premises' vectors: the stored one where a document has one premise, else made."""

    def __init__(self, encoder: Encoder, vectors: Part) -> None:
        self.encoder, self.vectors = encoder, vectors
        self.places: dict[str, tuple[int, int, bool]] = {}
        """Of the premises read since the last were embedded: the document, the place there, and
        whether it has no other."""

    def embed(self, texts: list[str]) -> Floats32:
        """Vectors, float32[n, dimensions]; texts met before this call are forgotten."""
        stands = (self.places.get(text, NOWHERE) for text in texts)
        found = np.array([row if alone else -1 for row, _, alone in stands], np.int64)
        out = np.zeros((len(texts), self.encoder.dimensions), np.float32)
        at = np.flatnonzero(found >= 0)
        rows = found[at]
        out[at] = self.vectors["rows"][rows] * self.vectors["scales"][rows, None]
        if len(made := np.flatnonzero(found < 0)):
            out[made] = self.encoder.encode([texts[i] for i in made])
        self.places = {}
        return out


class HeldPremises:
    """A model of scores that knows those of documents that stay, and the clusters of their
    premises."""

    def __init__(self, model: PairwiseModel, carried: Carried, stored: Stored) -> None:
        self._model, self._stored, self._carried = model, stored, carried
        self.dimensions = model.dimensions
        part = carried.part
        at = zip(part["premise_document"].tolist(), part["premise_slot"].tolist(), strict=True)
        self._numbers = {place: number for number, place in enumerate(at)}
        self._held = part["scores"]
        self._found: list[NDArray[np.int64]] = []

    def scores(self, texts: Sequence[str]) -> Floats32:
        """As the model has them, of premises that are embedded next."""
        docs = self._carried.docs
        stands = (self._stored.places.get(text, NOWHERE) for text in texts)
        before = ((int(docs[row]) if row >= 0 else row, slot) for row, slot, _ in stands)
        found = np.array([self._numbers.get(place, -1) for place in before], np.int64)
        self._found.append(found)
        out = np.empty((len(texts), len(self.dimensions)), np.float32)
        old, new = np.flatnonzero(found >= 0), np.flatnonzero(found < 0)
        out[old] = self._held[found[old]]
        out[new] = self._model.scores([texts[i] for i in new.tolist()])
        return out

    def clusters(self) -> HeldClusters | None:
        """What is known of the clusters of the premises that were scored, in their order.

        None where much is others, vectors that stay among it, or the order.
        """
        part, carried, stored = self._carried.part, self._carried, self._stored
        numbers = np.concatenate([np.zeros(0, np.int64), *self._found])
        kept = numbers[numbers >= 0]
        gone = np.setdiff1d(np.arange(len(self._held)), kept)
        most = RECLUSTERED * len(self._held)
        if max(len(gone), len(numbers) - len(kept)) > most or (np.diff(kept) < 0).any():
            return None
        if not stored.encoder.exact or not carried.is_same(stored.vectors):
            return None
        store, texts = DocumentStore(carried.arrays), list[str]()
        then = Stored(stored.encoder, carried.open["vectors"])
        docs, slots = part.rows("premise_document", gone), part.rows("premise_slot", gone)
        for doc, slot in zip(docs.tolist(), slots.tolist(), strict=True):
            premises = store[doc].premises
            texts.append(premises[slot].text)
            then.places[texts[-1]] = doc, slot, len(premises) == 1
        labels = np.where(numbers < 0, -1, part["premise_cluster"][numbers])
        return HeldClusters(labels.astype(np.int64), then.embed(texts))


def documents(
    source: PartSource, stored: Stored, progress: Callable[[int, int], None]
) -> Iterator[Document]:
    """Every document in the corpus' order."""
    for docs, read in source.mapped(_read, progress):
        for row, document in zip(docs.tolist(), read, strict=True):
            alone = len(document.premises) == 1
            for slot, (text, _) in enumerate(document.premises):
                stored.places.setdefault(text, (row, slot, alone))
            yield Document(document.conclusion, document.premises, row)


def _read(arguments: list[Argument]) -> list[Document]:
    return [
        Document(one.conclusion, [(p.text, p.stance and p.stance.value) for p in one.premises])
        for one in arguments
    ]
